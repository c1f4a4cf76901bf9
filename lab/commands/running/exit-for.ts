import type { RunResult } from '../../model/saved/formats.ts';
import { EXIT_CODES, toExitCode } from '../../model/errors/exit-status.ts';
import type { VerbAnswer } from '../context/answer.ts';

/** `git bisect run` leaves a commit out (git-bisect(1)). */
const SKIP = 125;
/** It stops: any code above 127 does that. Our own 2, 3 and 70 would count as bad. */
const STOP = 255;

/** The exit code of a run for `git bisect run`: nothing that was not seen counts as good or as bad. */
export function codeForGitBisect({ status, json }: Pick<VerbAnswer, 'status' | 'json'>): number {
  const code = toExitCode(status);
  if (code === EXIT_CODES.failed) return code;
  if (code === EXIT_CODES.inconclusive) return SKIP;
  if (code !== EXIT_CODES.passed) return STOP;
  // What was only planned has no totals.
  const { totals } = json as Partial<Pick<RunResult, 'totals'>>;
  return totals === undefined || totals.passed === 0 ? SKIP : code;
}

/** The exit code of an error: that of `git bisect run` where the words ask for it. */
export function codeOfError(words: readonly string[], code: number): number {
  return words.some((word) => /^--exit-for(=|$)/.test(word)) ? STOP : code;
}
