import { describe, expect, it } from 'vitest';
import type { ConfigProblem } from '../../../../lab/model/errors/errors.ts';
import { parseScenario } from '../../../../lab/plan/config/parse-scenario.ts';
import { configWith, SHIPPED_FILES } from '../../project-files.ts';

const folder = 'scenarios/oom-label-tries';
const { catalogue } = configWith();
const platform = { nodeImages: ['whodunit.local/workloads:1'], findApi: () => undefined };
const IMAGE = 'image: whodunit.local/workloads:1';
const COMMAND = 'command: [/bin/memory-eater,';
const HINT = "bring `images: [{ image: 'whodunit.local/shell:1', component: shell, version: bookworm }]`";

/** Problems of a scenario of which pieces are replaced; with an image of its own where one is given. */
function problemsOf(changes: readonly (readonly [string, string])[], brought?: string): readonly string[] {
  const files = SHIPPED_FILES.filter(({ path }) => path.startsWith(`${folder}/`)).map((file) => ({
    ...file,
    text: file.path.endsWith('scenario.yaml')
      ? file.text.replace('victim:', `${brought === undefined ? '' : `images: [${brought}]\n`}victim:`)
      : changes.reduce((text, [piece, other]) => text.replace(piece, other), file.text),
  }));
  const problems: ConfigProblem[] = [];
  parseScenario(folder, files, { matrix: undefined, catalogue, platform }, problems);
  return problems.map(({ path, expected, received }) => `${path}: ${expected}; ${received}`);
}

const SHELL = "{ image: 'whodunit.local/shell:1', component: shell, version: bookworm }";
const OWN = "{ image: 'whodunit.local/own:1', component: scenario-programs, version: '1' }";
const JAVA = "{ image: 'whodunit.local/own:1', component: java, version: bookworm }";
const at = 'document 1.spec.containers.0';

describe('a shell', () => {
  it.each(['sh', '/bin/sh', '/usr/bin/bash', '/usr/local/bin/dash'])(
    '%s is in no image of the nodes',
    (program) => {
      const [, name] = /(\w+)$/.exec(program) ?? [];
      expect(problemsOf([[COMMAND, `command: [${program}, -c, sleep 9,`]])).toEqual([
        `${at}.command.0: a program of whodunit.local/workloads:1, which has no ${name}; for \`sh\` ${HINT}; "${program}"`,
      ]);
    },
  );

  it.each<[string, string]>([
    ['lifecycle.preStop.exec.command', 'lifecycle: { preStop: { exec: { command: [sh, -c, x] } } }'],
    ['livenessProbe.exec.command', 'livenessProbe: { exec: { command: [sh, -c, x] } }'],
  ])('is refused in %s as well', (place, field) => {
    const found = problemsOf([[IMAGE, `${IMAGE}\n      ${field}`]]);
    expect(found).toEqual([expect.stringMatching(`^${at}.${place}.0: .* has no sh; `)]);
  });

  it.each<[string, string, string, string, boolean]>([
    ['is in the shell image', 'shell', SHELL, 'sh', true],
    ['of another name is not', 'shell', SHELL, 'bash', false],
    ['is in no image of our own programs', 'own', OWN, 'sh', false],
    ['may be in a root file system', 'own', JAVA, 'bash', true],
  ])('%s', (_, name, brought, shell, isThere) => {
    const changes = [
      [IMAGE, `image: whodunit.local/${name}:1`],
      [COMMAND, `command: [${shell}, -c, x,`],
    ] as const;
    expect(problemsOf(changes, brought)).toEqual(
      isThere ? [] : [expect.stringContaining(`which has no ${shell}; for \`sh\` ${HINT}`)],
    );
  });

  it('is no other program', () => {
    expect(problemsOf([[COMMAND, 'command: [/bin/sleeper, /bin/sh,']])).toEqual([]);
  });

  it.each(['busybox:1.36', 'docker.io/library/busybox', 'alpine:3', 'bash@sha256:00'])(
    'that somebody wants of %s is named once, with the image that has one',
    (image) => {
      const changes = [
        [IMAGE, `image: ${image}`],
        [COMMAND, 'command: [sh, -c, x,'],
      ] as const;
      expect(problemsOf(changes)).toEqual([
        `${at}.image: an image of the nodes, of \`images\` or of \`registry\`: whodunit.local/workloads:1; for a shell ${HINT}; "${image}"`,
      ]);
    },
  );

  it('is not offered for any other image', () => {
    expect(problemsOf([[IMAGE, 'image: nginx:1']]).join()).not.toContain('shell');
  });
});
