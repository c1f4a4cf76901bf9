import { describe, expect, it } from 'vitest';
import { judgeDeath, type DeathAnswer } from '../../../../lab/judge/autopsy/judge-death.ts';
import { readTexts } from '../../evidence/bundle/read-texts.ts';

const UID = '11fb4b18-3dc9-4db2-a842-e464f797527a';
const ID = 'b945dc1684880b1c8cb1ed0ae5d4aa43b05b77b572580ae5ba54e370abdc3623';

async function answerTo(
  files: Readonly<Record<string, string>>,
  asked: Parameters<typeof judgeDeath>[1] = {},
  timezone?: string,
): Promise<DeathAnswer> {
  const { observations } = await readTexts(files, { timezone });
  const answer = judgeDeath(observations, asked);
  if (answer.kind !== 'answer') throw new Error(answer.says);
  return answer;
}

describe('a death without an id', () => {
  /** A pod as somebody shortened it: two ends of one container, and no ids. */
  const SHORTENED = `apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: default
  uid: ${UID}
  deletionTimestamp: '2025-01-01T00:11:00Z'
  deletionGracePeriodSeconds: 30
spec: { nodeName: node-1, containers: [{ name: web, image: web }] }
status:
  phase: Running
  containerStatuses:
    - name: web
      restartCount: 1
      lastState: { terminated: { exitCode: 137, reason: OOMKilled, startedAt: '2025-01-01T00:00:00Z', finishedAt: '2025-01-01T00:05:31Z' } }
      state: { terminated: { exitCode: 143, reason: Error, startedAt: '2025-01-01T00:05:32Z', finishedAt: '2025-01-01T00:10:33Z' } }
`;

  it('is the newest end of its container, and what was asked for before that is not of another time', async () => {
    const { attribution } = await answerTo({ 'pod.yaml': SHORTENED }, { pod: 'web', container: 'web' });
    const { excluded = [], open = [] } = attribution;
    expect(excluded.map(({ what }) => what)).not.toContain('a deletion of the pod');
    expect(open.find(({ what }) => what === 'a deletion of the pod')?.why).toBe(
      'it was asked for before the end, and nobody saw what ended the first process',
    );
  });
});

describe('a pod whose status says Evicted', () => {
  const evicted = (message: string): string => `apiVersion: v1
kind: Pod
metadata: { name: web, namespace: default, uid: ${UID}, creationTimestamp: '2025-01-01T00:00:00Z' }
spec: { nodeName: node-1, containers: [{ name: web, image: web }] }
status:
  phase: Failed
  reason: Evicted
  message: '${message}'
  containerStatuses:
    - name: web
      containerID: containerd://${ID}
      restartCount: 0
      state: { terminated: { containerID: 'containerd://${ID}', exitCode: 137, reason: Error, startedAt: '2025-01-01T00:00:03Z', finishedAt: '2025-01-01T02:00:00Z' } }
`;

  it.each([
    'The node was low on resource: memory. Threshold quantity: 100Mi, available: 95Mi. ',
    'Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ',
    'Container web exceeded its local ephemeral storage limit "1Gi". ',
    'Usage of EmptyDir volume "tmp" exceeds the limit "1Gi". ',
  ])('was evicted by its kubelet, in its words: %s', async (message) => {
    const { attribution } = await answerTo({ 'pod.yaml': evicted(message) });
    expect(attribution.killer).toBe('kubelet-eviction');
  });

  it.each([
    'Pod was rejected: The node had condition: [DiskPressure]. ',
    'Pod The node had condition: [DiskPressure]. ',
    'Evicted by the rebalancer: a spot node is taken back',
  ])('was not, or nobody knows, in other words: %s', async (message) => {
    const { attribution } = await answerTo({ 'pod.yaml': evicted(message) });
    expect(attribution.killer).toBe('unknown');
    expect(attribution.excluded?.map(({ what }) => what)).not.toContain('an eviction by the kubelet');
  });
});

/** What `kubectl describe` prints of a pod whose container ended at 14:18:02 UTC. */
const described = ({
  reason = 'Error',
  qos = 'Burstable',
  restarts = 1,
} = {}): string => `Name:             web-0
Namespace:        prod
Node:             node-1/10.0.0.11
Start Time:       Tue, 11 Mar 2025 14:00:03 +0000
Status:           Running
Containers:
  web:
    Container ID:   containerd://${'1'.repeat(64)}
    Image:          web
    State:          Running
      Started:      Tue, 11 Mar 2025 14:18:05 +0000
    Last State:     Terminated
      Reason:       ${reason}
      Exit Code:    137
      Started:      Tue, 11 Mar 2025 14:00:03 +0000
      Finished:     Tue, 11 Mar 2025 14:18:02 +0000
    Ready:          True
    Restart Count:  ${restarts}
QoS Class:        ${qos}
`;

describe('an event of an earlier pod of the same name', () => {
  const KILLED =
    'Normal   Killing            pod/web-0   Container web failed liveness probe, will be restarted';
  const table = (...rows: string[]): string =>
    ['LAST SEEN   TYPE     REASON             OBJECT      MESSAGE', ...rows].join('\n');

  it.each([
    'Normal   Scheduled          pod/web-0   Successfully assigned prod/web-0 to node-1',
    'Normal   SuccessfulCreate   statefulset/web   create Pod web-0 in StatefulSet web successful',
  ])('is not about this end: %s', async (birth) => {
    const events = table(`53m         ${KILLED}`, `20m         ${birth}`);
    const { attribution } = await answerTo({ 'pod.txt': described(), 'events.txt': events });
    expect(attribution.killer).toBe('unknown');
  });

  it('is one where the pod was scheduled before', async () => {
    const events = table(
      `2m          ${KILLED}`,
      '20m         Normal   Scheduled          pod/web-0   Successfully assigned prod/web-0 to node-1',
    );
    const { attribution } = await answerTo({ 'pod.txt': described(), 'events.txt': events });
    expect(attribution.killer).toBe('liveness-probe');
  });
});

describe('an OOM kill that only its time joins to a pod', () => {
  const DOUBT = /^only the time tells that the lines of the kernel are of this pod/;
  const ASKED = { pod: 'prod/web-0', container: 'web' };
  const kill = (time: string, { uid = UID, id = ID, pid = 4242 } = {}): string => {
    const pod = `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${uid.replaceAll('-', '_')}.slice`;
    const scope = `cri-containerd-${id}.scope`;
    return [
      `[${time}] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=${scope},mems_allowed=0,oom_memcg=${pod}/${scope},task_memcg=${pod}/${scope},task=web,pid=${pid},uid=0`,
      `[${time}] Memory cgroup out of memory: Killed process ${pid} (web) total-vm:1370852kB, anon-rss:127556kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:336kB oom_score_adj:968`,
    ].join('\n');
  };
  const judge = async (
    log: string,
    text: string = described({ reason: 'OOMKilled' }),
    timezone?: string,
  ): Promise<DeathAnswer['attribution']> =>
    (await answerTo({ 'pod.txt': text, 'dmesg.txt': log }, ASKED, timezone)).attribution;

  it.each(['Tue Mar 11 14:18:01 2025', 'Tue Mar 11 15:18:01 2025', 'Tue Mar 11 19:48:01 2025'])(
    'names it, with that doubt, in a zone that is in use: %s',
    async (time) => {
      const { killer, doubts = [] } = await judge(kill(time));
      expect(killer).toBe('memcg-oom');
      expect(doubts.filter((doubt) => DOUBT.test(doubt))).toHaveLength(1);
    },
  );

  it('does not name it in a zone that nobody uses', async () => {
    expect((await judge(kill('Tue Mar 11 10:03:01 2025'))).killer).toBe('unknown');
  });

  it('does not name it where the zone is known to be another one', async () => {
    const told = described({ reason: 'OOMKilled' });
    expect((await judge(kill('Tue Mar 11 15:18:01 2025'), told, 'UTC')).killer).toBe('unknown');
    expect((await judge(kill('Tue Mar 11 15:18:01 2025'), told, '+01:00')).killer).toBe('memcg-oom');
  });

  it('does not name it where the pod is of another class', async () => {
    const guaranteed = described({ reason: 'OOMKilled', qos: 'Guaranteed' });
    expect((await judge(kill('Tue Mar 11 14:18:01 2025'), guaranteed)).killer).toBe('unknown');
  });

  it('does not name it where more containers of that pod were killed than this one has had', async () => {
    const kills = ['a', 'b', 'c'].map((letter, index) =>
      kill(`Tue Mar 11 0${index}:05:17 2025`, { id: letter.repeat(64), pid: 100 + index }),
    );
    expect((await judge([...kills, kill('Tue Mar 11 14:18:01 2025')].join('\n'))).killer).toBe('unknown');
  });

  it('does not name it where another pod was killed at such a time in another zone', async () => {
    const other = kill('Tue Mar 11 09:18:00 2025', { uid: UID.replaceAll('1', '2'), id: 'c'.repeat(64) });
    expect((await judge([other, kill('Tue Mar 11 14:18:01 2025')].join('\n'))).killer).toBe('unknown');
  });
});

describe('a part of a pod without a name', () => {
  const PART = `Containers:
  redis:
    State:          Running
      Started:      Tue, 11 Mar 2025 14:18:05 +0000
    Last State:     Terminated
      Reason:       Error
      Exit Code:    137
      Started:      Tue, 11 Mar 2025 14:00:03 +0000
      Finished:     Tue, 11 Mar 2025 14:18:02 +0000
    Ready:          True
    Restart Count:  1
`;
  const stopped = (pod: string, container: string): string =>
    `2025-03-11T14:18:01.603001+00:00 node-1 kubelet[1402]: I0311 14:18:01.603001    1402 kuberuntime_container.go:808] "Killing container with a grace period" pod="prod/${pod}" podUID="${UID}" containerName="${container}" containerID="containerd://${ID}" gracePeriod=30`;
  const podsOf = async (log: string): Promise<string[]> => {
    const { observations } = await readTexts({ 'part.txt': PART, 'node.log': log });
    return observations.flatMap((seen) => (seen.kind === 'pod-seen' ? [seen.name] : []));
  };

  it('is of the only pod that has one, if its containers may be', async () => {
    expect(await podsOf(stopped('cache-0', 'redis'))).toEqual(['cache-0']);
    expect(await podsOf(stopped('redis-0', 'server'))).toEqual(['redis-0']);
  });

  it('is not of a pod whose containers have other names', async () => {
    expect(await podsOf(stopped('grafana-0', 'grafana'))).not.toContain('grafana-0');
  });
});
