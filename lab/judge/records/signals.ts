import {
  SIGABRT,
  SIGBUS,
  SIGFPE,
  SIGHUP,
  SIGILL,
  SIGINT,
  SIGPWR,
  SIGQUIT,
  SIGSEGV,
  SIGTERM,
  SIGTRAP,
} from '../../model/evidence/signals.ts';

/** What a signal means to a program, and which signals the witness traces; by number, on x86 and arm64 (signal(7)). */

/** CHLD, CONT, STOP, TSTP, TTIN, TTOU, URG, VTALRM, PROF, POLL: the witness does not trace them (provision/guest/witness/trace.go). */
const UNTRACED = [17, 18, 19, 20, 21, 22, 23, 26, 27, 29];
/** These ask a program to stop; it then ends with a code of its own choice. */
const STOPPING = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPWR];
/** systemd as a first process stops by SIGRTMIN+3, other init systems by signals near it. */
const FIRST_REALTIME = 34;

/** Whether a signal asks a program to end. */
export function isStopping(signal: number): boolean {
  return STOPPING.includes(signal) || signal >= FIRST_REALTIME;
}

/** Signals that the kernel, or abort(), raises for a fault of a program. */
const FAULTS = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV];

/** Whether a signal tells of a fault of the program itself: hardly anybody sends it from outside. */
export function isFault(signal: number): boolean {
  return FAULTS.includes(signal);
}

/** Whether Linux has a signal of this number. */
export function isSignal(signal: number): boolean {
  return signal > 0 && signal < 65;
}

/** Whether a whole trace would have shown this signal. */
export function isTraced(signal: number): boolean {
  return isSignal(signal) && !UNTRACED.includes(signal);
}
