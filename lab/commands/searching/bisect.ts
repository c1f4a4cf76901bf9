import { describeBisect } from '../../experiment/bisect/describe-bisect.ts';
import { searchVersions } from '../../experiment/bisect/search-versions.ts';
import { renderBisectMarkdown } from '../../report/markdown/render-bisect-markdown.ts';
import { renderBisect, renderBisectCost } from '../../report/terminal/render-bisect.ts';
import type { BisectHead, SearchedRun, SearchNext } from '../../model/saved/search.ts';
import type { RunVerb } from '../context/context.ts';
import { answerSearch } from './answer-search.ts';
import { runSearch } from './run-search.ts';
import { planBisect } from './plan-bisect.ts';
import { resumeState, type Search } from './search-state.ts';
import { getWritableBugFile, writeFirstVersions } from './write-first-versions.ts';

/** `whodunit bisect <address or bug> --axis <axis>`: searches for the version with which a death changes. */
export const runBisect: RunVerb = async (context, words, flags) => {
  const search: Search<BisectHead> =
    flags.resume === true
      ? resumeState(context, 'bisect', words, flags.budget)
      : { head: await planBisect(context, words, flags), seen: [] };
  const { head } = search;
  const file = flags.write === true && flags.dryRun !== true ? getWritableBugFile(context, head) : undefined;
  if (flags.dryRun !== true && head.saved === undefined)
    context.progress.note(renderBisectCost(describeBisect(head, search.seen)));
  const seen =
    flags.dryRun === true
      ? search.seen
      : await runSearch(context, flags, search, (runs) => findNext(head, runs));
  const result = describeBisect(head, seen);
  return answerSearch(context, flags, result, {
    markdown: renderBisectMarkdown,
    page: renderBisect,
    cost: renderBisectCost,
    written: file === undefined ? [] : writeFirstVersions(file, result),
  });
};

function findNext(head: BisectHead, seen: readonly SearchedRun[]): SearchNext | undefined {
  const { next } = searchVersions(head, seen);
  const value = head.values.find((version) => version.value === next?.value);
  if (next === undefined || value === undefined) return undefined;
  const { runs, isFresh, seconds } = next;
  return { address: value.address, runs, isFresh, seconds };
}
