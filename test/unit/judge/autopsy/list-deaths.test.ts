import { describe, expect, it } from 'vitest';
import { parseContainerd } from '../../../../lab/evidence/containerd.ts';
import { parseKmsg } from '../../../../lab/evidence/kmsg.ts';
import { parseKubelet } from '../../../../lab/evidence/kubelet.ts';
import { judgeDeath } from '../../../../lab/judge/autopsy/judge-death.ts';
import { openInput } from '../../../../lab/judge/autopsy/open-input.ts';
import type { Observation } from '../../../../lab/model/evidence/observation.ts';

const UID = '11fb4b18-3dc9-4db2-a842-e464f797527a';
const SLICE = UID.replaceAll('-', '_');
const STATIC = '03ecf89cff1cac157a5c7ee168255b07';
const ID = 'a'.repeat(64);
const KIND = `/docker/${'d'.repeat(64)}`;

/** One line of a journal as journalctl prints it in JSON. */
const entry = (seconds: number, message: string, comm: string): string =>
  JSON.stringify({
    __REALTIME_TIMESTAMP: String((1_795_000_000 + seconds) * 1e6),
    MESSAGE: message,
    _COMM: comm,
  });

const containerd = (node: string, ...lines: (readonly [seconds: number, text: string])[]): Observation[] =>
  parseContainerd(
    lines
      .map(([seconds, text]) => entry(seconds, `level=info msg=${JSON.stringify(text)}`, 'containerd'))
      .join('\n'),
    `${node}/containerd.jsonl`,
  );

/** What containerd writes of a pod and of one container of it, from start to end. */
function life(
  node: string,
  {
    uid,
    pod,
    container,
    id,
    attempt = 0,
    from = 0,
    code = 137,
  }: {
    uid: string;
    pod: string;
    container: string;
    id: string;
    attempt?: number;
    from?: number;
    code?: number;
  },
): Observation[] {
  const sandbox = `${uid.slice(0, 2)}${'5'.repeat(62)}`;
  return containerd(
    node,
    [
      from,
      `RunPodSandbox for &PodSandboxMetadata{Name:${pod},Uid:${uid},Namespace:web,Attempt:0,} returns sandbox id "${sandbox}"`,
    ],
    [
      from + 1,
      `CreateContainer within sandbox "${sandbox}" for &ContainerMetadata{Name:${container},Attempt:${attempt},} returns container id "${id}"`,
    ],
    [from + 2, `StartContainer for "${id}" returns successfully`],
    [from + 9, `TaskExit event &TaskExit{ContainerID:${id},ID:${id},Pid:77,ExitStatus:${code},ExitedAt:x,}`],
  );
}

const kubelet = (node: string, seconds: number, text: string): Observation[] =>
  parseKubelet(entry(seconds, text, 'kubelet'), `${node}/kubelet.jsonl`);

const sorted = (...all: Observation[][]): Observation[] =>
  all.flat().sort((a, b) => (a.at ?? Number.NEGATIVE_INFINITY) - (b.at ?? Number.NEGATIVE_INFINITY));

const API = { uid: UID, pod: 'api', container: 'server', id: ID };

describe('a death is known from the node alone', () => {
  it.each([
    [
      'systemd',
      `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${SLICE}.slice/cri-containerd-${ID}.scope`,
      UID,
    ],
    ['cgroupfs', `/kubepods/burstable/pod${UID}/${ID}`, UID],
    [
      'drivers that disagree',
      `/system.slice/containerd.service/kubepods-burstable-pod${SLICE}.slice:cri-containerd:${ID}`,
      UID,
    ],
    ['CRI-O', `/kubepods.slice/kubepods-pod${SLICE}.slice/crio-${ID}.scope/container`, UID],
    [
      'docker',
      `/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod${SLICE}.slice/docker-${ID}.scope`,
      UID,
    ],
    ['k3s', `/k3s/kubepods/besteffort/pod${UID}/${ID}`, UID],
    ['kind in docker', `${KIND}/kubelet/kubepods/burstable/pod${UID}/${ID}`, UID],
    [
      'a static pod',
      `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${STATIC}.slice/cri-containerd-${ID}.scope`,
      STATIC,
    ],
  ])('by the cgroup of %s in the line of the kernel', (_, cgroup, uid) => {
    const text = `4,1,100,-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,mems_allowed=0,oom_memcg=${cgroup},task_memcg=${cgroup},task=eater,pid=77,uid=0
3,2,101,-;Memory cgroup out of memory: Killed process 77 (eater) total-vm:1kB, anon-rss:1kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:1kB oom_score_adj:978
`;
    const seen = parseKmsg(text, 'node-1/kmsg.log', undefined, {
      from: undefined,
      end: undefined,
      endedBetween: undefined,
    });
    expect(openInput(seen).deaths).toMatchObject([
      { podUid: uid, containerId: ID, what: 'process', node: 'node-1' },
    ]);
  });

  it("by containerd's lines: pod, container and attempt", () => {
    expect(openInput(life('node-1', { ...API, attempt: 3 })).deaths).toMatchObject([
      { namespace: 'web', pod: 'api', container: 'server', attempt: 3, exitCode: 137, what: 'container' },
    ]);
  });

  it("by the kubelet's words where containerd's log begins too late", () => {
    const seen = sorted(
      kubelet(
        'node-1',
        3,
        `I1101 "Killing container with a grace period" pod="web/api" podUID="${UID}" containerName="server" containerID="containerd://${ID}" gracePeriod=30`,
      ),
      kubelet(
        'node-1',
        9,
        `I1101 "Generic (PLEG): container finished" podID="${UID}" containerID="${ID}" exitCode=143`,
      ),
    );
    expect(openInput(seen).deaths).toMatchObject([
      { namespace: 'web', pod: 'api', container: 'server', exitCode: 143 },
    ]);
  });

  it('newest first, and never of a sandbox', () => {
    const seen = sorted(
      life('node-1', API),
      life('node-1', { ...API, id: 'b'.repeat(64), attempt: 1, from: 20 }),
      containerd('node-1', [
        40,
        `TaskExit event &TaskExit{ContainerID:11${'5'.repeat(62)},ID:11${'5'.repeat(62)},Pid:7,ExitStatus:0,}`,
      ]),
    );
    expect(openInput(seen).deaths.map(({ attempt }) => attempt)).toEqual([1, 0]);
  });
});

describe('a question that fits no death, or several, is answered by what is known', () => {
  const twice = sorted(
    life('node-1', API),
    life('node-1', { ...API, id: 'b'.repeat(64), attempt: 1, from: 20 }),
  );
  const OTHER_UID = '22fb4b18-3dc9-4db2-a842-e464f797527a';
  const namesakes = sorted(
    life('node-1', API),
    life('node-1', { ...API, uid: OTHER_UID, id: 'b'.repeat(64), from: 20 }),
  );

  it.each([
    ['no such pod', twice, { pod: 'web/nobody' }, { kind: 'no-such-pod', known: ['web/api'] }],
    [
      'several deaths',
      twice,
      { pod: 'web/api' },
      { kind: 'several-deaths', says: '2 deaths fit: ask for one of them' },
    ],
    ['several deaths, no pod asked', twice, {}, { kind: 'several-deaths' }],
    [
      'no such attempt',
      twice,
      { pod: 'web/api', container: 'server', attempt: 7 },
      { kind: 'no-such-attempt' },
    ],
    [
      'no such container',
      twice,
      { pod: 'web/api', container: 'proxy' },
      { kind: 'no-such-container', known: ['server'] },
    ],
    ['two pods of that name', namesakes, { pod: 'web/api' }, { kind: 'several-pods' }],
    ['another node', twice, { pod: 'web/api', node: 'node-2' }, { kind: 'no-such-pod' }],
    ['nothing at all', [], {}, { kind: 'no-deaths' }],
  ] as const)('%s', (_, seen, asked, problem) => {
    expect(judgeDeath(seen, asked)).toMatchObject(problem);
  });

  it.each([
    ['by attempt', twice, { pod: 'web/api', attempt: 1 }],
    ['by the beginning of its id', twice, { pod: 'api', container: 'b'.repeat(12) }],
    ['by uid', namesakes, { pod: OTHER_UID }],
  ] as const)('and one of them is found %s', (_, seen, asked) => {
    expect(judgeDeath(seen, asked)).toMatchObject({ kind: 'answer', death: { containerId: 'b'.repeat(64) } });
  });

  it('a pod of a node that the input has no records of', () => {
    const pod: Observation = {
      kind: 'pod-seen',
      at: 1_795_000_000_000,
      ref: { source: 'pod', at: '', file: 'pods.jsonl', text: '' },
      node: 'node-2',
      boot: ' 1',
      type: 'MODIFIED',
      namespace: 'web',
      name: 'far',
      uid: OTHER_UID,
      createdAt: undefined,
      labels: {},
      phase: 'Running',
      reason: undefined,
      message: undefined,
      deletionAt: undefined,
      disruption: undefined,
      containers: [],
    };
    expect(judgeDeath([pod, ...twice], { pod: 'web/far', container: 'server' })).toMatchObject({
      kind: 'another-node',
      known: ['node-1'],
    });
  });
});

describe('what a node alone cannot tell', () => {
  it('is unknown: exit 137 without any record of a kill', () => {
    const answer = judgeDeath(life('node-1', API));
    expect(answer).toMatchObject({
      kind: 'answer',
      attribution: { killer: 'unknown', confidence: 'none' },
      profile: 'logs',
    });
  });
});
