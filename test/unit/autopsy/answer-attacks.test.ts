import { describe, expect, it } from 'vitest';
import { answer, type AutopsyQuestion } from '../../../lab/autopsy/answer.ts';
import { UsageError } from '../../../lab/model/errors/errors.ts';
import type { Killer } from '../../../lab/model/killers/killers.ts';
import {
  NEXT_ID,
  OTHER_SCOPE,
  SCOPE,
  SIDE_ID,
  crictlPart,
  dmesg,
  dmesgT,
  dockerState,
  endedPod,
  eventTable,
  fenced,
  podYaml,
  probeLines,
} from '../../fixtures/autopsy/attack-parts.ts';
import { readTexts } from '../evidence/bundle/read-texts.ts';

interface Attack {
  readonly what: string;
  readonly text: string;
  readonly question?: AutopsyQuestion;
  /** Who is named, as likely; nobody where it is left out, or the question is refused. */
  readonly killer?: Killer;
}

const API = { pod: 'web/api-0', container: 'api' };
const PREEMPTED = [
  '30s',
  'Preempted',
  'pod/api-0',
  'Preempted by pod 6fb1c1b1-0f1e-4b1d on node node-7',
] as const;
const STOPPED = ['30s', 'Killing', 'pod/api-0', 'Stopping container api'] as const;
const PROBED = [
  '9m',
  'Killing',
  'pod/api-0',
  'Container api failed liveness probe, will be restarted',
] as const;
const MARKED = ['61s', 'TaintManagerEviction', 'pod/api-0', 'Marking for deletion Pod web/api-0'] as const;
const SHUTDOWN = endedPod('Terminated', 'Pod was terminated in response to imminent node shutdown.');
const EVICTED = endedPod('Evicted', 'The node was low on resource: memory. ');
const OVERDUE = endedPod('DeadlineExceeded', 'Pod was active on the node longer than the specified deadline');
const side = (code: number): object => ({ name: 'side', id: SIDE_ID, code });
const done = { code: 0, reason: 'Completed', at: '18:10:00' };
const oomd = (cgroup: string): string =>
  `Nov 20 21:53:59 node-7 systemd-oomd[601]: Killed ${cgroup} due to memory pressure for /kubepods.slice being 71.62% > 60.00% for > 30s with reclaim activity`;
const eth0 = 'Nov 20 21:53:58 ip-10-0-0-7 kernel: device eth0 left promiscuous mode';
const WIDE = `LAST SEEN   TYPE      REASON      OBJECT      SUBOBJECT             SOURCE            MESSAGE                                                  FIRST SEEN   COUNT   NAME
2m10s       Normal    Killing     pod/api-0   spec.containers{api}  kubelet, node-7   Container api failed liveness probe, will be restarted   2m10s        1       api-0.18e9f2ed02aa11bb
100s        Normal    Started     pod/api-0   spec.containers{api}  kubelet, node-7   Started container api                                    62m          2       api-0.18e9f2ed03cc22dd`;

const NAMED: readonly Attack[] = [
  { what: 'a table with -o wide', text: WIDE, killer: 'liveness-probe' },
  { what: 'a preemption in a table', text: eventTable(PREEMPTED, STOPPED), killer: 'preemption' },
  {
    what: 'a taint in a table without namespaces',
    text: eventTable(MARKED, STOPPED),
    killer: 'api-deletion',
  },
  {
    what: 'a ReplicaSet that deletes a pod',
    text: eventTable(['30s', 'SuccessfulDelete', 'replicaset/api', 'Deleted pod: api-0'], STOPPED),
    killer: 'api-deletion',
  },
  {
    what: 'a Job that was active for too long: its controller deletes the pod',
    text: eventTable(
      ['2m', 'DeadlineExceeded', 'job/api', 'Job was active longer than specified deadline'],
      ['2m', 'SuccessfulDelete', 'job/api', 'Deleted pod: api-0'],
      STOPPED,
    ),
    killer: 'api-deletion',
  },
  {
    what: 'systemd-oomd names the cgroup of the container, and nobody dates it',
    text: fenced(podYaml(), oomd(SCOPE)),
    killer: 'systemd-oomd',
  },
  {
    what: 'the kubelet in k3s names the container, and nobody dates it',
    text: fenced(probeLines('host k3s[1234]'), podYaml()),
    killer: 'liveness-probe',
  },
  {
    what: 'the kubelet of OpenShift',
    text: fenced(
      probeLines('worker-0 kubenswrapper[2201]', { runtime: 'cri-o' }),
      podYaml().replaceAll('containerd://', 'cri-o://'),
    ),
    killer: 'liveness-probe',
  },
  {
    what: 'a part of crictl inspect, and dmesg -T',
    text: fenced(crictlPart(), dmesgT('21:53:59')),
    question: API,
    killer: 'memcg-oom',
  },
  {
    what: 'an eviction, and the log of a machine that nothing joins with the node of the pod',
    text: fenced(podYaml({ ends: [], status: EVICTED }), eth0),
    question: API,
    killer: 'kubelet-eviction',
  },
  {
    what: 'an eviction, and a kubelet that names the pod by its uid, on a machine of another name',
    text: fenced(
      podYaml({ ends: [], status: EVICTED }),
      `${eth0}\n${probeLines('ip-10-0-0-7 kubelet[857]').split('\n')[1] ?? ''}`,
    ),
    question: API,
    killer: 'kubelet-eviction',
  },
];

const UNNAMED: readonly Attack[] = [
  {
    what: 'a docker state that is not called OOMKilled, and a kill in another container two seconds before',
    text: fenced(dockerState(false), dmesgT('21:53:57', OTHER_SCOPE)),
  },
  {
    what: 'two taints: the later row took back the earlier one',
    text: eventTable(
      STOPPED,
      ['61s', MARKED[1], 'pod/api-0', 'Cancelling deletion of Pod web/api-0'],
      MARKED,
    ),
  },
  { what: 'a failed probe, and later a preemption', text: eventTable(PROBED, PREEMPTED, STOPPED) },
  {
    what: 'an eviction and a deletion, and nothing tells which was first',
    text: eventTable(
      ['40s', 'SuccessfulDelete', 'replicaset/api', 'Deleted pod: api-0'],
      ['30s', 'Evicted', 'pod/api-0', 'The node was low on resource: memory. '],
      STOPPED,
    ),
  },
  {
    what: 'a StatefulSet that deleted the former pod of that name',
    text: fenced(
      eventTable(
        ['9m', 'SuccessfulDelete', 'statefulset/api', 'delete Pod api-0 in StatefulSet api successful'],
        STOPPED,
      ),
      podYaml(),
    ),
  },
  {
    what: 'a failed probe, and a kill in the container that nobody dates',
    text: fenced(probeLines(), dmesg(), podYaml()),
  },
  {
    what: 'a failed probe of another attempt',
    text: fenced(probeLines(undefined, { id: NEXT_ID }), podYaml({ ends: [{}] })),
  },
  {
    what: 'systemd-oomd kills a cgroup that the container made',
    text: fenced(podYaml(), oomd(`${SCOPE}/init.scope/inner.scope`)),
  },
  {
    what: 'done three hours before its node went down',
    text: podYaml({ ends: [done, side(143)], status: SHUTDOWN }),
  },
  {
    what: 'ended by SIGTERM three hours before its node went down',
    text: podYaml({ ends: [{ code: 143, at: '18:10:00' }, side(143)], status: SHUTDOWN }),
  },
  {
    what: 'done three hours before its pod was evicted',
    text: podYaml({ ends: [done, side(137)], status: EVICTED }),
  },
  {
    what: 'done before the deadline of its pod',
    text: podYaml({ ends: [done, side(137)], status: OVERDUE }),
  },
  {
    what: 'an init container that had done before its pod was evicted',
    text: podYaml({
      inits: [{ ...done, name: 'init', id: SIDE_ID, at: '18:00:20' }],
      status: EVICTED,
      ends: [{}],
    }),
    question: { ...API, container: 'init' },
  },
];

async function ask({ text, question = {} }: Attack): Promise<readonly (readonly [Killer, string])[]> {
  try {
    const { deaths } = answer(await readTexts({ 'paste.md': text }), question);
    return deaths.map(({ attribution }) => [attribution.killer, attribution.confidence]);
  } catch (error) {
    if (error instanceof UsageError) return [];
    throw error;
  }
}

describe('a thread that was made to fool an autopsy', () => {
  it.each(NAMED)('names the killer: $what', async (attack) => {
    expect(await ask(attack)).toEqual([[attack.killer, 'likely']]);
  });

  it.each(UNNAMED)('names nobody: $what', async (attack) => {
    const said = await ask({ question: API, ...attack });
    expect(said.filter(([killer]) => killer !== 'unknown')).toEqual([]);
  });

  it.each([
    ['an eviction', EVICTED, 'kubelet-eviction'],
    ['a deadline', OVERDUE, 'deadline'],
    ['a shutdown of the node', SHUTDOWN, 'node-shutdown'],
  ])('names %s that ended both containers of a pod', async (_what, status, killer) => {
    const text = podYaml({ ends: [{ at: '21:53:31' }, side(137)], status });
    expect(await ask({ what: '', text, question: API })).toEqual([[killer, 'likely']]);
  });
});
