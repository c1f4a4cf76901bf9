import type { Observation } from '../../model/evidence/observation.ts';

/** Kinds that a line of a log gives: the same line may be in several files. */
const OF_LINES: ReadonlySet<Observation['kind']> = new Set<Observation['kind']>([
  'kernel-oom-context',
  'kernel-killed',
  'kernel-group-kill',
  'kernel-reaped',
  'kernel-said',
  'kubelet-said',
  'system-said',
  'sandbox-created',
  'runtime-created',
  'runtime-record',
  'runtime-restarted',
  'runtime-oom',
  'runtime-exit',
  'runtime-gone',
  'runtime-cut-off',
  'runtime-stop',
  'runtime-start',
  'pod-seen',
  'kube-event',
  'node-seen',
]);

/**
 * Puts the observations of several files together, each once: the same line in two files is one thing that happened. A line that
 * one file has twice happened twice.
 *
 * @param lists the best file first: of twins the first one stays.
 */
export function mergeTwins(lists: readonly (readonly Observation[])[]): Observation[] {
  const most = new Map<string, number>();
  const merged: Observation[] = [];
  const hasTwins = findRepeated(lists);
  for (const list of lists) {
    const own = new Map<string, number>();
    for (const observation of list) {
      if (!OF_LINES.has(observation.kind) || !hasTwins(observation)) {
        merged.push(observation);
        continue;
      }
      const key = keyOf(observation);
      const count = (own.get(key) ?? 0) + 1;
      own.set(key, count);
      if (count > (most.get(key) ?? 0)) merged.push(observation);
    }
    for (const [key, count] of own) most.set(key, Math.max(count, most.get(key) ?? 0));
  }
  return merged;
}

/** Tells whether more than one file has observations of that kind and node: else there is no twin to look for. */
function findRepeated(lists: readonly (readonly Observation[])[]): (observation: Observation) => boolean {
  const filesOf = new Map<Observation['kind'], Map<string | undefined, number>>();
  const countOf = ({ kind, node }: Observation): number => filesOf.get(kind)?.get(nodeOf(kind, node)) ?? 0;
  for (const list of lists) {
    const own = new Map<Observation['kind'], Set<string | undefined>>();
    for (const { kind, node } of list) own.set(kind, (own.get(kind) ?? new Set()).add(nodeOf(kind, node)));
    for (const [kind, nodes] of own) {
      const counts = filesOf.get(kind) ?? new Map<string | undefined, number>();
      filesOf.set(kind, counts);
      for (const node of nodes) counts.set(node, (counts.get(node) ?? 0) + 1);
    }
  }
  return (observation) => countOf(observation) > 1;
}

/** The node by which records of a kind are told apart: the API has one list for all of them. */
function nodeOf(kind: Observation['kind'], node: string | undefined): string | undefined {
  return kind === 'pod-seen' || kind === 'kube-event' ? undefined : (node ?? '');
}

function keyOf(observation: Observation): string {
  const { kind, ref, node } = observation;
  if (kind === 'pod-seen') {
    const { uid, type, at, phase } = observation;
    return `${kind} ${uid} ${type} ${phase} ${uid === '' ? (node ?? '') : ''} ${at ?? ''} ${ref.text}`;
  }
  if (kind === 'kube-event') return `${kind} ${ref.at} ${observation.objectName} ${ref.text}`;
  // Containers that ended with the same code are as many ends.
  if (kind === 'runtime-record') return `${kind} ${node ?? ''} ${observation.containerId} ${ref.text}`;
  return `${kind} ${node ?? ''} ${ref.text}`;
}
