import { SIGHUP, SIGKILL, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH } from '../../model/evidence/signals.ts';
import type { SignalSent } from '../../model/evidence/observation.ts';
import { isAddedProcess } from '../records/added-process.ts';
import type { Process } from '../records/evidence-index.ts';
import { EXIT_SIGKILL, EXIT_SIGNALLED, EXIT_UNKNOWN } from '../records/exit-codes.ts';
import { isAskedBy } from './asked-times.ts';
import { senderOf, STRANGERS, type SenderContext, type SenderKind } from './senders.ts';
import { isFault, isStopping } from '../records/signals.ts';
import { SAME_NODE_MS } from '../../model/evidence/source-clocks.ts';
import { ANSWERS_MS, FOLLOWS_MS, LATE_MS } from '../records/tolerances.ts';
import { isAfter, isAtMost, isBefore, type Time, shift, spanMs } from '../records/times.ts';

/** The signal that ended the container's first process, or a child of it right before. */
export interface KillingSignal {
  readonly sent: SignalSent;
  readonly sender: SenderKind;
  /** It hit the first process, so the container ended with it. */
  readonly hitInit: boolean;
  /** The first signal of the stop that this one completes. Who asked for the stop, asked before it. */
  readonly stop: SignalSent;
  /** An earlier request to stop, from somebody else, which the program may have answered instead. */
  readonly rival: SignalSent | undefined;
  /** A fault of the program's own, while nobody knows its exit code: the end may be that, or this signal. */
  readonly fault: SignalSent | undefined;
  /** It may not be the cause: signals of this kind mostly mean something else to programs. */
  readonly isUnusual: boolean;
}

/** A signal to a process of the container, and who sent it. */
export interface SignalToContainer {
  readonly sent: SignalSent;
  readonly sender: SenderKind;
  readonly process: Process;
}

/** A signal to the shim of the container. */
export type SignalToShim = Pick<SignalToContainer, 'sent' | 'sender'>;

/** These ask nginx, Apache and others to end gracefully. */
export const UNUSUAL: readonly number[] = [SIGUSR1, SIGUSR2, SIGWINCH];

/**
 * All signals to processes of the container up to its end, oldest first. A signal that a process only passed on to
 * itself is left out.
 */
export function listSignals(context: SenderContext, endedAt: number | undefined): SignalToContainer[] {
  const { index, processes } = context;
  const own = new Set(processes);
  const all = index.signalsIn(context.init.boot).flatMap((sent) => {
    if (isAfter(sent.at, shift(endedAt, LATE_MS), { unknown: 'does not' })) return [];
    const process = index.processAt(sent.boot, sent.pid, sent.at);
    if (process === undefined || !own.has(process.first)) return [];
    return [{ sent, process, sender: senderOf(sent, context) }];
  });
  return all.filter((signal) => !isEcho(signal, all));
}

/** SIGKILL to the parent of the first process, and its own faults, up to the end of the container. */
export function listShimKills(context: SenderContext, endedAt: number | undefined): SignalToShim[] {
  const { index, init } = context;
  const shim = init.latest.ppid;
  // A process of the container is not a shim.
  if (shim <= 1 || context.processes.some(({ pid }) => pid === shim)) return [];
  return index
    .signalsIn(init.boot)
    .filter(
      (sent) =>
        sent.pid === shim &&
        // An earlier process may have had its number.
        isAtMost(shift(init.from, -SAME_NODE_MS), sent.at, { unknown: 'counts', unknownLimit: 'does not' }) &&
        isAtMost(sent.at, endedAt, { unknown: 'counts' }) &&
        (sent.signal === SIGKILL || isOwnFault(sent)),
    )
    .map((sent) => ({ sent, sender: isOwnFault(sent) ? 'runtime' : senderOf(sent, context) }));
}

/** Raised by the kernel for the process itself, or by its own abort(). */
function isOwnFault({ signal, code, pid, senderPid }: SignalSent): boolean {
  return isFault(signal) && (code > 0 || senderPid === pid);
}

/**
 * Finds the signal that ended the container: the first SIGKILL, which nothing survives; else the last signal before the
 * end that fits the exit code; else a request to stop that the program answered by ending. The runtime sends the
 * STOPSIGNAL of the image, which may be any signal, and waits for the whole grace period.
 */
export function findKillingSignal(
  signals: readonly SignalToContainer[],
  context: SenderContext,
  endedAt: number | undefined,
  exitCode: number | undefined,
): KillingSignal | undefined {
  if (endedAt === undefined) return undefined;
  const toInit = signals.filter((signal) => signal.process === context.init);
  const before = (signal: SignalToContainer): Time => spanMs(signal.sent.at, endedAt);
  // A process that SIGKILL ends has no other exit code: another code means that its end had begun before.
  const mayBeKill = exitCode === undefined || exitCode === EXIT_SIGKILL || exitCode === EXIT_UNKNOWN;
  const kill = mayBeKill ? toInit.find((signal) => signal.sent.signal === SIGKILL) : undefined;
  const fitting = toInit.findLast(
    (signal) =>
      exitCode === EXIT_SIGNALLED + signal.sent.signal &&
      (!isStrange(signal) || isAtMost(before(signal), ANSWERS_MS, { unknown: 'does not' })),
  );
  const answered = toInit.findLast(
    (signal) =>
      (mayBeKill || signal.sent.signal !== SIGKILL) &&
      (isStopOfRuntime(signal, context, endedAt) || isAnswered(signal, before(signal))),
  );
  const found = kill ?? fitting ?? answered;
  if (found !== undefined) {
    const { sent, sender } = found;
    const stop = isForOthers(sender)
      ? toInit.find((signal) => isForOthers(signal.sender) && isStopOfRuntime(signal, context, endedAt))
      : undefined;
    const isUnusual = found !== kill && found !== fitting && UNUSUAL.includes(sent.signal);
    const rival = found === kill ? undefined : findRival(found, toInit, context, endedAt, exitCode);
    const fault = exitCode === undefined ? findFault(toInit, context)?.sent : undefined;
    return { sent, sender, hitInit: true, stop: stop?.sent ?? sent, rival: rival?.sent, fault, isUnusual };
  }
  const child = findKilledChild(signals, context, endedAt, exitCode);
  if (child === undefined) return undefined;
  const { sent, sender } = child;
  return { sent, sender, hitInit: false, stop: sent, rival: undefined, fault: undefined, isUnusual: false };
}

/**
 * A fault of its own; a program that had several handles them, as Java's machine does all the time, and so does the
 * sandbox of gVisor.
 */
function findFault(
  toInit: readonly SignalToContainer[],
  { init }: SenderContext,
): SignalToContainer | undefined {
  if (init.latest.args !== undefined) return undefined;
  const faults = toInit.filter((signal) => signal.sender === 'container' && isFault(signal.sent.signal));
  return faults.length === 1 ? faults[0] : undefined;
}

/**
 * Finds an earlier request to stop from somebody else, which the program may have answered. A program takes as long as
 * it likes; only an exit code that fits one of the two signals tells them apart.
 */
function findRival(
  found: SignalToContainer,
  toInit: readonly SignalToContainer[],
  context: SenderContext,
  endedAt: number,
  exitCode: number | undefined,
): SignalToContainer | undefined {
  if (!isForOthers(found.sender) && !STRANGERS.includes(found.sender)) return undefined;
  const isAsking = (signal: SignalToContainer): boolean =>
    isStopOfRuntime(signal, context, endedAt) || isRequestToStop(signal);
  return toInit.find(
    (signal) =>
      isAsking(signal) &&
      partyOf(signal) !== partyOf(found) &&
      isBefore(signal.sent.at, found.sent.at, { unknown: 'does not', unknownLimit: 'counts' }) &&
      (signal.sent.signal === found.sent.signal || exitCode !== EXIT_SIGNALLED + found.sent.signal),
  );
}

/** For whom a sender acts: runtime and kubelet for whoever asked them, systemd for a person. */
function partyOf({ sender }: SignalToContainer): SenderKind {
  if (isForOthers(sender)) return 'runtime';
  return sender === 'systemd' ? 'outside' : sender;
}

/** The runtime and the kubelet act for somebody else. */
export function isForOthers(sender: SenderKind): boolean {
  return sender === 'runtime' || sender === 'kubelet';
}

function isStrange({ sender }: SignalToContainer): boolean {
  return STRANGERS.includes(sender) || sender === 'unseen';
}

/**
 * Whether a signal of the runtime is a stop, however long the program then takes. SIGTERM and SIGKILL always are;
 * another signal is one when somebody had asked the runtime, or when the end follows and the signal asks for one. A reload
 * that somebody sends through the runtime is not a stop, and neither is the new size of a terminal.
 */
function isStopOfRuntime(hit: SignalToContainer, context: SenderContext, endedAt: number): boolean {
  if (!isForOthers(hit.sender)) return false;
  const { signal, at } = hit.sent;
  if (signal === SIGKILL || signal === SIGTERM) return true;
  if (isAskedBy(at, context.asked)) return true;
  return !UNUSUAL.includes(signal) && isAtMost(spanMs(at, endedAt), ANSWERS_MS, { unknown: 'does not' });
}

function isAnswered(signal: SignalToContainer, beforeMs: Time): boolean {
  if (!isAtMost(beforeMs, ANSWERS_MS, { unknown: 'does not' }) || isForOthers(signal.sender)) return false;
  if (isStopping(signal.sent.signal)) return true;
  return (
    isStrange(signal) &&
    UNUSUAL.includes(signal.sent.signal) &&
    isAtMost(beforeMs, FOLLOWS_MS, { unknown: 'does not' })
  );
}

/**
 * Finds a child whose death is the cause, because the container ended right after it. The runtime signals the first
 * process; of others it kills those of an exec, and what is left after the end. A supervisor kills its children when it
 * ends, so a kill from within counts only when the first process passes the exit code on.
 */
function findKilledChild(
  signals: readonly SignalToContainer[],
  context: SenderContext,
  endedAt: number,
  exitCode: number | undefined,
): SignalToContainer | undefined {
  // Nobody saw the first process end: whoever asked for its stop may have ended it.
  if (context.init.exit === undefined && isAskedBy(endedAt, context.asked)) return undefined;
  return signals.findLast((hit) => {
    const { at } = hit.sent;
    if (hit.process === context.init || at === undefined) return false;
    if (at > endedAt || endedAt - at > FOLLOWS_MS) return false;
    // The first process knows nothing of a process that somebody added.
    if (isAddedProcess(context.index, hit.process, context.init)) return false;
    if (isForOthers(hit.sender) || hit.sender === 'kernel') return false;
    const { signal } = hit.sent;
    return (
      exitCode === EXIT_SIGNALLED + signal || (isStrange(hit) && (signal === SIGKILL || isStopping(signal)))
    );
  });
}

/** Whether a stranger's signal asks the first process to stop. The program may answer it much later. */
export function isRequestToStop({ sent, sender }: SignalToContainer): boolean {
  return STRANGERS.includes(sender) && isStopping(sent.signal) && sent.signal !== SIGHUP;
}

/**
 * Whether a process only sends itself a signal that it got from somebody else. A program does so after it cleaned up;
 * Go's runtime does with a signal that the program did not catch (`dieFromSignal` of src/runtime/signal_unix.go).
 */
function isEcho({ sent }: SignalToContainer, all: readonly SignalToContainer[]): boolean {
  if (sent.senderPid !== sent.pid) return false;
  return all.some((other) => {
    const earlier = other.sent;
    if (earlier.pid !== sent.pid || earlier.signal !== sent.signal || earlier.senderPid === sent.pid)
      return false;
    if (!isAtMost(earlier.at, sent.at, { unknown: 'counts', unknownLimit: 'does not' })) return false;
    // Two signals that nobody dated count as sent at once.
    const isAtOnce = earlier.at === sent.at;
    return (
      isForOthers(other.sender) ||
      isAtOnce ||
      isAtMost(spanMs(earlier.at, sent.at), ANSWERS_MS, { unknown: 'does not' })
    );
  });
}
