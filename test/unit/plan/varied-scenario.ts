/** A scenario that varies; it lies in no folder. */
export const FILE = 'scenarios/varied/scenario.yaml';
export const POD = 'scenarios/varied/manifests/pod.yaml';

export const SCENARIO = `
formatVersion: 1
name: varied
title: A pod whose limit and command vary.
victim: { selector: app=varied, container: main }
parameters:
  limit: { about: memory limit, values: [64Mi, 128Mi], default: 128Mi }
  uid: { about: user, values: [0, 100], default: 0 }
  version: { about: release, values: ['1.10'], default: '1.10', patterns: ['\\d+\\.\\d+'], example: '1.11' }
stimulus:
  - { kind: exec, command: [/bin/sleeper, '--after=\${version}'] }
  - { kind: node-command, about: prints, script: 'echo \${limit%Mi} \${version} \${other:-1}' }
expect: { killer: memcg-oom, exitCode: ['\${uid}'], withinSeconds: 30 }
variants:
  - when: { limit: [64Mi] }
    expect: { withinSeconds: 10 }
makeItFail: It cannot.
`;

export const MANIFEST = `
apiVersion: v1
kind: Pod
metadata: { name: varied, labels: { app: varied } }
spec:
  securityContext: { runAsUser: '\${uid}' }
  containers:
    - name: main
      image: whodunit.local/workloads:1
      command: [/bin/sleeper, 'v\${version}', '$(POD_IP)', '$\${limit}']
      resources: { limits: { memory: '\${limit}' } }
`;

export const VARIED: Readonly<Record<string, string>> = { [FILE]: SCENARIO, [POD]: MANIFEST };
