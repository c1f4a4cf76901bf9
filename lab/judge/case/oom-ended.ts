import { SI_KERNEL, SIGKILL } from '../../model/evidence/signals.ts';
import type {
  KernelGroupKill,
  KernelKilled,
  KernelOomContext,
  KernelReaped,
  OomVictim,
  SignalSent,
} from '../../model/evidence/observation.ts';
import { findStartedPid, type EvidenceIndex } from '../records/evidence-index.ts';
import { isAddedProcess } from '../records/added-process.ts';
import { EXIT_SANDBOX_LOST, EXIT_SIGKILL, EXIT_UNKNOWN } from '../records/exit-codes.ts';
import { SAME_NODE_MS } from '../../model/evidence/source-clocks.ts';
import { LATE_MS, SAME_OOM_MS } from '../records/tolerances.ts';
import { isAtMost, isNear } from '../records/times.ts';
import type { CounterRise } from './oom-counters.ts';
import { isKillNearEnd, isNearEnd, isOfSameOom, mayBeNearEnd, type Target } from './oom-target.ts';
import { ofContainer } from '../records/of-container.ts';

/** How a container ended by an OOM kill; undefined when it did not. */
export type OomEnd = 'first' | 'all' | 'after-child';

/** What was found before anybody asks whether the container ended by it. */
interface Found {
  readonly kill: KernelKilled | undefined;
  /** The kernel's line of a group kill that holds the first process. */
  readonly group: KernelGroupKill | undefined;
  readonly counter: CounterRise | undefined;
  readonly hints: readonly (KernelOomContext | OomVictim | KernelReaped)[];
}

/** Whether the container ended by the kill, and how. */
export function endedOf(
  index: EvidenceIndex,
  found: Found,
  target: Target,
  isFirst: boolean,
): OomEnd | undefined {
  const { kill, group } = found;
  const { endedAt, killingSignal, end, first } = target;
  if (endedAt === undefined) return undefined;
  if (isFirst) return 'first';
  if (kill === undefined) return endedWithoutLine(found, target);
  if (isOnlyKill(index, kill, target)) return 'first';
  if (group === undefined ? !isKillNearEnd(kill, target) : !mayBeNearEnd(kill, target)) return undefined;
  if (killingSignal?.hitInit === true) {
    // The kernel has other reasons for its SIGKILL: the end of a pid namespace, a limit of CPU time, a tracer.
    const sent = findKernelsKill(target);
    if (sent === undefined || !isOfKill(index, sent, kill, group !== undefined)) return undefined;
    return group === undefined ? 'first' : 'all';
  }
  if (group !== undefined && mayBeKilled(target)) return 'all';
  if (first === undefined) {
    // Nobody saw its processes: the exit code of SIGKILL must do, when nobody had asked for its stop.
    const codes = [undefined, EXIT_SIGKILL, ...(target.cgroups.sandboxed ? [EXIT_SANDBOX_LOST] : [])];
    return codes.includes(end?.exitCode) && !mayBeStopped(target) ? 'first' : undefined;
  }
  const isByItself = killingSignal !== undefined || first.exit !== undefined || !target.isAsked;
  const isBefore = isAtMost(kill.at, endedAt + SAME_NODE_MS, { unknown: 'counts' });
  if (!isByItself || !isBefore) return undefined;
  // A group kill spares a process with oom_score_adj -1000, which then has lost all others (oom_kill_memcg_member()).
  if (group !== undefined) return 'after-child';
  // Whoever hands on the status of the killed one has waited for it: it was not a stranger to the first process.
  if (end?.exitCode === EXIT_SIGKILL) return 'after-child';
  return end?.exitCode !== 0 && !isAddedProcess(index, index.processAt(kill.boot, kill.pid, kill.at), first)
    ? 'after-child'
    : undefined;
}

/**
 * Whether nothing dates the only kill in the container better than that it may have been at its end, and that end is that of a killed process which runtime or API call an
 * OOM kill: by all appearances the kill is what ended it.
 */
function isOnlyKill(index: EvidenceIndex, kill: KernelKilled, target: Target): boolean {
  const { first, end, cgroups, containerId, mayInfer } = target;
  const cgroup = kill.context?.taskMemcg;
  // A worker that was killed some seconds earlier may have left the reason too.
  if (!mayInfer || kill.at !== undefined || !mayBeNearEnd(kill, target)) return false;
  if (first !== undefined || mayBeStopped(target)) return false;
  if (cgroup === undefined || !cgroups.holds(cgroup) || end?.exitCode !== EXIT_SIGKILL) return false;
  const isCalled =
    end.reason === 'OOMKilled' ||
    ofContainer(index.of('runtime-oom'), containerId).length > 0 ||
    ofContainer(index.of('runtime-record'), containerId).some(({ reason }) => reason === 'OOMKilled');
  const pids = index
    .of('kernel-killed')
    .filter(({ context }) => cgroups.holds(context?.taskMemcg ?? ''))
    .map(({ pid }) => pid);
  return isCalled && new Set(pids).size === 1;
}

/** Whether SIGKILL may be that of the runtime, which had been asked to stop it. */
function mayBeStopped({ isAsked, isKilledEarly }: Target): boolean {
  return isAsked && !isKilledEarly;
}

/** Whether its first process may have died of SIGKILL: no trace shows that it ended without, and its exit code fits. */
function mayBeKilled({ end, cgroups }: Target): boolean {
  const code = end?.exitCode;
  if (code === undefined || code === EXIT_SIGKILL || code === EXIT_UNKNOWN) return true;
  return cgroups.sandboxed && code === EXIT_SANDBOX_LOST;
}

/** Judges by counters and hints. The kernel also reaps a process that was dying already: that by itself is not a kill. */
function endedWithoutLine({ counter, hints }: Found, target: Target): OomEnd | undefined {
  const { killingSignal, first, end } = target;
  if (counter === undefined && hints.length === 0) return undefined;
  const at = counter?.values.at ?? hints.at(-1)?.at;
  const sent = findKernelsKill(target);
  if (sent !== undefined) {
    const marks = hints.filter((hint) => hint.kind === 'oom-victim');
    if (marks.length > 0) return marks.some((mark) => isMarkOf(mark, sent)) ? 'first' : undefined;
    // The kernel counts a kill right before it sends the signal. An earlier rise is of another kill.
    const isCounted =
      counter === undefined || isAtMost(sent.at, (at ?? 0) + SAME_NODE_MS, { unknown: 'counts' });
    return isCounted && isNearEnd(at, target) ? 'first' : undefined;
  }
  const isOther =
    killingSignal !== undefined || target.isAsked || (first !== undefined && first.exit !== undefined);
  const isTold = counter !== undefined || hints.some((hint) => hint.kind !== 'kernel-reaped');
  const isSigkill = end?.exitCode === EXIT_SIGKILL;
  return isTold && !isOther && isSigkill && isNearEnd(at, target) ? 'first' : undefined;
}

/** The kernel's own SIGKILL to the first process. */
function findKernelsKill({ killingSignal }: Target): SignalSent | undefined {
  if (killingSignal?.sender !== 'kernel' || !killingSignal.hitInit) return undefined;
  return killingSignal.sent.signal === SIGKILL ? killingSignal.sent : undefined;
}

function isMarkOf(mark: OomVictim, sent: SignalSent): boolean {
  return mark.pid === sent.pid && isNear(mark.at, sent.at, SAME_OOM_MS, { unknown: 'counts' });
}

/**
 * Whether the kernel's SIGKILL to the first process belongs to a kill whose line names another process: the kernel marked
 * it too, all of its cgroup died, or both have the same memory, and the same task killed them at once
 * (`__oom_kill_process` of mm/oom_kill.c).
 */
function isOfKill(index: EvidenceIndex, sent: SignalSent, kill: KernelKilled, isGroupKill: boolean): boolean {
  if (!isNear(kill.at, sent.at, SAME_OOM_MS, { unknown: 'counts' })) return false;
  const marks = index.of('oom-victim').filter((mark) => isOfSameOom(mark, kill));
  if (marks.some((mark) => isMarkOf(mark, sent))) return true;
  if (isGroupKill && marks.length === 0) return true;
  const toVictim = index
    .signalsIn(kill.boot)
    .find(
      (signal) =>
        signal.pid === kill.pid &&
        signal.signal === SIGKILL &&
        signal.code === SI_KERNEL &&
        isNear(signal.at, kill.at, SAME_OOM_MS, { unknown: 'counts' }),
    );
  if (toVictim === undefined) return isNear(kill.at, sent.at, SAME_NODE_MS, { unknown: 'counts' });
  return (
    toVictim.senderPid === sent.senderPid && isNear(toVictim.at, sent.at, LATE_MS, { unknown: 'counts' })
  );
}

/**
 * Whether the pid of the kernel's line is that of a thread, or unknown, and the kernel's SIGKILL hit the first process
 * at that moment.
 */
export function isThreadOfFirst(index: EvidenceIndex, kill: KernelKilled, target: Target): boolean {
  const { killingSignal, first } = target;
  if (killingSignal?.sender !== 'kernel' || !killingSignal.hitInit || first === undefined) return false;
  const { tid } = killingSignal.sent;
  if (tid !== undefined && tid !== killingSignal.sent.pid && tid === kill.pid) return true;
  if (index.processAt(kill.boot, kill.pid, kill.at) !== undefined) return false;
  return isNear(kill.at, killingSignal.sent.at, SAME_OOM_MS, { unknown: 'counts' });
}

/** Whether the line names the first process, by the witness' records, else by the pid that the runtime logged. */
export function isOfFirst(index: EvidenceIndex, kill: KernelKilled, { first, containerId }: Target): boolean {
  if (first === undefined) return kill.pid === findStartedPid(index, containerId);
  return kill.boot === first.boot && index.processAt(kill.boot, kill.pid, kill.at) === first;
}
