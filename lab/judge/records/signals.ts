/** What a signal means to a program, and which signals the witness traces; by number, on x86 and arm64 (signal(7)). */

/** Signals that the witness does not trace (provision/guest/witness/trace.go). */
const UNTRACED = [17, 18, 19, 20, 21, 22, 23, 26, 27, 29];
/** HUP, INT, QUIT, TERM, PWR ask a program to stop; it then ends with a code of its own choice. */
const STOPPING = [1, 2, 3, 15, 30];
/** systemd as a first process stops by SIGRTMIN+3, other init systems by signals near it. */
const FIRST_REALTIME = 34;

/** Whether a signal asks a program to end. */
export function isStopping(signal: number): boolean {
  return STOPPING.includes(signal) || signal >= FIRST_REALTIME;
}

/** Signals that the kernel, or abort(), raises for a fault of a program: ILL, TRAP, ABRT, BUS, FPE, SEGV. */
const FAULTS = [4, 5, 6, 7, 8, 11];

/** Whether a signal tells of a fault of the program itself: hardly anybody sends it from outside. */
export function isFault(signal: number): boolean {
  return FAULTS.includes(signal);
}

/** Whether a whole trace would have shown this signal. */
export function isTraced(signal: number): boolean {
  return signal > 0 && signal < 65 && !UNTRACED.includes(signal);
}
