import { isOfPods, levelOf } from '../../model/evidence/cgroup-path.ts';
import type { Level } from '../../model/killers/killers.ts';
import type {
  KernelGroupKill,
  KernelKilled,
  KernelOomContext,
  KernelReaped,
  Observation,
  OomVictim,
  ProcessSeen,
} from '../../model/evidence/observation.ts';
import type { ContainerEnd } from '../records/container-end.ts';
import { findStartedPid, type EvidenceIndex, type Process } from '../records/evidence-index.ts';
import { SIGKILL } from '../../model/evidence/signals.ts';
import { EXIT_SANDBOX_LOST, EXIT_SIGKILL } from '../records/exit-codes.ts';
import type { KillingSignal } from './killing-signal.ts';
import { findRise, findRiseOfPod, levelOfCounters, type CounterRise } from './oom-counters.ts';
import type { ContainerCgroups } from '../records/container-cgroups.ts';
import {
  API_MS,
  CLOCKS_MS,
  CUT_MS,
  FOLLOWS_MS,
  SAME_NODE_MS,
  SAME_OOM_MS,
  SEEN_LATE_MS,
} from '../records/tolerances.ts';
import { isAfter, isAtMost, isBefore, isNear, shift } from '../records/times.ts';

/** Everything that says that the OOM killer hit this container. */
export interface OomEvidence {
  /** Kernel lines about processes of this container. */
  readonly kills: readonly KernelKilled[];
  /** The kill of the container's first process, which ends the container; else the first kill. */
  readonly kill: KernelKilled | undefined;
  /** The kernel's summary of that kill, or of its group's first. The kernel prints at most ten of them in five seconds. */
  readonly context: KernelOomContext | undefined;
  /** The kernel's line that it kills the whole cgroup (`memory.oom.group`). */
  readonly group: KernelGroupKill | undefined;
  /** The trace's record that the kernel chose the process of that kill as its victim. */
  readonly mark: OomVictim | undefined;
  /** Summaries, choices and reaped processes of this container without a line that they were killed. */
  readonly hints: readonly (KernelOomContext | OomVictim | KernelReaped)[];
  /** The rise of the container's own counter; of the pod's, when the container's was never read. */
  readonly counter: CounterRise | undefined;
  /** Where the limit was hit: from the summary, else from the counters. */
  readonly level: Level | undefined;
  /** Whether the container ended by the kill. A kill of another of its processes, long before its end, is a finding. */
  readonly ended: 'first' | 'all' | 'after-child' | undefined;
}

interface Target {
  readonly containerId: string;
  readonly cgroups: ContainerCgroups;
  readonly uids: readonly string[];
  readonly node: string | undefined;
  readonly processes: readonly ProcessSeen[];
  readonly first: Process | undefined;
  readonly killingSignal: KillingSignal | undefined;
  readonly end: ContainerEnd | undefined;
  /** When it started, as the API says. */
  readonly startedAt: number | undefined;
  /** When it ended, without a look at the OOM evidence. */
  readonly endedAt: number | undefined;
  /** Whether somebody had asked for its stop before its end. */
  readonly isAsked: boolean;
}

const NONE: OomEvidence = {
  kills: [],
  kill: undefined,
  context: undefined,
  group: undefined,
  mark: undefined,
  hints: [],
  counter: undefined,
  level: undefined,
  ended: undefined,
};

/** Gathers the OOM evidence of one container, without that of other pods in the same second. */
export function findOom(index: EvidenceIndex, target: Target): OomEvidence {
  if (target.containerId === '') return NONE;
  const kills = index
    .of('kernel-killed')
    .filter(
      (hint) => hits(index, hint, target) && !isTooLate(hint.at, target) && !isTooEarly(hint.at, target),
    );
  const ofFirst = kills.find((hint) => isOfFirst(index, hint, target));
  const covering = kills.find(
    (killed) => findGroup(index, killed, target) !== undefined && mayBeNearEnd(killed, target),
  );
  const threadOfFirst = kills.find((killed) => isThreadOfFirst(index, killed, target));
  const nearest = kills.findLast((killed) => isKillNearEnd(killed, target));
  const kill =
    ofFirst ?? threadOfFirst ?? covering ?? (target.endedAt === undefined ? kills[0] : (nearest ?? kills[0]));
  const group = kill && findGroup(index, kill, target);
  const context = kill?.context ?? group?.context;
  // The cgroup of a runc container is its own. That of its pod, or of a sandbox, counts on after its end.
  const isShared = (path: string): boolean => target.cgroups.sandboxed || !target.cgroups.holds(path);
  const values = index
    .of('cgroup-values')
    .filter((reading) => reading.values.oom_kill !== undefined || reading.values.oom !== undefined)
    .filter((reading) => !(isShared(reading.path) && isTooLate(reading.at, target)));
  const counter =
    findRise(values, (path) => target.cgroups.holds(path), 'oom_kill') ??
    findRiseOfPod(values, index.of('kernel-oom-context'), target, kill);
  const hints = kill === undefined ? findHints(index, target) : [];
  const summary = context ?? hints.find((hint) => hint.kind === 'kernel-oom-context');
  const found = {
    kills,
    kill,
    context,
    group,
    mark: kill && findMark(index, kill),
    hints,
    counter,
    level: summary ? levelOfContext(summary) : levelOfCounters(values, target),
  };
  const isFirst = kill !== undefined && (kill === ofFirst || kill === threadOfFirst);
  return { ...found, ended: endedOf(found, target, isFirst) };
}

/** Whether the container ended by the kill, and how. */
function endedOf(found: Omit<OomEvidence, 'ended'>, target: Target, isFirst: boolean): OomEvidence['ended'] {
  const { kill, group, counter, hints } = found;
  const { endedAt, killingSignal, end, first } = target;
  if (endedAt === undefined) return undefined;
  if (isFirst) return 'first';
  const byKernel = killingSignal?.sender === 'kernel' && killingSignal.hitInit;
  if (kill === undefined) {
    if (counter === undefined && hints.length === 0) return undefined;
    const at = counter?.values.at ?? hints.at(-1)?.at;
    if (byKernel && killingSignal.sent.signal === SIGKILL) return isNearEnd(at, target) ? 'first' : undefined;
    const isOther =
      killingSignal !== undefined || target.isAsked || (first !== undefined && first.exit !== undefined);
    // The kernel also reaps a process that was dying already: that by itself is not a kill.
    const isTold = counter !== undefined || hints.some((hint) => hint.kind !== 'kernel-reaped');
    const isSigkill = end?.exitCode === EXIT_SIGKILL;
    return isTold && !isOther && isSigkill && isNearEnd(at, target) ? 'first' : undefined;
  }
  if (group === undefined ? !isKillNearEnd(kill, target) : !mayBeNearEnd(kill, target)) return undefined;
  if (killingSignal !== undefined && !byKernel && killingSignal.hitInit) return undefined;
  if (group !== undefined) return 'all';
  if (first === undefined) {
    // Nobody saw its processes: the exit code of SIGKILL must do, when nobody had asked for its stop.
    const codes = [undefined, EXIT_SIGKILL, ...(target.cgroups.sandboxed ? [EXIT_SANDBOX_LOST] : [])];
    return codes.includes(end?.exitCode) && !target.isAsked ? 'first' : undefined;
  }
  if (byKernel) return 'first';
  const isByItself =
    killingSignal === undefined ? first.exit !== undefined || !target.isAsked : !killingSignal.hitInit;
  return isByItself && end?.exitCode !== 0 && isAtMost(kill.at, endedAt + SAME_NODE_MS, { unknown: 'counts' })
    ? 'after-child'
    : undefined;
}

/**
 * Whether the pid of the kernel's line is that of a thread, or unknown, and the kernel's SIGKILL hit the first process
 * at that moment.
 */
function isThreadOfFirst(index: EvidenceIndex, kill: KernelKilled, target: Target): boolean {
  const { killingSignal, first } = target;
  if (killingSignal?.sender !== 'kernel' || !killingSignal.hitInit || first === undefined) return false;
  if (index.processAt(kill.boot, kill.pid, kill.at) !== undefined) return false;
  return isNear(kill.at, killingSignal.sent.at, SAME_OOM_MS, { unknown: 'counts' });
}

/** Whether the line names the first process, by the witness' records, else by the pid that the runtime logged. */
function isOfFirst(index: EvidenceIndex, kill: KernelKilled, { first, containerId }: Target): boolean {
  if (first === undefined) return kill.pid === findStartedPid(index, containerId);
  return kill.boot === first.boot && index.processAt(kill.boot, kill.pid, kill.at) === first;
}

/** Whether a time is so short before the end that the end may follow from it; what nobody dated is not near. */
function isNearEnd(at: number | undefined, { endedAt, first, end }: Target): boolean {
  if (endedAt === undefined || at === undefined) return false;
  const precise = first?.exit?.at;
  if (precise !== undefined) return at >= precise - FOLLOWS_MS && at <= precise + FOLLOWS_MS;
  const reportedAt = end?.at ?? endedAt;
  return at >= reportedAt - FOLLOWS_MS - CLOCKS_MS && at <= reportedAt + API_MS + CLOCKS_MS;
}

/** Whether a kill was close to the end, whenever it was within its bounds. */
function isKillNearEnd({ at, between }: KernelKilled, target: Target): boolean {
  if (at !== undefined || between === undefined) return isNearEnd(at, target);
  return isNearEnd(between.from, target) && isNearEnd(between.to, target);
}

/** Whether a kill may have been close to the end. That is enough for a kill of the whole container, which ends once. */
function mayBeNearEnd({ at, between }: KernelKilled, target: Target): boolean {
  const { endedAt } = target;
  if (at !== undefined || endedAt === undefined) return isNearEnd(at, target);
  if (between === undefined) return true;
  return between.to >= endedAt - API_MS - FOLLOWS_MS && between.from <= endedAt + API_MS;
}

/** Records of a victim without the line that it was killed: some kernels omit the line, or limit its rate. */
function findHints(index: EvidenceIndex, target: Target): (KernelOomContext | OomVictim | KernelReaped)[] {
  const isOwn = (record: { boot: string; pid: number; at: number | undefined }): boolean => {
    const process = index.processAt(record.boot, record.pid, record.at);
    return process !== undefined && target.processes.includes(process.first);
  };
  const contexts = index
    .of('kernel-oom-context')
    .filter((context) => context.spared !== true)
    .filter((context) =>
      context.taskMemcg === undefined ? isOwn(context) : target.cgroups.holds(context.taskMemcg),
    );
  const others = [...index.of('oom-victim'), ...index.of('kernel-reaped')].filter(isOwn);
  return [...contexts, ...others].filter(
    (hint) => !isTooLate(hint.at, target) && !isTooEarly(hint.at, target),
  );
}

/** Whether a time is before this container: in the life of an earlier one with the same name. */
function isTooEarly(at: number | undefined, { startedAt, first }: Target): boolean {
  const from = first?.from ?? startedAt;
  return isBefore(at, shift(from, -SEEN_LATE_MS - CUT_MS), { unknown: 'does not' });
}

/** Whether a time is after this container: in the life of a later one. */
function isTooLate(at: number | undefined, { endedAt }: Target): boolean {
  return isAfter(at, shift(endedAt, API_MS), { unknown: 'does not' });
}

function hits(index: EvidenceIndex, kill: KernelKilled, target: Target): boolean {
  if (target.node !== undefined && kill.node !== target.node) return false;
  const cgroup = kill.context?.taskMemcg;
  if (cgroup !== undefined) return target.cgroups.holds(cgroup);
  const process = index.processAt(kill.boot, kill.pid, kill.at);
  return process !== undefined && target.processes.includes(process.first);
}

/** Finds the line that names the cgroup in which all die: the container's, or one above it. */
function findGroup(index: EvidenceIndex, kill: KernelKilled, target: Target): KernelGroupKill | undefined {
  return index
    .of('kernel-group-kill')
    .find(
      (line) =>
        isOfSameOom(line, kill) && (target.cgroups.holds(line.cgroup) || isOfPods(line.cgroup, target.uids)),
    );
}

function findMark(index: EvidenceIndex, kill: KernelKilled): OomVictim | undefined {
  return index.of('oom-victim').find((mark) => mark.pid === kill.pid && isOfSameOom(mark, kill));
}

/** The kernel prints everything about one OOM at once. */
function isOfSameOom(observation: Observation, kill: KernelKilled): boolean {
  return (
    observation.boot === kill.boot && isNear(kill.at, observation.at, SAME_OOM_MS, { unknown: 'counts' })
  );
}

function levelOfContext(context: KernelOomContext): Level | undefined {
  if (context.global) return context.ranOut === 'numa-nodes' ? undefined : 'node';
  return levelOf(context.oomMemcg ?? '/');
}
