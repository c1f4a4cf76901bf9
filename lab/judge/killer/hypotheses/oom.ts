import type { How, VictimProcess } from '../../../model/killers/killers.ts';
import type { CaseFile } from '../../case/case-file.ts';
import { endRefs, type Conclusion } from '../conclusion.ts';
import type { Hypothesis } from '../hypothesis.ts';
import { KILL_LINE } from '../traces.ts';
import { isTorn, isWhole, type Source } from '../../case/coverage.ts';
import { compareKillCounts } from '../../case/kill-counts.ts';
import { isTraceAgainst } from '../../case/final-act.ts';
import { SIGKILL } from '../../../model/evidence/signals.ts';
import { SAME_NODE_MS } from '../../../model/evidence/source-clocks.ts';
import { FOLLOWS_MS, LATE_MS } from '../../records/tolerances.ts';
import { hasRun, RUNC_STAGE } from '../../case/has-run.ts';
import { hasWordOfEnd } from '../../case/word-of-end.ts';
import type { KernelKilled, SignalSent } from '../../../model/evidence/observation.ts';
import { findStartedPid } from '../../records/evidence-index.ts';
import { EXIT_SIGKILL, EXIT_SIGNALLED } from '../../records/exit-codes.ts';
import { isAfter, isAtLeast, isAtMost, isBefore, shift } from '../../records/times.ts';

/**
 * The kernel's OOM killer ended the container: it took the first process, or all processes, or a child without which
 * the first one gave up. When the container lived on and died of something else, a kill of its other processes is a
 * finding. When the container lived to the end of the cell, that kill is the only death, and this rule names it.
 */
const hearOom = (file: CaseFile): Conclusion | undefined => {
  const { oom, end, initExit, bootEnded } = file;
  if (oom.kill === undefined && oom.counter === undefined && oom.hints.length === 0) return undefined;
  const hasEnded = end !== undefined || initExit !== undefined || bootEnded !== undefined;
  if (hasEnded && oom.ended === undefined) {
    const undated = oom.kills.find((kill) => mayBeUndatedEnd(file, kill));
    if (undated === undefined) return undefined;
    return leaveUndated(undated, file, 'it ended as if it had been killed: either may have been the end');
  }
  if (!hasEnded && (endedUntold(file) || isOfExec(file))) return undefined;
  if (oom.kill === undefined) return judgeWithoutLine(file);
  if (isInferred(file) && file.pod.deletionAt !== undefined) return judgeBesideDeletion(file, oom.kill);
  if (isTraceAgainst(file) && hasOwnCode(file)) return leaveUnkilled(file, oom.kill);
  const { kill, context, group, mark, level } = oom;
  const sent = findKernelsKill(file);
  const second = oom.counter?.values.ref ?? sent?.ref ?? mark?.ref;
  const isGlobal = kill.scope === 'global' || context?.global === true;
  const counts = compareKillCounts(file);
  // Where numbered records are missing, the one that would have told otherwise may be among them.
  const isCounted = second === undefined && counts.state === 'equal' && !isTorn(file);
  const counted = isCounted ? counts.last.ref : undefined;
  return {
    killer: isGlobal ? 'global-oom' : 'memcg-oom',
    level,
    how: howOf(file),
    process: processOf(file, kill.pid),
    steps: {
      cause: [...(context?.byHand ?? []), context?.ref],
      signal: [kill.ref, group?.ref, mark?.ref, sent?.ref, oom.counter?.values.ref, counted],
      end: endRefs(file),
    },
    pid: oom.ended === 'first' && file.init !== undefined ? file.init : kill,
    at: kill.at ?? oom.counter?.values.at,
    decisive: decisiveOf(file, counted !== undefined),
    doubts: [
      ...(isTraceAgainst(file) ? ['the trace has no SIGKILL of the kernel to its first process'] : []),
      ...(isInferred(file) ? [INFERRED] : []),
      ...(isCounterSilent(file) ? ['its counter was read after the kill and had not risen'] : []),
      ...(second === undefined && counted === undefined
        ? ['no counter of the container or its pod was seen to rise']
        : []),
      ...(oom.ended === 'after-child'
        ? [
            'the first process ended right after the OOM killer took another one: because of that, by all appearances',
          ]
        : []),
    ],
  };
};

/** Whether its exit code is one that a process which SIGKILL ended does not have. */
function hasOwnCode({ end, cgroups }: CaseFile): boolean {
  const { exitCode } = end ?? {};
  return exitCode !== undefined && exitCode < EXIT_SIGNALLED && !cgroups.sandboxed;
}

/** The kernel's line says one thing, trace and exit code another: nothing tells which of them is of another process. */
function leaveUnkilled(file: CaseFile, kill: KernelKilled): Conclusion {
  return {
    killer: 'unknown',
    steps: { cause: [kill.context?.ref], signal: [kill.ref], end: endRefs(file) },
    at: kill.at,
    decisive: ['kmsg', 'trace'],
    note: 'the kernel’s line names its first process, and neither the trace nor its exit code has a SIGKILL',
  };
}

const INFERRED =
  'no time and no pid tells that the kill was the end: that is inferred from exit code and reason';

/** Whether only exit code and reason tell that the kill was the end. */
function isInferred(file: CaseFile): boolean {
  const { oom, first, index, containerId } = file;
  const { kill, group, ended } = oom;
  if (ended !== 'first' || kill === undefined || group !== undefined || first !== undefined) return false;
  const { at, between } = kill;
  const isDated = at !== undefined || (between !== undefined && between.to - between.from <= FOLLOWS_MS);
  return !isDated && kill.pid !== findStartedPid(index, containerId);
}

/** Of a kill without a time nobody knows whether it was the end, or whether the deletion was that came before or after it. */
function judgeBesideDeletion(file: CaseFile, kill: KernelKilled): Conclusion {
  return leaveUndated(kill, file, 'the pod was being deleted: either may have been the end');
}

function leaveUndated(kill: KernelKilled, file: CaseFile, beside: string): Conclusion {
  return {
    killer: 'unknown',
    steps: { cause: [kill.context?.ref], signal: [kill.ref], end: endRefs(file) },
    at: undefined,
    decisive: ['kmsg'],
    note: `nothing tells when the kernel killed a process of it, and ${beside}; a kernel log with times of the clock (dmesg -T, journalctl -k) and --timezone would tell`,
  };
}

/**
 * Whether nobody dates a kill in the container and nothing tells that it took another process than the first, while the exit code
 * is that of a killed one.
 */
function mayBeUndatedEnd({ first, end, index, containerId }: CaseFile, kill: KernelKilled): boolean {
  if (first !== undefined || kill.at !== undefined) return false;
  const pid = findStartedPid(index, containerId);
  const isNear = isAtLeast(kill.between?.to, shift(end?.at, -FOLLOWS_MS), { unknown: 'counts' });
  return end?.exitCode === EXIT_SIGKILL && isNear && (pid === undefined || pid === kill.pid);
}

/** The sources that agree on the kill. The kernel's own count of kills stands for the counters of the container. */
function decisiveOf(file: CaseFile, isCounted: boolean): readonly Source[] {
  if (isCounted) return ['kmsg'];
  const isTraced = (findKernelsKill(file) ?? file.oom.mark) !== undefined;
  return file.oom.counter === undefined && isTraced ? ['kmsg', 'trace'] : ['kmsg', 'cgroup'];
}

/**
 * It ended, as runtime or kubelet say, and nobody says when: what the OOM killer took is its first process, or the whole
 * container, or the end had another reason.
 */
function endedUntold(file: CaseFile): boolean {
  const { oom, first } = file;
  const isWholeEnd = oom.group !== undefined || (first !== undefined && oom.kill?.pid === first.pid);
  return !isWholeEnd && hasWordOfEnd(file);
}

/** Whether it took the first step of an added process while nobody saw the container's own ones: that ends nothing. */
function isOfExec(file: CaseFile): boolean {
  return file.first === undefined && RUNC_STAGE.test(file.oom.kill?.comm ?? '') && hasRun(file);
}

/** The container's own counter contradicts the kernel's line when it was read after the kill and had not risen. */
function isCounterSilent({ oom, index, cgroups }: CaseFile): boolean {
  const { kill, counter } = oom;
  if (kill?.at === undefined || counter !== undefined) return false;
  const killedAt = kill.at;
  const readings = index
    .of('cgroup-values')
    .filter(
      ({ values, path, boot }) => values.oom_kill !== undefined && cgroups.holds(path) && boot === kill.boot,
    );
  // What was first read after the kill may have risen before.
  const wasRead = readings.some(({ at }) => isAtMost(at, killedAt, { unknown: 'counts' }));
  return readings.some(
    ({ at, values }) =>
      (wasRead || values.oom_kill === '0') && isAfter(at, killedAt + LATE_MS, { unknown: 'does not' }),
  );
}

/** The kernel's own SIGKILL to the process that its line names. */
function findKernelsKill({ oom, killingSignal }: CaseFile): SignalSent | undefined {
  if (killingSignal?.sender !== 'kernel' || oom.ended === undefined) return undefined;
  const { sent } = killingSignal;
  return sent.signal === SIGKILL && (oom.counter === undefined || oom.kill === undefined) ? sent : undefined;
}

/**
 * How the kernel killed. That somebody asked for the kill comes first: the node need not have been short of memory. A
 * group kill has its line and its counter; only a whole log tells that there was none.
 */
function howOf(file: CaseFile): How | undefined {
  const { context, group, counter } = file.oom;
  if (context?.byHand !== undefined) return 'sysrq';
  if (group !== undefined || Number(counter?.values.values.oom_group_kill ?? 0) > 0) return 'group-kill';
  return isWhole(file, ['kmsg']) ? 'single-process' : undefined;
}

/** Which process died. The end of the first process ends the container; the end of another one may go unnoticed. */
function processOf(file: CaseFile, pid: number): VictimProcess | undefined {
  const { first, oom } = file;
  if (oom.ended === 'after-child') return 'child';
  if (first === undefined) return undefined;
  if (oom.ended !== undefined || pid === first.pid) return 'init';
  return 'child';
}

/**
 * Judges without the kernel's line. A counter counts every kind of OOM kill; it is memcg-oom only when a limit of the
 * pod was hit.
 */
function judgeWithoutLine(file: CaseFile): Conclusion {
  const { oom } = file;
  const { level, counter, hints } = oom;
  const summary = hints.find((hint) => hint.kind === 'kernel-oom-context');
  const sent = findKernelsKill(file);
  const known = summary?.kind === 'kernel-oom-context' ? summary : undefined;
  const isGlobal = known?.global === true;
  const base = {
    steps: {
      cause: [known?.ref],
      signal: [
        ...hints.filter((hint) => hint !== known).map((hint) => hint.ref),
        counter?.values.ref,
        sent?.ref,
      ],
      end: endRefs(file),
    },
    at: known?.at ?? sent?.at ?? counter?.values.at,
    decisive: ['kmsg', 'cgroup'] as const,
    note: 'the kernel line that names the killed process is missing',
  };
  // Of several kills, the counter of one limit tells not which of them ended it.
  const isAmbiguous =
    counter !== undefined &&
    counter.to - counter.from > 1 &&
    !(Number(counter.values.values.oom_group_kill) > 0);
  // What an earlier kill had raised says nothing of the limit at which this one was.
  const isEarlier = isBefore(shift(counter?.values.at, SAME_NODE_MS), sent?.at, { unknown: 'does not' });
  if (known === undefined && (level === undefined || isAmbiguous || isEarlier))
    return { ...base, killer: 'unknown' };
  return {
    ...base,
    killer: isGlobal ? 'global-oom' : 'memcg-oom',
    level,
    process: oom.ended === undefined ? undefined : 'init',
    doubts: [base.note],
  };
}

/** The OOM killer of the kernel, at a limit or for the whole node. */
export const OOM: Hypothesis = {
  what: 'an OOM kill of its first process',
  killers: ['memcg-oom', 'global-oom'],
  acts: ['oom', 'kernel', 'itself', 'lives'],
  left: KILL_LINE,
  against: (file) =>
    RUNC_STAGE.test(file.oom.kill?.comm ?? '') && !hasRun(file)
      ? 'it took a process of the runtime, and no record shows that the program began'
      : undefined,
  hear: hearOom,
};
