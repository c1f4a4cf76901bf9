import type { Effective } from '../../model/saved/effective.ts';
import type { CellResult, RunResult } from '../../model/saved/formats.ts';
import type { Verdict } from '../../model/killers/killers.ts';
import { ownValue } from '../../model/text/own-value.ts';
import { html, rawElement, type Html } from '../text/html.ts';
import { renderCellPage, renderEvidence, type ShownEvidence } from './cell-page.ts';
import { linkToCell } from './links.ts';
import { renderOverview } from './overview.ts';
import { renderPageHead } from './page-head.ts';
import { packElement, renderSections, type Section } from './pack-sections.ts';
import type { Doubt, RunReport } from './run-report.ts';
import { searchTextOf } from './search-text.ts';
import { twinFinder } from './twin.ts';
import { rankOf } from '../words/recorded-run.ts';
import { renderTotals } from '../terminal/render-summary.ts';

/** The page of a run, and the cells with results that, as it says, do not follow from the evidence. */
export interface RenderedReport {
  readonly text: string;
  readonly doubts: readonly Doubt[];
}

/** The order of the page: what needs somebody comes first. */
const ORDER: readonly Verdict[] = ['failed', 'inconclusive', 'interrupted', 'passed', 'skipped'];
/** Values of one version that are listed in the head of the page. */
const MAX_VERSIONS = 4;

/**
 * Renders a run as one HTML file that loads nothing. Links lead to the evidence as long as the file is in the folder of
 * its run.
 */
export function renderHtml(report: RunReport): RenderedReport {
  const { result, assets } = report;
  const cells = ORDER.flatMap((verdict) => result.cells.filter((cell) => cell.verdict === verdict));
  const { sections, texts, doubts } = renderCells(report, cells);
  const page = html`<!doctype html>
    <html lang="en">
      ${renderPageHead(`whodunit ${result.run}: ${renderTotals(result)}`, assets)}
      <body>
        <a class="skip" href="#cells">to the cells</a>
        ${renderHead(report)} ${renderDoubts(doubts)} ${renderOverview(report, cells)}
        <main id="cell" hidden></main>
        ${renderSections(sections)}
        <footer>
          <p>
            Written by whodunit ${report.version}. The same in a terminal:
            <code>npx whodunit why &lt;cell&gt;</code>
          </p>
        </footer>
        ${packElement('id="search-texts"', texts)} ${rawElement('script', assets.script)}
      </body>
    </html>`;
  return { text: page.text, doubts };
}

/** What the page has of its cells besides the overview. */
interface RenderedCells {
  readonly sections: readonly Section[];
  /** In which the search looks, by address. */
  readonly texts: Readonly<Record<string, string>>;
  readonly doubts: readonly Doubt[];
}

function renderCells(report: RunReport, cells: readonly CellResult[]): RenderedCells {
  // The evidence of one cell at a time; what is shown of it is little.
  const shown = new Map(
    cells.map((cell) => {
      const facts = report.factsOf(cell);
      return [cell, { ...renderEvidence(cell, facts), text: searchTextOf(cell, facts) }];
    }),
  );
  const show = (cell: CellResult): ShownEvidence & { readonly text: string } => shown.get(cell)!;
  const doubts = cells.flatMap((cell): Doubt[] => {
    const { warning } = show(cell);
    return warning === undefined ? [] : [{ address: cell.address, warning }];
  });
  const twinOf = twinFinder(cells);
  const sections = cells.map((cell, index): Section => {
    const twin = twinOf(cell);
    const page = renderCellPage({
      cell,
      versions: report.versions,
      history: report.histories.get(cell.address),
      shown: show(cell),
      twin: twin === undefined ? undefined : { cell: twin, axis: show(twin).axis },
      previous: cells[index - 1],
      next: cells[index + 1],
    });
    return { address: cell.address, page, rank: rankOf(cell) };
  });
  const texts = Object.fromEntries(cells.map((cell) => [cell.address, show(cell).text]));
  return { sections, texts, doubts };
}

/** The cells whose results nobody should believe. */
function renderDoubts(doubts: readonly Doubt[]): Html {
  if (doubts.length === 0) return html``;
  const links = doubts.map((doubt) => html`${linkToCell(doubt)} `);
  return html`<p class="problem">The evidence does not say what these results say: ${links}</p>`;
}

function renderHead({ result, versions, version }: RunReport): Html {
  const { run, startedAt, accelerator } = result;
  return html`<header id="top">
    <p class="tool"><strong>whodunit</strong> ${version}</p>
    <h1>${renderTotals(result)}</h1>
    <p>
      Run ${run}, started <time>${startedAt.slice(0, 16).replace('T', ' ')}</time> UTC,
      ${accelerator === 'kvm' ? 'KVM' : 'emulated'}. Host: ${describeHost(result)}.
    </p>
    ${renderVersions([...versions.values()])}
  </header>`;
}

function describeHost({ host }: RunResult): string {
  return Object.entries(host)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

/** Each program with its versions in this run. */
function renderVersions(all: readonly Effective['versions'][]): Html {
  const programs = [...new Set(all.flatMap((versions) => Object.keys(versions)))];
  const texts = programs.map((name) => {
    const found = [...new Set(all.flatMap((versions) => ownValue(versions, name) ?? []))];
    const more = found.length > MAX_VERSIONS ? ` and ${found.length - MAX_VERSIONS} more` : '';
    return `${name} ${found.slice(0, MAX_VERSIONS).join(', ')}${more}`;
  });
  return texts.length === 0 ? html`` : html`<p class="hint">Versions: ${texts.join('; ')}.</p>`;
}
