import { describeDifference } from '../../experiment/difference/describe-difference.ts';
import type { AskableCell } from '../../experiment/difference/search-cells.ts';
import type { DifferenceHead, DifferenceResult, SearchedRun } from '../../model/saved/search.ts';
import { addressWord } from '../../model/host/cell-address.ts';
import { shellWord } from '../../model/text/shell.ts';
import { renderDifferenceMarkdown } from '../../report/markdown/render-bisect-markdown.ts';
import { renderDifference, renderDifferenceCost } from '../../report/terminal/render-bisect.ts';
import type { RunVerb } from '../context/context.ts';
import { answerSearch } from './answer-search.ts';
import { runSearch } from './run-search.ts';
import { isSearchable } from './list-values.ts';
import { createCellOf, planDifference } from './plan-difference.ts';
import { resumeState, type Search } from './search-state.ts';
import { loadQuietly } from '../setup/config.ts';

/** `whodunit difference <red> <green>`: searches for the smallest set of differences that turns green into red. */
export const runDifference: RunVerb = async (context, words, flags) => {
  const config = loadQuietly(context);
  const search: Search<DifferenceHead> =
    flags.resume === true
      ? resumeState(context, 'difference', words, flags.budget)
      : { head: planDifference(context, config, words, flags), seen: [] };
  const { head } = search;
  const cellOf = createCellOf(context, config, head);
  const describe = (seen: readonly SearchedRun[]): DifferenceResult => describeDifference(head, seen, cellOf);
  if (flags.dryRun !== true && head.saved === undefined)
    context.progress.note(renderDifferenceCost(describe(search.seen)));
  const seen =
    flags.dryRun === true
      ? search.seen
      : await runSearch(context, flags, search, (runs) => describe(runs).next);
  return answerSearch(context, flags, offerBisect(describe(seen), cellOf), {
    markdown: renderDifferenceMarkdown,
    page: renderDifference,
    cost: renderDifferenceCost,
  });
};

/** Adds the command that finds the version, if the only difference is one of versions. */
function offerBisect(
  result: DifferenceResult,
  cellOf: (changed: readonly string[]) => AskableCell,
): DifferenceResult {
  const [only, ...others] = result.differences.filter(({ isNeeded }) => isNeeded === true);
  if (result.outcome !== 'found' || only === undefined || others.length > 0) return result;
  const { name, red, green } = only;
  if (!isSearchable(name, red, green)) return result;
  const { address } = cellOf([name]);
  return {
    ...result,
    bisect: `npx whodunit bisect ${addressWord(address)} --axis ${name} --good ${shellWord(green)} --bad ${shellWord(red)}`,
  };
}
