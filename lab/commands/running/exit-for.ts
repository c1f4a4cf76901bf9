import type { RunResult } from '../../model/saved/formats.ts';
import { EXIT_CODES, toExitCode } from '../../model/errors/exit-status.ts';
import type { VerbAnswer } from '../context/answer.ts';

/** With this code `git bisect run` skips the commit (git-bisect(1)). */
const SKIP = 125;
/** With this code it stops, as with any above 127. The codes 2, 3 and 70 of whodunit would count as bad. */
const STOP = 255;

/** Returns the exit code of a run for `git bisect run`. A run that observed nothing is neither good nor bad. */
export function codeForGitBisect({ status, json }: Pick<VerbAnswer, 'status' | 'json'>): number {
  const code = toExitCode(status);
  if (code === EXIT_CODES.failed) return code;
  if (code === EXIT_CODES.inconclusive) return SKIP;
  if (code !== EXIT_CODES.passed) return STOP;
  // The totals of a dry run are of the plan: nothing has passed.
  const { totals } = json as { readonly totals?: Partial<RunResult['totals']> };
  return (totals?.passed ?? 0) === 0 ? SKIP : code;
}

/** Returns the exit code of an error. With `--exit-for` it makes `git bisect run` stop. */
export function codeOfError(words: readonly string[], code: number): number {
  return words.some((word) => /^--exit-for(=|$)/.test(word)) ? STOP : code;
}
