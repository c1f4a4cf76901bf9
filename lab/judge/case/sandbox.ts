import { containerIdIn, isOfPods } from '../../model/evidence/cgroup-path.ts';
import type { PodSeen, ProcessExited, ProcessSeen, SignalSent } from '../../model/evidence/observation.ts';
import type { EvidenceIndex, Process } from '../records/evidence-index.ts';
import { NEVER_ASKED } from './asked-times.ts';
import { findRuntimeCgroups, senderOf, type SenderKind } from './senders.ts';
import { LATE_MS } from '../records/tolerances.ts';
import { isAfter, isAtMost, shift } from '../records/times.ts';

/** The process that holds a pod's namespaces: pause, or the sandbox of another runtime. */
export interface Sandbox {
  readonly init: ProcessSeen;
  readonly exit: ProcessExited | undefined;
  /** The signal that ended it; undefined while it lives, and when no signal was seen. */
  readonly killingSignal: { readonly sent: SignalSent; readonly sender: SenderKind } | undefined;
}

/** The pod whose sandbox is wanted. */
interface Owner {
  readonly pod: PodSeen;
  readonly uids: readonly string[];
  /** The first process of the judged container. The sandbox lived in the same boot. */
  readonly init: ProcessSeen | undefined;
}

/**
 * Finds the pod's first sandbox. The runtime's journal names it. Else it is the oldest process in those cgroups of the
 * pod with an id that no container of the pod has (init, main or ephemeral): the runtime makes the sandbox before all
 * of them. When the runtime made several sandboxes, it is the first.
 */
export function findSandbox(
  index: EvidenceIndex,
  versions: readonly PodSeen[],
  { pod, uids, init }: Owner,
): Sandbox | undefined {
  const own = versions.filter((version) => version.uid === pod.uid);
  const idIn = (cgroup: string): string => containerIdIn(cgroup, uids);
  const made = index.of('sandbox-created').filter((sandbox) => uids.includes(sandbox.podUid));
  const containerIds = new Set([
    ...own.flatMap((version) => version.containers.flatMap((view) => [view.id, view.last?.id ?? ''])),
    ...index
      .of('runtime-created')
      .flatMap((created) => (uids.includes(created.podUid) ? [created.containerId] : [])),
    // The API may never have heard of the judged container.
    idIn(init?.cgroup ?? ''),
  ]);
  const isSandbox = (id: string): boolean =>
    made.length > 0 ? made.some((sandbox) => sandbox.sandboxId === id) : !containerIds.has(id);
  const processes = index.processes.filter(
    ({ first }) =>
      isOfPods(first.cgroup, uids) &&
      idIn(first.cgroup) !== '' &&
      isSandbox(idIn(first.cgroup)) &&
      (init === undefined || first.boot === init.boot),
  );
  // The stages of these runtimes end as soon as they have made the sandbox.
  const first =
    processes.find((process) => process.first.nsPid === 1) ??
    processes.find((process) => !/^(?:runc|crun|youki)(?::|$)/.test(process.first.comm));
  // A younger process than the container's belongs to a later sandbox, or to a container.
  if (first === undefined || (made.length === 0 && isYounger(first, init))) return undefined;
  const id = idIn(first.first.cgroup);
  const inside = processes
    .filter((process) => idIn(process.first.cgroup) === id)
    .map((process) => process.first);
  return { init: first.latest, exit: first.exit, killingSignal: findKill(index, inside, first, id) };
}

function isYounger(process: Process, init: ProcessSeen | undefined): boolean {
  const starts = [process.first.start, init?.start].map(Number);
  const [own = Number.NaN, other = Number.NaN] = starts;
  if (Number.isFinite(own) && Number.isFinite(other) && own !== other) return own > other;
  return isAfter(process.from, shift(init?.at, LATE_MS), { unknown: 'does not' });
}

/** The last signal before its end; undefined without one. */
function findKill(
  index: EvidenceIndex,
  processes: readonly ProcessSeen[],
  first: Process,
  containerId: string,
): Sandbox['killingSignal'] {
  const endedAt = first.exit?.at;
  if (endedAt === undefined) return undefined;
  const context = {
    index,
    init: first,
    containerId,
    processes,
    asked: NEVER_ASKED,
    runtimeCgroups: findRuntimeCgroups(index, first.boot),
  };
  const sent = index
    .signalsTo(first)
    .findLast((signal) => isAtMost(signal.at, endedAt + LATE_MS, { unknown: 'counts' }));
  return sent && { sent, sender: senderOf(sent, context) };
}
