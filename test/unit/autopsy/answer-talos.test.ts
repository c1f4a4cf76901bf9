import { describe, expect, it } from 'vitest';
import { answer } from '../../../lab/autopsy/answer.ts';
import { ID, readTexts, UID } from '../evidence/bundle/read-texts.ts';

/** The OOM controller of Talos (since 1.12) kills cgroups by a ranking of its own: the kernel has no part in it. */

const line = (said: string, at = '21:53:59.813', uid = UID): string =>
  `10.0.3.17: user: warning: [2026-11-20T${at}Z]: [talos] ${said} {"component": "controller-runtime", "controller": "runtime.OOMController"${said.startsWith('Sending') ? `, "cgroup": "/sys/fs/cgroup/kubepods/burstable/pod${uid}"` : ''}}\n`;
const KILL = 'Sending SIGKILL to cgroup';
const DMESG = line('OOM controller triggered') + line(KILL);
const NOTE = /the OOM controller of Talos says that it sends SIGKILL to its cgroup/;

const pod = (events = ''): string => `apiVersion: v1
kind: Pod
metadata: {name: api-0, namespace: web, uid: ${UID}, creationTimestamp: "2026-11-20T21:00:00Z"}
spec: {nodeName: 10.0.3.17}
status:
  phase: Running
  containerStatuses:
  - name: api
    containerID: containerd://${ID.replace('b', 'c')}
    restartCount: 1
    state: {running: {startedAt: "2026-11-20T21:54:10Z"}}
    lastState:
      terminated: {containerID: "containerd://${ID}", exitCode: 137, reason: Error, startedAt: "2026-11-20T21:21:00Z", finishedAt: "2026-11-20T21:54:00Z"}
${events}`;
/** A probe failed as well, while the node was short of memory. */
const PROBED = `---
apiVersion: v1
kind: Event
metadata: {name: api-0.1, namespace: web}
involvedObject: {kind: Pod, name: api-0, namespace: web, uid: ${UID}, fieldPath: "spec.containers{api}"}
reason: Killing
message: Container api failed liveness probe, will be restarted
source: {component: kubelet, host: 10.0.3.17}
count: 1
firstTimestamp: "2026-11-20T21:53:58Z"
lastTimestamp: "2026-11-20T21:53:58Z"
`;

const ask = async (dmesg: string, objects = pod()): Promise<readonly (string | undefined)[]> => {
  const [death] = answer(await readTexts({ 'dmesg.log': dmesg, 'pod.yaml': objects }), {
    container: 'api',
  }).deaths;
  return [death?.attribution.killer, death?.note];
};

describe('a kill by the OOM controller of Talos', () => {
  it('is unknown with that reason, and with the command that tells', async () => {
    const read = await readTexts({ 'dmesg.log': DMESG, 'pod.yaml': pod() });
    const { deaths } = answer(read, { container: 'api' });
    expect(deaths).toMatchObject([{ attribution: { killer: 'unknown' } }]);
    expect(deaths[0]?.note).toMatch(NOTE);
    expect(JSON.stringify(deaths[0]?.next)).toMatch(/talosctl -n \S+ get oomactions/);
    expect(deaths[0]?.attribution.because.map(({ file }) => file)).toContain('dmesg.log');
  });

  it('leaves nobody else to be named', async () => {
    expect((await ask('', pod(PROBED)))[0]).toBe('liveness-probe');
    expect(await ask(DMESG, pod(PROBED))).toMatchObject(['unknown', expect.stringMatching(NOTE)]);
  });

  it.each([
    ['of another pod', line(KILL, undefined, UID.replace('1', '2'))],
    ['a quarter of an hour earlier', line(KILL, '21:38:59.813')],
    ['that the kernel says in its own name', DMESG.replaceAll('user: ', 'kern: ')],
  ])('is none %s', async (_which, dmesg) => {
    expect(await ask(dmesg, pod(PROBED))).toEqual(['liveness-probe', undefined]);
  });
});
