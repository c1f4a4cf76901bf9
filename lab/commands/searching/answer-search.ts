import type { BisectResult, DifferenceResult } from '../../model/saved/search.ts';
import type { VerbAnswer } from '../context/answer.ts';
import type { Context } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { spellPath } from '../context/spell-path.ts';
import { writeSearchPage } from './write-search-page.ts';

/** How the answer of a search is printed. */
interface SearchPages<Result> {
  readonly markdown: (result: Result) => string;
  /** The page for a terminal; `html` is the path of the page for a browser, if that was written. */
  readonly page: (result: Result, html?: string) => string;
  /** The cost of a search that was not started. */
  readonly cost: (result: Result) => string;
  /** Lines about files that were written. */
  readonly written?: readonly string[];
}

/** Whether a search has a state. A dry run starts none, but with --resume it shows one that was started. */
function isBegun({ dryRun, resume }: Flags): boolean {
  return dryRun !== true || resume === true;
}

/** Answers with the result of a search, or with its cost. Writes the page of a search that was started. */
export function answerSearch<Result extends BisectResult | DifferenceResult>(
  context: Pick<Context, 'signal' | 'stateDir' | 'projectDir'>,
  flags: Flags,
  described: Result,
  { markdown, page, cost, written = [] }: SearchPages<Result>,
): VerbAnswer {
  const result = isBegun(flags) ? described : { ...described, search: undefined };
  const path = flags.dryRun === true ? undefined : writeSearchPage(context, described);
  const isAnswer = result.outcome === 'found' || flags.dryRun === true;
  const answer: VerbAnswer = {
    status: context.signal.aborted ? 'interrupted' : isAnswer ? 'passed' : 'inconclusive',
    json: result,
  };
  if (flags.markdown === true) return { ...answer, text: () => markdown(result).trimEnd() };
  const costs = isBegun(flags) ? [] : [cost(result)];
  return {
    ...answer,
    page: () =>
      [page(result, path === undefined ? undefined : spellPath(path)), ...costs, ...written].join('\n'),
  };
}
