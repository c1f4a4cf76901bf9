import { describeBisect } from '../../experiment/bisect/describe-bisect.ts';
import { searchVersions } from '../../experiment/bisect/search-versions.ts';
import { renderBisectMarkdown } from '../../report/markdown/render-bisect-markdown.ts';
import { renderBisect, renderBisectCost } from '../../report/terminal/render-bisect.ts';
import type { BisectHead, SearchedRun, SearchNext } from '../../model/saved/search.ts';
import type { VerbAnswer } from '../context/answer.ts';
import type { Context, RunVerb } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { runSearch } from './observe-runs.ts';
import { planBisect } from './plan-bisect.ts';
import { resumeState, type Search } from './state-file.ts';
import { writeFound } from './write-found.ts';

/** `whodunit bisect <address or bug> --axis <axis>`: searches the version with which a death changes. */
export const runBisect: RunVerb = async (context, words, flags) => {
  const search: Search<BisectHead> =
    flags.resume === true
      ? resumeState(context, 'bisect', words, flags.budget)
      : { head: await planBisect(context, words, flags), seen: [] };
  const { head } = search;
  const isStarted = flags.dryRun !== true || flags.resume === true;
  if (flags.dryRun === true) return answerBisect(context, flags, head, search.seen, isStarted);
  if (head.saved === undefined) context.progress.note(renderBisectCost(describeBisect(head, search.seen)));
  const seen = await runSearch(context, flags, search, (runs) => findNext(head, runs));
  return answerBisect(context, flags, head, seen, isStarted);
};

function findNext(head: BisectHead, seen: readonly SearchedRun[]): SearchNext | undefined {
  const { next } = searchVersions(head, seen);
  const value = head.values.find((one) => one.value === next?.value);
  if (next === undefined || value === undefined) return undefined;
  const { runs, isFresh, seconds } = next;
  return { address: value.address, runs, isFresh, seconds };
}

function answerBisect(
  context: Context,
  flags: Flags,
  head: BisectHead,
  seen: readonly SearchedRun[],
  isStarted: boolean,
): VerbAnswer {
  const described = describeBisect(head, seen);
  const result = isStarted ? described : { ...described, search: undefined };
  const status = context.signal.aborted
    ? 'interrupted'
    : result.outcome === 'found' || flags.dryRun === true
      ? 'passed'
      : 'inconclusive';
  const written = flags.write === true && flags.dryRun !== true ? writeFound(context, result) : [];
  return {
    status,
    json: result,
    ...(flags.markdown === true
      ? { text: () => renderBisectMarkdown(result).trimEnd() }
      : {
          page: () =>
            [renderBisect(result), ...(isStarted ? [] : [renderBisectCost(result)]), ...written].join('\n'),
        }),
  };
}
