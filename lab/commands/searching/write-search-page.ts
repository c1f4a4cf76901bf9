import { writeTextAtomic } from '../../drivers/files/files.ts';
import { statePaths } from '../../model/host/paths.ts';
import type { BisectResult, DifferenceResult } from '../../model/saved/search.ts';
import { renderBisectHtml, renderDifferenceHtml } from '../../report/page/search-page.ts';
import type { Context } from '../context/context.ts';
import { readOwnVersion } from '../context/own-version.ts';
import { readPageStyle } from '../output/page-assets.ts';

type PageContext = Pick<Context, 'stateDir' | 'projectDir'>;

/** Renders the page of a search for a browser. */
export function renderSearchPage(context: PageContext, result: BisectResult | DifferenceResult): string {
  const assets = { style: readPageStyle(context), version: readOwnVersion() };
  return 'axis' in result ? renderBisectHtml(result, assets) : renderDifferenceHtml(result, assets);
}

/**
 * Writes the page of a search beside its state.
 *
 * @returns the path of the page; undefined for a search that was not started.
 */
export function writeSearchPage(
  context: PageContext,
  result: BisectResult | DifferenceResult,
): string | undefined {
  if (result.search === undefined) return undefined;
  const { html } = statePaths(context.stateDir).search(result.search);
  writeTextAtomic(html, renderSearchPage(context, result));
  return html;
}
