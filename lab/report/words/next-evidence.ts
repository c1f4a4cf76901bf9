import { groupBy } from '../../model/text/group-by.ts';
import { shellWord } from '../../model/text/shell.ts';
import type { OpenCause } from '../../model/saved/formats.ts';
import type { AutopsyDeath } from '../../model/saved/autopsy.ts';

/** A kind of evidence: the command that gets it from a node or the API, and how long it is available. */
interface Source {
  /** Matches the texts with which the judge asks for it. */
  readonly wanted: RegExp;
  /** Absent when nothing can get it after the death. */
  readonly command?: (about: DeathPlace) => string;
  readonly stillThere: string;
}

/** Where a death was, as far as it is known. */
interface DeathPlace {
  readonly namespace: string | undefined;
  readonly pod: string | undefined;
  readonly container?: string | undefined;
  readonly node?: string | undefined;
}

const NEVER = 'no: nothing keeps it. Record it before the next death';
const IN_JOURNAL = 'until the journal of the node is vacuumed';
const podOf = ({ namespace, pod }: DeathPlace): string =>
  `${shellWord(pod ?? 'POD')}${namespace === undefined ? '' : ` -n ${shellWord(namespace)}`}`;

/** Returns the node as a word of a shell. If no record names it, kubectl asks the pod, which works until it is deleted. */
const nodeOf = (where: DeathPlace): string =>
  where.node !== undefined
    ? shellWord(where.node)
    : where.pod === undefined
      ? 'NODE'
      : `"$(kubectl get pod ${podOf(where)} -o jsonpath='{.spec.nodeName}')"`;
const onNode =
  (words: string, file: string) =>
  (where: DeathPlace): string =>
    `ssh ${nodeOf(where)} ${words} > ${file}`;
const JOURNAL_OF_KUBELET = onNode('journalctl -u kubelet -o short-iso-precise', 'kubelet.log');
const KERNEL_LOG = onNode('journalctl -k -b all -o short-precise', 'kernel.log');
const VMSTAT = onNode('cat /proc/vmstat', 'vmstat');

/** The kinds of evidence. The first one that matches is used. */
const SOURCES: readonly Source[] = [
  {
    wanted: /OOM controller of Talos/,
    command: (where) => `talosctl -n ${nodeOf(where)} get oomactions -o yaml > oomactions.yaml`,
    stillThere: 'until the node reboots',
  },
  { wanted: /trace|witness/, stillThere: NEVER },
  {
    wanted: /kernel log|dmesg|audit records/,
    command: (where) => `${KERNEL_LOG(where)}; ${VMSTAT(where)}`,
    stillThere: `${IN_JOURNAL}; in dmesg until the node reboots or newer lines push it out`,
  },
  {
    wanted: /pids\.events|memory\.events|cgroup/,
    command: onNode(
      `"find /sys/fs/cgroup -path '*kubepods*' -name '*.events' -print0 | tar -cz --null -T -"`,
      'cgroup.tar.gz',
    ),
    stillThere: 'until the pod is deleted from its node',
  },
  {
    wanted: /events? /,
    command: (where) =>
      `kubectl get events${where.namespace === undefined ? '' : ` -n ${shellWord(where.namespace)}`}${where.pod === undefined ? '' : ` --field-selector involvedObject.name=${shellWord(where.pod)}`} -o yaml > events.yaml; ${JOURNAL_OF_KUBELET(where)}`,
    stillThere: `events for an hour, unless the cluster keeps them longer; the log ${IN_JOURNAL}`,
  },
  {
    wanted: /kubelet/,
    command: JOURNAL_OF_KUBELET,
    stillThere: IN_JOURNAL,
  },
  {
    wanted: /runtime/,
    command: onNode('journalctl -u containerd -u crio -u docker -o short-iso-precise', 'runtime.log'),
    stillThere: IN_JOURNAL,
  },
  {
    wanted: /boot id/,
    command: onNode('journalctl -b all -u kubelet -o json', 'kubelet.json'),
    stillThere: IN_JOURNAL,
  },
  {
    wanted: /journal/,
    command: onNode('journalctl -o short-precise', 'journal.log'),
    stillThere: IN_JOURNAL,
  },
  {
    wanted: /API|pod /,
    command: (where) => `kubectl get pod ${podOf(where)} -o yaml > pod.yaml`,
    stillThere: 'until its next restart overwrites it, or it is deleted',
  },
  {
    wanted: /log of the program|program itself/,
    command: (where) =>
      `kubectl logs --previous ${podOf(where)}${where.container === undefined ? '' : ` -c ${shellWord(where.container)}`}`,
    stillThere: 'until the next restart',
  },
];

/** Returns the kind of evidence that the judge asks for; undefined when the table has none. */
export function findSource(wanted: string): Source | undefined {
  return SOURCES.find((source) => source.wanted.test(wanted));
}

/** Lists the evidence that would decide about the killers that are not excluded, each piece once. */
export function listNext(open: readonly OpenCause[], where: DeathPlace): AutopsyDeath['next'] {
  return [...groupBy(open, ({ wanted }) => wanted)].map(([would, causes]) => {
    const source = findSource(would);
    const command = source?.command?.(where);
    return {
      would,
      decides: causes.map(({ what }) => what),
      ...(command === undefined ? {} : { command }),
      stillThere: source?.stillThere ?? 'not known',
    };
  });
}

/** The evidence that one command gets. */
interface NextSource {
  /** Each piece of evidence with what it decides: `the kernel log: decides an OOM kill`. */
  readonly tells: readonly string[];
  readonly command: string | undefined;
  readonly stillThere: string;
}

/** Groups evidence by the command that gets it. */
export function groupNext(next: AutopsyDeath['next']): NextSource[] {
  return [...groupBy(next, ({ command, would }) => command ?? would).values()].map((rows) => ({
    tells: rows.map(({ would, decides }) => `${would}: decides ${decides.join(', ')}`),
    command: rows[0]?.command,
    stillThere: rows[0]?.stillThere ?? '',
  }));
}
