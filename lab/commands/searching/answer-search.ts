import type { BisectResult, DifferenceResult } from '../../model/saved/search.ts';
import type { VerbAnswer } from '../context/answer.ts';
import type { Context } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';

/** How the answer of a search is printed. */
interface SearchPages<Result> {
  readonly markdown: (result: Result) => string;
  readonly page: (result: Result) => string;
  /** Of a search that was not begun. */
  readonly cost: (result: Result) => string;
  /** Lines about what was written. */
  readonly written?: readonly string[];
}

/** Whether a search has a state: a dry run begins none, and may be asked about one that was begun. */
function isBegun({ dryRun, resume }: Flags): boolean {
  return dryRun !== true || resume === true;
}

/** Answers what a search has found, or what it would take. */
export function answerSearch<Result extends BisectResult | DifferenceResult>(
  { signal }: Pick<Context, 'signal'>,
  flags: Flags,
  described: Result,
  { markdown, page, cost, written = [] }: SearchPages<Result>,
): VerbAnswer {
  const result = isBegun(flags) ? described : { ...described, search: undefined };
  const isAnswer = result.outcome === 'found' || flags.dryRun === true;
  const answer: VerbAnswer = {
    status: signal.aborted ? 'interrupted' : isAnswer ? 'passed' : 'inconclusive',
    json: result,
  };
  if (flags.markdown === true) return { ...answer, text: () => markdown(result).trimEnd() };
  const costs = isBegun(flags) ? [] : [cost(result)];
  return { ...answer, page: () => [page(result), ...costs, ...written].join('\n') };
}
