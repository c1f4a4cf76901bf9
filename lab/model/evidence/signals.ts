/** Names of the Linux signals that can end a process, by their numbers on x86 and arm64 (signal(7)). */
export const SIGNAL_NAMES: Readonly<Record<number, string>> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  3: 'SIGQUIT',
  4: 'SIGILL',
  5: 'SIGTRAP',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  9: 'SIGKILL',
  10: 'SIGUSR1',
  11: 'SIGSEGV',
  12: 'SIGUSR2',
  13: 'SIGPIPE',
  14: 'SIGALRM',
  15: 'SIGTERM',
  16: 'SIGSTKFLT',
  24: 'SIGXCPU',
  25: 'SIGXFSZ',
  28: 'SIGWINCH',
  30: 'SIGPWR',
  31: 'SIGSYS',
};

/** The name of a signal, else its number: `SIGKILL`, `signal 37`. */
export function nameSignal(signal: number): string {
  return SIGNAL_NAMES[signal] ?? `signal ${signal}`;
}

/** The exit status that shells and runtimes report for an end by a signal: 137 for SIGKILL. */
export function statusOfSignal(signal: number): number {
  return 128 + signal;
}

export const SIGHUP = 1;
export const SIGINT = 2;
export const SIGQUIT = 3;
export const SIGILL = 4;
export const SIGTRAP = 5;
export const SIGABRT = 6;
export const SIGBUS = 7;
export const SIGFPE = 8;
export const SIGKILL = 9;
export const SIGUSR1 = 10;
export const SIGSEGV = 11;
export const SIGUSR2 = 12;
export const SIGALRM = 14;
export const SIGTERM = 15;
export const SIGXCPU = 24;
export const SIGXFSZ = 25;
export const SIGWINCH = 28;
export const SIGPWR = 30;
export const SIGSYS = 31;

/**
 * si_code of kill(2), and of signals that the kernel sends as if the current process had sent them (SEND_SIG_NOINFO).
 */
export const SI_USER = 0;
/**
 * si_code in `signal:signal_generate` of a signal that the kernel sends by itself, without details
 * (include/trace/events/signal.h). Its sender in the trace is whoever was on the CPU.
 */
export const SI_KERNEL = 128;
/** si_code of a timer that the process made with timer_create(2). Its sender in the trace is whoever was on the CPU. */
export const SI_TIMER = -2;
/** si_code of SIGBUS for memory that the hardware broke: the process has read it (siginfo.h of Linux). */
export const BUS_MCEERR_AR = 4;
/** The same, before the process has read it. */
export const BUS_MCEERR_AO = 5;
