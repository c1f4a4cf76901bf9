/**
 * Every exit code of the program, by the reason to end with it. No other file knows the numbers, but
 * bin/launch-error.mjs has those that are needed before the program is there.
 */
export const EXIT_CODES = {
  passed: 0,
  failed: 1,
  usage: 2,
  /** Evidence is missing, so there is no verdict. */
  inconclusive: 3,
  /** The host, a machine or a file of the state folder is in the way. */
  host: 3,
  internal: 70,
  interrupted: 130,
} as const;

/** A reason to end. */
export type ExitReason = keyof typeof EXIT_CODES;

/** What each exit code means, as the help prints it. */
export const EXIT_MEANINGS: Readonly<Record<(typeof EXIT_CODES)[ExitReason], string>> = {
  0: 'success: every cell passed, or a rule skipped it',
  1: 'a cell failed',
  2: 'the command line or a file of the project is wrong',
  3: 'inconclusive: evidence is missing, or the host or a machine has a problem',
  70: 'a bug in whodunit',
  130: 'interrupted; everything that was started is undone',
};

/** How a verb ends: a reason of our own, or the exit code of the program that it ran. */
export type ExitStatus = ExitReason | number;

/** The exit code of the process. */
export function toExitCode(status: ExitStatus): number {
  return typeof status === 'number' ? status : EXIT_CODES[status];
}
