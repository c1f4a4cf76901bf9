import { describe, expect, it } from 'vitest';
import { answer } from '../../../lab/autopsy/answer.ts';
import type { Killer } from '../../../lab/model/killers/killers.ts';
import { dmesgT, podYaml, probeLines } from '../../fixtures/autopsy/attack-parts.ts';
import { readTexts } from '../evidence/bundle/read-texts.ts';

/** Somebody had asked for the end at 21:53:29, with a grace period of 30 s, and SIGKILL ended the container. */

const UID = '11fb4b18-3dc9-4db2-a842-e464f797527a';
const pod = (at: string, { reason = 'Error', probe = '', grace = 30, deletion = '' } = {}): string =>
  podYaml({ ends: [{ at, reason, isLast: deletion === '' }], metadata: deletion })
    .replace('  nodeName: node-7', `  nodeName: node-7\n  terminationGracePeriodSeconds: ${grace}`)
    .replace('    name: api\n  nodeName', `    name: api\n${probe}  nodeName`);
const kernel = (at: string): string =>
  dmesgT(at).replaceAll(/^\[[^\]]+\]/gm, `2026-11-20T${at}+0000 node-7 kernel:`);
const iso = (log: string): string => log.replaceAll(/^Nov 20 ([\d:]+)/gm, '2026-11-20T$1+0000');
const OWN_PROBE = '    livenessProbe:\n      terminationGracePeriodSeconds: 5\n';
const DELETION = '  deletionGracePeriodSeconds: 30\n  deletionTimestamp: "2026-11-20T21:53:59Z"\n';
const DELETED = iso(probeLines())
  .split('\n')
  .map((line, index) =>
    index === 0
      ? line.replace(
          /kuberuntime_manager.*/,
          'kubelet.go:2421] "SyncLoop DELETE" source="api" pods=["web/api-0"]',
        )
      : line,
  )
  .join('\n');
const EVENT = `apiVersion: v1
kind: Event
metadata:
  name: api-0.18e9f2ed02aa11bb
  namespace: web
involvedObject:
  fieldPath: spec.containers{api}
  kind: Pod
  name: api-0
  namespace: web
  uid: ${UID}
count: 1
firstTimestamp: "2026-11-20T21:53:29Z"
lastTimestamp: "2026-11-20T21:53:29Z"
message: Container api failed liveness probe, will be restarted
reason: Killing
reportingComponent: kubelet
source:
  component: kubelet
type: Normal
`;

/** How a kubelet of 1.18 logs the same. */
const OLD = iso(probeLines('node-7 kubelet[857]', { runtime: 'docker' }))
  .replace(
    /"Message for Container of pod".*?"ID":"([0-9a-f]{64})".*/,
    `Container "api" ({"docker" "$1"}) of pod api-0_web(${UID}): Container api failed liveness probe, will be restarted`,
  )
  .replace(
    /"Killing container with a grace period".*"docker:..([0-9a-f]{64})".*/,
    'Killing container "docker://$1" with 30 second grace period',
  );
const EVICTED = "  message: 'The node was low on resource: memory. '\n  phase: Failed\n  reason: Evicted\n";

interface Killed {
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
  /** Who is named as likely; nobody where it is left out. */
  readonly killer?: Killer;
}

const KILLED: readonly Killed[] = [
  {
    what: 'by the kernel 12 s after the kubelet logged a failed probe',
    files: { 'pod.yaml': pod('21:53:41'), 'kubelet.log': iso(probeLines()), 'kern.log': kernel('21:53:41') },
    killer: 'memcg-oom',
  },
  {
    what: 'by the kernel 12 s after the event of a failed probe',
    files: { 'pod.yaml': pod('21:53:41'), 'event.yaml': EVENT, 'kern.log': kernel('21:53:41') },
    killer: 'memcg-oom',
  },
  {
    what: 'by the kernel, whose log has no zone, 12 s after a failed probe, and it is called OOMKilled',
    files: {
      'pod.yaml': pod('21:53:41', { reason: 'OOMKilled' }),
      'event.yaml': EVENT,
      'dmesg.txt': dmesgT('21:53:41'),
    },
    killer: 'memcg-oom',
  },
  {
    what: 'by the kernel in the second of the deletion',
    files: {
      'pod.yaml': pod('21:53:29', { deletion: DELETION }),
      'kubelet.log': DELETED,
      'kern.log': kernel('21:53:29'),
    },
    killer: 'memcg-oom',
  },
  {
    what: 'by the kernel 2 s before the kubelet began to stop it',
    files: { 'pod.yaml': pod('21:53:27'), 'kubelet.log': iso(probeLines()), 'kern.log': kernel('21:53:27') },
    killer: 'memcg-oom',
  },
  {
    what: 'when the grace period was over, after a failed probe',
    files: { 'pod.yaml': pod('21:53:59'), 'kubelet.log': iso(probeLines()) },
    killer: 'liveness-probe',
  },
  {
    what: 'when the grace period was over, after a failed probe, as a kubelet of 1.18 logs it',
    files: { 'pod.yaml': pod('21:53:59').replaceAll('containerd://', 'docker://'), 'kubelet.log': OLD },
    killer: 'liveness-probe',
  },
  {
    what: 'when the grace period of the kubelet’s line was over, after an eviction',
    files: {
      'pod.yaml': podYaml({ ends: [{}], status: EVICTED }),
      'kubelet.log': iso(probeLines()).split('\n')[1] ?? '',
    },
    killer: 'kubelet-eviction',
  },
  {
    what: 'within the grace period of the pod, while that of the probe is shorter',
    files: { 'pod.yaml': pod('21:53:34', { probe: OWN_PROBE }), 'event.yaml': EVENT },
    killer: 'liveness-probe',
  },
  {
    what: '12 s after the kubelet logged a failed probe',
    files: { 'pod.yaml': pod('21:53:41'), 'kubelet.log': iso(probeLines()) },
  },
  {
    what: '12 s after the event of a failed probe',
    files: { 'pod.yaml': pod('21:53:41'), 'event.yaml': EVENT },
  },
  {
    what: 'in the second in which the grace period was over and the kernel killed one of its processes',
    files: { 'pod.yaml': pod('21:53:59'), 'kubelet.log': iso(probeLines()), 'kern.log': kernel('21:53:58') },
  },
];

describe('a container that was asked to stop and ended by SIGKILL', () => {
  it.each(KILLED)('$what', async ({ files, killer }) => {
    const { deaths } = answer(await readTexts(files), { pod: 'web/api-0', container: 'api' });
    expect(deaths.map(({ attribution }) => [attribution.killer, attribution.confidence])).toEqual([
      killer === undefined ? ['unknown', 'none'] : [killer, 'likely'],
    ]);
  });
});

const BESIDE =
  'node-7 earlyoom[612]: sending SIGTERM to process 1735 uid 0 "java": oom_score 1093, VmRSS 1840 MiB';

describe('what nobody saw is not excluded', () => {
  it.each([
    [
      'a failed probe whose grace period was not over',
      { 'pod.yaml': pod('21:53:41'), 'kubelet.log': iso(probeLines()) },
      'a failed probe',
    ],
    [
      'a kill of the kernel when the grace period was over',
      { 'pod.yaml': pod('21:53:59'), 'kubelet.log': iso(probeLines()), 'kern.log': kernel('21:53:58') },
      'an OOM kill of its first process',
    ],
    [
      'a kill of earlyoom by a pid that nobody knows',
      { 'pod.yaml': pod('21:53:41'), 'journal.log': `2026-11-20T21:53:41+0000 ${BESIDE}\n` },
      'a kill by earlyoom',
    ],
  ])('%s', async (_what, files, open) => {
    const { deaths } = answer(await readTexts(files), { pod: 'web/api-0', container: 'api' });
    const [{ attribution } = { attribution: undefined }] = deaths;
    expect(attribution?.killer).toBe('unknown');
    expect((attribution?.excluded ?? []).map(({ what }) => what)).not.toContain(open);
    expect(attribution?.open?.map(({ what }) => what)).toContain(open);
  });
});
