import {
  BUS_MCEERR_AO,
  BUS_MCEERR_AR,
  SI_KERNEL,
  SI_USER,
  SIGABRT,
  SIGBUS,
  SIGKILL,
  SIGSYS,
  SIGXCPU,
  SIGXFSZ,
} from '../../../model/evidence/signals.ts';
import { isOfPods } from '../../../model/evidence/cgroup-path.ts';
import type { SignalSent } from '../../../model/evidence/observation.ts';
import type { CaseFile } from '../../case/case-file.ts';
import { findHeardKubelet, isWhole, type Source } from '../../case/coverage.ts';
import { findOopses } from '../../case/kernel-oops.ts';
import { findStopBefore, hasHook } from '../../case/requests/kubelet-stop.ts';
import { EXIT_SIGNALLED } from '../../records/exit-codes.ts';
import { isFault, isStopping } from '../../records/signals.ts';
import { FOLLOWS_MS, MISSES_MS } from '../../records/tolerances.ts';
import { blame, SIGNAL_DECISIVE } from '../blame.ts';
import type { Hypothesis } from '../hypothesis.ts';
import { findOtherCause, findRefusalOfPod, leaveOpen } from '../other-causes.ts';
import { doubtLostWorkers } from '../lost-workers.ts';
import { OWN_SIGNAL } from '../traces.ts';
import type { Conclusion } from '../conclusion.ts';

const MAY_BE_OF_HOOK =
  'another process of the container sent the signal, and its preStop hook may be that: neither events nor log of the kubelet, which would say that it runs, are whole';

/** A process of the container: a fault, abort(), its own timer or limit, or kill from inside. */
const hearSelfSignal = (file: CaseFile): Conclusion | undefined => {
  if (file.killingSignal === undefined) return blameByExitCode(file);
  const { sent, sender } = file.killingSignal;
  if (sender === 'kernel') return blameOwnLimit(file, sent);
  if (sender !== 'container') return undefined;
  // It may only have passed on a signal from somebody else, and the record of that signal is lost.
  if (isStopping(sent.signal) && !isWhole(file, ['trace'])) return undefined;
  // A fault is the program's own. What another process sends it may send for somebody: a preStop hook for the kubelet.
  const isByAnother = sent.code <= 0 && sent.senderPid !== sent.pid;
  const other = isStopping(sent.signal) || isByAnother ? findOtherCause(file, sent.at) : undefined;
  if (other !== undefined) return other;
  if (isByAnother && mayBeOfHook(file)) return leaveOpen(file, sent.ref, MAY_BE_OF_HOOK);
  const conclusion = blame(file, 'self-signal');
  const limit = limitOf(sent);
  const doubts = [
    ...(limit === undefined ? [] : [`nobody saw who had set its limit of ${limit}`]),
    ...(isOfHardware(sent) ? ['the code of the signal is that of memory which the hardware broke'] : []),
  ];
  if (conclusion?.process !== 'init') return conclusion && withDoubts(conclusion, doubts);
  // A program that misses a worker may abort, or be told to stop. A fault of its memory is another matter, unless it is at once.
  const isChosen = sent.signal === SIGABRT || sent.signal === SIGKILL || isStopping(sent.signal);
  return withDoubts(conclusion, [...doubts, ...doubtLostWorkers(file, isChosen ? MISSES_MS : FOLLOWS_MS)]);
};

/** Whether the pod has a preStop hook, and nobody was heard who would have said that the kubelet runs it. */
function mayBeOfHook(file: CaseFile): boolean {
  return hasHook(file) && findHeardKubelet(file) === undefined;
}

function withDoubts(conclusion: Conclusion, doubts: readonly string[]): Conclusion {
  return { ...conclusion, doubts: [...(conclusion.doubts ?? []), ...doubts] };
}

/** Whether the kernel sends SIGBUS for a page that the hardware broke: no act of the program (mm/memory-failure.c). */
function isOfHardware({ signal, code }: SignalSent): boolean {
  return signal === SIGBUS && (code === BUS_MCEERR_AR || code === BUS_MCEERR_AO);
}

/**
 * Which resource limit of the process a signal is for (setrlimit(2)). The program may have set the limit, or whoever
 * started it, or somebody outside with prlimit(2): no source tells.
 */
function limitOf({ signal, code, pid, senderPid }: SignalSent): string | undefined {
  if (signal === SIGXCPU && code === SI_KERNEL) return 'CPU time';
  // `send_sig(SIGXFSZ, current, 0)` of fs/read_write.c: it looks as if the process had sent the signal itself.
  return signal === SIGXFSZ && code === SI_USER && pid === senderPid ? 'file size' : undefined;
}

/**
 * SIGKILL of the kernel while the process itself ran, and no OOM kill: it reached its hard limit of CPU time
 * (check_process_timers of kernel/time/posix-cpu-timers.c). A tracer's end and that of a pid namespace come from the
 * process that ended.
 */
function blameOwnLimit(file: CaseFile, sent: SignalSent): Conclusion | undefined {
  const isOwn = sent.signal === SIGKILL && sent.senderPid === sent.pid;
  if (!isOwn || file.oom.ended !== undefined || !isWhole(file, ['kmsg', 'trace'])) return undefined;
  const conclusion = blame(file, 'self-signal');
  return (
    conclusion && {
      ...conclusion,
      doubts: [
        ...(conclusion.doubts ?? []),
        'the kernel does not say why: a hard limit of CPU time, by all appearances, and nobody saw who had set it',
      ],
    }
  );
}

/** Sources that would show any other end. */
const HEARD: readonly Source[] = ['kmsg', 'pods', 'containerd'];

/**
 * Judges without a trace: the exit code is that of a fault, a signal that hardly anybody sends from outside. Kernel,
 * runtime and kubelet were heard and say nothing else.
 */
function blameByExitCode(file: CaseFile): Conclusion | undefined {
  const { end, first, oom } = file;
  if (first !== undefined || end?.exitCode === undefined || !isFault(end.exitCode - EXIT_SIGNALLED))
    return undefined;
  const isHeard = isWhole(file, HEARD) && findHeardKubelet(file) !== undefined;
  const isOther =
    oom.kills.length > 0 ||
    findRefusalOfPod(file, file.endedAt) !== undefined ||
    hasRefusalLine(file) ||
    findStopBefore(file, file.endedAt) !== undefined ||
    mayBeInHook(file) ||
    findOopses(file).length > 0;
  if (!isHeard || isOther) return undefined;
  return {
    killer: 'self-signal',
    process: 'init',
    steps: { end: [end.ref] },
    at: end.at,
    decisive: SIGNAL_DECISIVE,
    doubts: ['nobody traced the signal: the exit code says which one it was, not who sent it'],
  };
}

/** Somebody had asked for its end, and a preStop hook, of which only the events tell while it runs, may have sent the signal. */
function mayBeInHook(file: CaseFile): boolean {
  return hasHook(file) && file.requests.cause !== undefined && !isWhole(file, ['events']);
}

/** The kernel names once in a lifetime of a cgroup that it refused a fork: a later refusal shows only in the counter. */
function hasRefusalLine({ index, uids }: CaseFile): boolean {
  return index
    .of('kernel-said')
    .some((line) => line.about === 'fork-rejected' && isOfPods(line.cgroup ?? '', uids));
}

/** A process of the container itself. */
export const SELF_SIGNAL: Hypothesis = {
  what: 'a signal of its own',
  killers: ['self-signal'],
  acts: ['container', 'kernel', 'itself'],
  left: OWN_SIGNAL,
  residual: true,
  against: ({ killingSignal }) =>
    killingSignal?.sent.signal === SIGSYS && killingSignal.sent.code > 0
      ? 'the kernel sent SIGSYS for a forbidden system call'
      : undefined,
  recordsAgainst: ({ killingSignal }) => [killingSignal?.sent.ref],
  hear: hearSelfSignal,
};
