import { basename, dirname, resolve } from 'node:path';
import { describeBisect } from '../../experiment/bisect/describe-bisect.ts';
import { describeDifference } from '../../experiment/difference/describe-difference.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { statePaths } from '../../model/host/paths.ts';
import type { BisectResult, DifferenceResult } from '../../model/saved/search.ts';
import { plainJson } from '../../model/text/plain-text.ts';
import {
  renderBisectMarkdown,
  renderDifferenceMarkdown,
} from '../../report/markdown/render-bisect-markdown.ts';
import { renderBisect, renderDifference } from '../../report/terminal/render-bisect.ts';
import type { VerbAnswer } from '../context/answer.ts';
import type { Context } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { spellPath } from '../context/spell-path.ts';
import { findRunIds } from '../saved/find-cells.ts';
import { loadQuietly } from '../setup/config.ts';
import { createCellOf } from './plan-difference.ts';
import { findSearch, readState, type FoundSearch } from './search-state.ts';
import { renderSearchPage, writeSearchPage } from './write-search-page.ts';

/**
 * Returns the search that a word of `whodunit report` names: its id, the beginning of exactly one id, or its folder.
 * Undefined when the word names a run, or nothing.
 */
export function findReportedSearch(context: Context, word: string | undefined): FoundSearch | undefined {
  if (word === undefined || word === 'latest') return undefined;
  const path = resolve(word);
  const isFolder = dirname(path) === resolve(statePaths(context.stateDir).searches);
  if (!isFolder && findRunIds(context, word).length > 0) return undefined;
  return findSearch(context, isFolder ? basename(path) : word);
}

/** `whodunit report <search>`: prints the result of a search and writes its page again, or prints one of the formats. */
export function reportSearch(context: Context, found: FoundSearch, flags: Flags): VerbAnswer {
  const format = flags.json === true ? 'json' : flags.format;
  if (flags.table === true || format === 'junit')
    throw new UsageError(
      `${found.id} is a search, which has no ${flags.table === true ? 'table of ends' : 'JUnit file'}`,
      { tryNext: `npx whodunit report ${found.id}` },
    );
  const result = describeState(context, found);
  if (format === 'json') return { status: 'passed', text: () => plainJson(JSON.stringify(result, null, 2)) };
  if (format === 'html') return { status: 'passed', text: () => renderSearchPage(context, result).trimEnd() };
  if (format === 'markdown')
    return {
      status: 'passed',
      text: () =>
        ('axis' in result ? renderBisectMarkdown(result) : renderDifferenceMarkdown(result)).trimEnd(),
    };
  const path = spellPath(writeSearchPage(context, result) ?? '');
  const text = 'axis' in result ? renderBisect(result, path) : renderDifference(result, path);
  return { status: 'passed', page: () => text };
}

function describeState(context: Context, { id, kind }: FoundSearch): BisectResult | DifferenceResult {
  const { head, seen } = readState(context, { search: id, kind });
  if (head.kind === 'bisect') return describeBisect(head, seen);
  return describeDifference(head, seen, createCellOf(context, loadQuietly(context), head));
}
