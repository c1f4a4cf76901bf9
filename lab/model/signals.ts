/** Names of the Linux signals that can end a process, by number; the numbers of x86 and arm64 (signal(7)). */
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

export const SIGKILL = 9;
export const SIGXCPU = 24;
export const SIGXFSZ = 25;
export const SIGSYS = 31;

/** si_code of kill(2), and of what the kernel sends in the name of whoever caused it (SEND_SIG_NOINFO). */
export const SI_USER = 0;
/**
 * What `signal:signal_generate` shows as si_code of a signal that the kernel sends by itself, without further details
 * (include/trace/events/signal.h). Its sender is then whoever was on the CPU.
 */
export const SI_KERNEL = 128;
/** A timer that the process itself had made with timer_create(2); its sender is whoever was on the CPU. */
export const SI_TIMER = -2;
