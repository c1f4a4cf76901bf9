import type { Observation, ProcessSeen, SignalSent } from '../model/observation.ts';

/** Who sent a signal, as far as the trace tells. */
export type SenderKind = 'container' | 'runtime' | 'kernel' | 'systemd-oomd' | 'earlyoom' | 'outside';

/** The signal that ended the container. */
export interface KillingSignal {
  readonly sent: SignalSent;
  readonly sender: SenderKind;
  /** It hit the first process of the container, so the container ended with it. */
  readonly hitInit: boolean;
}

/** Signals that the witness does not trace (provision/guest/witness/trace.go): the trace says nothing about them. */
const UNTRACED = [17, 18, 19, 20, 21, 22, 23, 26, 27, 29];
export const SIGKILL = 9;
const SIGHUP = 1;
const FROM_OUTSIDE: readonly SenderKind[] = ['outside', 'systemd-oomd', 'earlyoom'];
/** HUP, INT, QUIT, TERM: asked to stop by one of these, a program ends with a code of its own choice. */
const STOPPING = [1, 2, 3, 15];
/** si_code SI_TIMER: the sender in the trace is whoever was on the CPU when the process's own timer ran out. */
const SI_TIMER = -2;
/** si_code SI_KERNEL of include/uapi/asm-generic/siginfo.h. */
const SI_KERNEL = 128;
/** Signals that the kernel raises for a fault of the process itself, with a positive si_code. */
const FAULTS = [4, 7, 8, 11, 31];
/** Somebody's stop signal longer ago than this is not related to the end; the runtime's is, however long it takes. */
const ANSWER_MS = 10_000;
const LATE_MS = 50;
/** A child that was killed counts as the cause only when the container ended right after. */
const CHILD_MS = 2000;
/** Process names are cut to 15 bytes: this is also containerd-shim-runc-v2. */
const RUNTIMES = /^(?:containerd|containerd-shim|runc(?::\[.*)?|runsc.*|crun|exe)$/;

/**
 * Finds the signal that ended the container: the first SIGKILL, which nothing can survive, else the last one before
 * the end that fits the exit code, else a request to stop that was answered by ending. The runtime sends the
 * STOPSIGNAL of the image, which may be any signal, and waits for the whole grace period.
 */
export function findKillingSignal(
  observations: readonly Observation[],
  processes: readonly ProcessSeen[],
  init: ProcessSeen | undefined,
  endedAt: number | undefined,
  containerId: string,
  exitCode: number | undefined,
): KillingSignal | undefined {
  if (endedAt === undefined || init === undefined) return undefined;
  const all = listSignals(observations, processes, init, endedAt);
  const hits = all.filter((each) => each.pid === init.pid);
  const isRuntimes = (each: SignalSent): boolean => senderOf(each, processes, containerId) === 'runtime';
  const toInit = hits.filter((each) => !isEcho(each, hits, isRuntimes));
  const kill = toInit.find((each) => each.signal === SIGKILL);
  const fitting = toInit.findLast((each) => exitCode === 128 + each.signal);
  const answered = toInit.findLast(
    (each) => isRuntimes(each) || (isStopping(each.signal) && endedAt - (each.at ?? 0) <= ANSWER_MS),
  );
  const sent = kill ?? fitting ?? answered;
  if (sent !== undefined) return { sent, sender: senderOf(sent, processes, containerId), hitInit: true };
  const pids = new Set(processes.map((each) => each.pid));
  const endsIt = (each: SignalSent, sender: SenderKind): boolean =>
    each.signal === SIGKILL ||
    exitCode === 128 + each.signal ||
    (isStopping(each.signal) && FROM_OUTSIDE.includes(sender));
  // The runtime always signals the first process; of others it kills those of an exec, and what is left after the end.
  const toChild = all.findLast((each) => {
    const at = each.at ?? 0;
    if (!pids.has(each.pid) || at > endedAt || endedAt - at > CHILD_MS) return false;
    const sender = senderOf(each, processes, containerId);
    return sender !== 'runtime' && endsIt(each, sender);
  });
  return toChild && { sent: toChild, sender: senderOf(toChild, processes, containerId), hitInit: false };
}

/**
 * Whether a process only sends itself what it had got from somebody else. So it passes a signal on after it cleaned up:
 * Go's runtime does with one that the program did not catch (`dieFromSignal` of src/runtime/signal_unix.go).
 */
function isEcho(
  sent: SignalSent,
  hits: readonly SignalSent[],
  isRuntimes: (sent: SignalSent) => boolean,
): boolean {
  if (sent.senderPid !== sent.pid) return false;
  return hits.some((each) => {
    const waitedMs = (sent.at ?? 0) - (each.at ?? 0);
    if (each.signal !== sent.signal || each.senderPid === sent.pid || waitedMs < 0) return false;
    return isRuntimes(each) || waitedMs <= ANSWER_MS;
  });
}

/**
 * A request to stop from outside that the container was sent at any time before its end. Programs take as long as they
 * like to answer one; SIGHUP mostly means something else to them.
 */
export function findStopRequest(
  observations: readonly Observation[],
  processes: readonly ProcessSeen[],
  init: ProcessSeen | undefined,
  endedAt: number | undefined,
  containerId: string,
): SignalSent | undefined {
  if (endedAt === undefined || init === undefined) return undefined;
  return listSignals(observations, processes, init, endedAt).find(
    (each) =>
      each.pid === init.pid &&
      isStopping(each.signal) &&
      each.signal !== SIGHUP &&
      FROM_OUTSIDE.includes(senderOf(each, processes, containerId)),
  );
}

/** All signals of the boot in which the container lived, from its beginning to its end. */
function listSignals(
  observations: readonly Observation[],
  processes: readonly ProcessSeen[],
  init: ProcessSeen,
  endedAt: number,
): SignalSent[] {
  const boot = init.boot;
  return observations.filter(
    (each): each is SignalSent =>
      each.kind === 'signal-sent' &&
      each.boot === boot &&
      isBefore(each, endedAt) &&
      isAfter(each, init, processes),
  );
}

/** Whether a signal asks a program to end. */
export function isStopping(signal: number): boolean {
  return STOPPING.includes(signal);
}

/** Whether a whole trace would have shown this signal. */
export function isTraced(signal: number): boolean {
  return signal > 0 && signal < 65 && !UNTRACED.includes(signal);
}

function isBefore(sent: SignalSent, endedAt: number): boolean {
  return sent.at === undefined || sent.at <= endedAt + LATE_MS;
}

/** The pid may have belonged to somebody else earlier. */
function isAfter(sent: SignalSent, init: ProcessSeen, processes: readonly ProcessSeen[]): boolean {
  const first = processes.find((each) => each.pid === init.pid)?.at;
  return sent.at === undefined || first === undefined || sent.at >= first - CHILD_MS;
}

function senderOf(sent: SignalSent, processes: readonly ProcessSeen[], containerId: string): SenderKind {
  if (FAULTS.includes(sent.signal) && sent.code > 0) return 'container';
  if (sent.code === SI_TIMER) return 'container';
  if (sent.code === SI_KERNEL) return 'kernel';
  if (sent.senderCgroup?.includes(containerId) === true) return 'container';
  const isOwn = (each: ProcessSeen): boolean =>
    each.pid === sent.senderPid && (sent.senderCgroup === undefined || each.cgroup === sent.senderCgroup);
  if (processes.some(isOwn)) return 'container';
  if (isService(sent, 'systemd-oomd')) return 'systemd-oomd';
  if (isService(sent, 'earlyoom')) return 'earlyoom';
  return isRuntime(sent) ? 'runtime' : 'outside';
}

/** A program may call itself anything; a service also lives in the cgroup of its unit. */
function isService(sent: SignalSent, name: string): boolean {
  const lives = sent.senderCgroup === undefined || sent.senderCgroup.includes(`/${name}.service`);
  return sent.senderComm === name && lives;
}

/** A program may call itself runc; the runtime's own processes also live in the runtime's service, and in no pod. */
function isRuntime(sent: SignalSent): boolean {
  const inService =
    sent.senderCgroup === undefined ||
    (/\/(?:containerd|kubelet)\.service/.test(sent.senderCgroup) && !sent.senderCgroup.includes('kubepods'));
  return RUNTIMES.test(sent.senderComm) && inService;
}
