import type { ConfigFile } from './parse-config.ts';

/** What `whodunit new` writes: files that pass every check and run, with what is to be changed in comments. */

/** Where the schemas are for a project that has installed whodunit as a package, from its root. */
export const OF_PACKAGE = 'node_modules/whodunit/docs/schemas';

/** Where they are in a clone, from its root. */
const OF_CLONE = 'docs/schemas';

/** What a new file says that is not in its name. */
export interface SkeletonOptions {
  /** Where a bug was reported. */
  readonly link?: string | undefined;
  /** The folder of the schemas, from the project's root. */
  readonly schemas?: string | undefined;
}

/** The files of a new scenario: a pod that ends by itself, which is what it expects. */
export function scenarioSkeleton(name: string, { schemas = OF_CLONE }: SkeletonOptions = {}): ConfigFile[] {
  return [
    {
      path: `scenarios/${name}/scenario.yaml`,
      text: `# yaml-language-server: $schema=../../${schemas}/scenario.schema.json
# docs/writing-a-scenario.md explains every field.
formatVersion: 1
name: ${name}
title: A program ends by itself with status 3; nobody killed it. # what happens, and what must be found
tags: [] # words to select it by; a set such as \`deaths\` takes what has tags

victim:
  selector: app=${name} # the label of the pod in manifests/
  container: victim

expect:
  killer: self-exit # \`whodunit killers\` lists them
  reason: [Error]
  exitCode: [3]
  withinSeconds: 60
  then: stays-dead

timeoutSeconds: 90
makeItFail: >-
  Change \`--exit-code\` in manifests/pod.yaml to 0: the container ends as Completed, and the cell fails with
  "expected exit code 3, observed 0".
`,
    },
    { path: `scenarios/${name}/manifests/pod.yaml`, text: podOf(name) },
  ];
}

/** The files of a new bug: a scenario that tells two variants apart, and the report that names both. */
export function bugSkeleton(
  id: string,
  { link = `https://github.com/example/${id}/issues/1`, schemas = OF_CLONE }: SkeletonOptions = {},
): ConfigFile[] {
  return [
    {
      path: `bugs/${id}.yaml`,
      text: `# yaml-language-server: $schema=../${schemas}/bug.schema.json
# docs/writing-a-bug.md explains every field.
formatVersion: 1
id: ${id}
title: On cgroup v1 a program ends with another status. # one sentence: what goes wrong for whom
links:
  - ${link} # where it was reported
status: reproduces
scenario: ${id}

affected: { cgroup: v1 } # a variant that has the bug
fixed: { cgroup: v2 } # the nearest one that has not

summary: >-
  The mechanism, in a few sentences.
whatToSee:
  - what the proof of the affected cell shows
`,
    },
    {
      path: `scenarios/${id}/scenario.yaml`,
      text: `# yaml-language-server: $schema=../../${schemas}/scenario.schema.json
# docs/writing-a-scenario.md explains every field.
formatVersion: 1
name: ${id}
title: A program ends by itself with status 3, with status 4 where the bug is.
tags: []

victim:
  selector: app=${id}
  container: victim

expect: # without the bug
  killer: self-exit
  exitCode: [3]
  withinSeconds: 60

variants:
  - when: { cgroup: [v1] } # where the bug is
    expect: { exitCode: [4] }

timeoutSeconds: 90
makeItFail: Run it before the pod shows the bug, as it is written here; the affected variant ends with status 3 too.
`,
    },
    { path: `scenarios/${id}/manifests/pod.yaml`, text: podOf(id) },
  ];
}

function podOf(name: string): string {
  return `apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  labels: { app: ${name} }
spec:
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: 1
  restartPolicy: Never
  containers:
    - name: victim
      image: whodunit.local/workloads:1
      imagePullPolicy: Never
      command: [/bin/sleeper, --exit-code, '3', --after, 3s] # the programs of provision/workloads
`;
}
