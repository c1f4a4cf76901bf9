import { describe, expect, it } from 'vitest';
import { answer } from '../../../lab/autopsy/answer.ts';
import { unflatten } from '../../../lab/evidence/formats/flattened.ts';
import { ID, OOM, readTexts } from '../evidence/bundle/read-texts.ts';

/** Texts whose line breaks were lost: a form of a web page or a chat put them into one line. */

const DESCRIBED = `Name: web-0 Namespace: prod Priority: 0 Node: node-7/10.0.0.7 Start Time: Fri, 20 Nov 2026 21:00:00 +0000 Labels: app=web Status: Running IP: 10.2.1.4 Init Containers: setup: Container ID: containerd://${ID.replace('b', 'a')} Image: setup:1 Host Port: <none> State: Terminated Reason: Completed Exit Code: 0 Started: Fri, 20 Nov 2026 21:00:01 +0000 Finished: Fri, 20 Nov 2026 21:00:02 +0000 Ready: True Restart Count: 0 Containers: web: Container ID: containerd://${ID} Image: web:1 Port: <none> State: Running Started: Fri, 20 Nov 2026 21:31:00 +0000 Last State: Terminated Reason: Error Exit Code: 137 Started: Fri, 20 Nov 2026 21:21:00 +0000 Finished: Fri, 20 Nov 2026 21:30:40 +0000 Ready: True Restart Count: 1 Limits: memory: 1Gi Liveness: http-get http://:8080/healthz delay=30s timeout=1s period=10s #success=1 #failure=3 Events: Type Reason Age From Message ---- ------ ---- ---- ------- Warning Unhealthy 2m (x3 over 3m) kubelet Liveness probe failed: HTTP probe failed with statuscode: 500 Normal Killing 2m kubelet Container web failed liveness probe, will be restarted Normal Pulled 90s kubelet Container image "web:1" already present on machine\n`;
const EVICTED =
  'Status: Failed Reason: Evicted Message: The node was low on resource: memory. Container web was using 9402820Ki, which exceeds its request of 7G. IP: 10.2.3.4 Containers: web: Image: web:1 Port: 80/TCP\n';
const EVENTS =
  'LAST SEEN TYPE REASON OBJECT MESSAGE 3m Warning Unhealthy pod/api-0 Liveness probe failed: HTTP probe failed with statuscode: 500 2m Normal Killing pod/api-0 Container api failed liveness probe, will be restarted 1m Normal Started pod/api-0 Started container api\n';
const STATE =
  'State: Waiting Reason: CrashLoopBackOff Last State: Terminated Reason: OOMKilled Exit Code: 137 Started: Mon, 29 Jan 2024 10:30:00 -0500 Finished: Mon, 29 Jan 2024 10:30:15 -0500 Ready: False Restart Count: 4\n';

const report = (...seconds: readonly string[]): string =>
  ['eater invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=978', ...OOM]
    .map((text, index) => `[Fri Nov 20 21:${seconds[index] ?? ''} 2026] ${text}`)
    .join(' ');

describe('a text whose line breaks were lost', () => {
  it.each([
    ['describe', DESCRIBED, 'liveness-probe', 'web'],
    ['the head of describe', EVICTED, 'kubelet-eviction', 'web'],
    ['a table of events', EVENTS, 'liveness-probe', 'api'],
    ['the states of a container', STATE, 'unknown', undefined],
  ])('is read line by line: %s', async (_what, text, killer, container) => {
    const { deaths } = answer(await readTexts({ 'paste.txt': text }), { container });
    expect(deaths.map(({ attribution }) => attribution.killer)).toEqual([killer]);
    expect(deaths[0]?.container).toBe(container);
    expect(deaths[0]?.attribution.because.every(({ line }) => line === 1)).toBe(true);
  });

  it('is the report of one OOM kill', async () => {
    const { deaths } = answer(await readTexts({ 'dmesg.txt': report('53:58', '53:58', '53:59') }), {});
    expect(deaths).toMatchObject([{ attribution: { killer: 'memcg-oom' } }]);
  });

  it('is left as it is where it has lines of several minutes: all of them would have one time', async () => {
    const read = await readTexts({ 'dmesg.txt': report('53:58', '53:58', '57:59') });
    expect(read.observations.filter(({ kind }) => kind === 'kernel-killed')).toEqual([]);
  });

  it('is not a long line of the kubelet that quotes an event', () => {
    const line = `Nov 20 21:53:51 node-7 kubelet[812]: I1120 21:53:51.024375 812 event.go:294] "Event occurred" object="web/api-0" kind="Pod" type="Normal" reason="Killing" message="Container api failed liveness probe, will be restarted ${'x'.repeat(200)}"`;
    expect(unflatten(line)).toEqual([line]);
  });
});
