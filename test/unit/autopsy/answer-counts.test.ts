import { describe, expect, it } from 'vitest';
import { answer } from '../../../lab/autopsy/answer.ts';
import { ID, readTexts, UID } from '../evidence/bundle/read-texts.ts';

/** How often something was written, and how often a container ended: an event is of the last end only if each end has one. */

const KILLING = 'Container api failed liveness probe, will be restarted';

const killed = (restarts: number, count: number, last = '2026-11-20T21:40:00Z'): string => `apiVersion: v1
kind: Pod
metadata:
  name: api-0
  namespace: web
  uid: ${UID}
  creationTimestamp: "2026-11-20T21:00:00Z"
status:
  phase: Running
  containerStatuses:
  - name: api
    containerID: containerd://${ID.replace('b', 'c')}
    restartCount: ${restarts}
    state:
      running:
        startedAt: "2026-11-20T21:31:00Z"
    lastState:
      terminated:
        containerID: containerd://${ID}
        exitCode: 137
        reason: Error
        startedAt: "2026-11-20T21:21:00Z"
        finishedAt: "2026-11-20T21:30:40Z"
---
apiVersion: v1
kind: Event
metadata:
  name: api-0.1
  namespace: web
involvedObject: {kind: Pod, name: api-0, namespace: web, uid: ${UID}, fieldPath: "spec.containers{api}"}
reason: Killing
message: ${KILLING}
type: Normal
source: {component: kubelet, host: node-7}
count: ${count}
firstTimestamp: "2026-11-20T21:10:00Z"
lastTimestamp: "${last}"
`;

const table = (row: string, age: string): string => `$ kubectl get pods -A
NAMESPACE   NAME    READY   STATUS    RESTARTS     AGE
${row}
web         log-0   1/1     Running   9 (1m ago)   3h

$ kubectl get events
LAST SEEN   TYPE      REASON      OBJECT      MESSAGE
${age}         Warning   Unhealthy   pod/api-0   Liveness probe failed: HTTP probe failed with statuscode: 500
${age}         Normal    Killing     pod/api-0   ${KILLING}
`;

interface Case {
  readonly what: string;
  readonly text: string;
  readonly killer: string;
}

const CASES: readonly Case[] = [
  { what: 'an event before and after it, for one end less', text: killed(3, 3), killer: 'unknown' },
  { what: 'an event before and after it, for each end', text: killed(3, 4), killer: 'liveness-probe' },
  {
    what: 'an event whose last time is that of the end',
    text: killed(3, 2, '2026-11-20T21:30:10Z'),
    killer: 'liveness-probe',
  },
  {
    what: 'one kill and one restart, in two tables',
    text: table('web         api-0   1/1     Running   1 (2m ago)   3h', '2m'),
    killer: 'liveness-probe',
  },
  {
    what: 'one kill and five restarts, in two tables',
    text: table('web         api-0   1/1     Running   5 (2m ago)   3h', '50m'),
    killer: 'unknown',
  },
  {
    what: 'five kills and five restarts',
    text: table('web         api-0   1/1     Running   5 (2m ago)   3h', '2m (x5 over 3h)'),
    killer: 'liveness-probe',
  },
  {
    what: 'five kills, five restarts, and an end after the last of them',
    text: table('web         api-0   0/1     CrashLoopBackOff   5 (2m ago)   3h', '2m (x5 over 3h)'),
    killer: 'unknown',
  },
  {
    what: 'a pod of that name in another namespace, which ended more often',
    text: table('web         api-0   1/1     Running   1   3h', '2m')
      .replace('log-0', 'api-0')
      .replaceAll(/^web( +api-0 .* 9)/gm, 'ops$1'),
    killer: 'unknown',
  },
  {
    what: 'rows of a watch, and rows of describe that do not name the pod',
    text: `api-0   1/1     Running   0          26s\napi-0   1/1     Running   1 (5s ago)   66s      <-- look\n\n$ kubectl describe pod api-0 | grep -A 12 Events:\n  Normal   Killing    35s                kubelet  ${KILLING}\n`,
    killer: 'liveness-probe',
  },
];

describe('an event that was counted', () => {
  it.each(CASES)('$what: $killer', async ({ text, killer }) => {
    const found = answer(await readTexts({ 'paste.md': text }), {});
    expect(found.deaths[0]).toMatchObject({ container: 'api', attribution: { killer } });
    expect(found.deaths[0]?.attribution.confidence).not.toBe('proven');
  });

  it('is of a pod that has the only name in a table', async () => {
    const text = `api-0   1/1     Running   1 (5s ago)   66s\n\n  Normal   Killing    35s                kubelet  ${KILLING}\n\nNov 20 21:53:51 node-7 kubelet[812]: I1120 21:53:51.100200     812 tracker.go:104] "Observed pod startup duration" pod="web/log-0"\n`;
    const found = answer(await readTexts({ 'paste.md': text }), {});
    expect(found.deaths[0]?.pod).toBe('api-0');
    const nodes = Object.fromEntries(found.read.map(({ format, node }) => [format, node]));
    expect(nodes).toEqual({
      'kubectl get events': undefined,
      'kubectl get pods': undefined,
      journalctl: 'node-7',
    });
  });
});
