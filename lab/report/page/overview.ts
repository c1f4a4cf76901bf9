import { formatDuration } from '../../model/text/format-duration.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import type { Verdict } from '../../model/killers/killers.ts';
import { describeKnownBug } from '../words/bug-facts.ts';
import { html, type Html } from '../text/html.ts';
import { quote } from '../text/page-rows.ts';
import { describeKiller } from '../words/describe-verdict.ts';
import { renderMismatches } from './cell-page.ts';
import { renderExperiments } from './experiment-section.ts';
import { renderFilter } from './filter-form.ts';
import { renderHeatMap } from './heat-map.ts';
import { linkToCell, linkToRecord } from './links.ts';
import { renderPast } from './past-runs.ts';
import type { Flip, RunReport } from './run-report.ts';

type Histories = RunReport['histories'];

/** All cells of a run: the map, what did not pass beside it, then the others, a line each. */
export function renderOverview(
  { result, flips, histories, proved }: RunReport,
  cells: readonly CellResult[],
): Html {
  const of = (verdict: Verdict): CellResult[] => cells.filter((cell) => cell.verdict === verdict);
  const problems = (heading: string, verdict: Verdict): Html =>
    renderProblems(heading, verdict, of(verdict), histories);
  return html`<main id="overview">
    <p id="unknown" class="problem" role="alert" hidden></p>
    ${renderExperiments(proved, result.investigated)} ${renderFilter(cells)}
    <div class="front">
      ${renderHeatMap(result.cells)}
      <div class="beside">
        <div id="cells" tabindex="-1">
          ${of('failed').length === 0 ? html`<p class="hint">Nothing failed.</p>` : ''}
          ${problems('Failed', 'failed')} ${problems('Inconclusive', 'inconclusive')}
          ${problems('Interrupted', 'interrupted')}
        </div>
        ${renderFlips(flips)}
      </div>
    </div>
    ${renderQuiet('passed', of('passed'), histories)} ${renderQuiet('skipped', of('skipped'), histories)}
  </main>`;
}

/** What changed since the last run of the same cells; nothing when nothing did. */
function renderFlips(flips: readonly Flip[]): Html {
  if (flips.length === 0) return html``;
  return html`<section id="flips">
    <h2>Changed since the last run of the same cells (${flips.length})</h2>
    <ul>
      ${flips.map(
        (flip) =>
          html`<li>
            ${linkToCell(flip)}:
            ${flip.changes.map(({ field, before, now }, index) => html`${index === 0 ? '' : ', '}${field} ${before} <span aria-hidden="true">→</span><span class="aside"> to </span> <strong>${now}</strong>`)}
            <span class="hint">since ${flip.startedAt.slice(0, 10)}, run ${flip.run}</span>
          </li> `,
      )}
    </ul>
  </section>`;
}

/** Cells that did not pass, each with the reason. */
function renderProblems(
  heading: string,
  id: string,
  cells: readonly CellResult[],
  histories: Histories,
): Html {
  if (cells.length === 0) return html``;
  return html`<section id="${id}" class="group">
    <h2>${heading} (<span class="count">${cells.length}</span>)</h2>
    ${cells.map((cell) => renderProblem(cell, histories))}
  </section>`;
}

function renderProblem(cell: CellResult, histories: Histories): Html {
  const { verdict, note, timings } = cell;
  const bug = describeKnownBug(cell);
  // The note of a bug says what became of it.
  const isSaid = cell.bug !== undefined && note?.startsWith(`bug ${cell.bug.id} `) === true;
  const sure = cell.attribution.confidence === 'proven' ? ', proven' : '';
  return html`<article class="cell ${verdict}" ${dataOf(cell)}>
    <h3>${linkToCell(cell)}</h3>
    <p>
      <span class="verdict">${verdict}</span> killer <strong>${describeKiller(cell)}</strong>${sure};
      <span class="whole">${formatDuration(timings.totalMs)}</span> ${renderPast(histories.get(cell.address))}
    </p>
    ${renderMismatches(cell)}
    ${note === undefined ? '' : html`<p class="note">${note}</p>`}${bug === undefined || isSaid ? '' : html`<p>bug ${bug}</p>`}
    ${renderFirstProof(cell)}
  </article> `;
}

function renderFirstProof(cell: CellResult): Html {
  const { chain, because } = cell.attribution;
  const first = chain?.[0] ?? because[0];
  if (first === undefined) return html``;
  return html`<p class="first">${linkToRecord(cell, first)} <code>${quote(first.text)}</code></p>`;
}

/** Cells in which nothing is to be done, one line each, behind a line with their number. */
function renderQuiet(heading: string, cells: readonly CellResult[], histories: Histories): Html {
  if (cells.length === 0) return html``;
  return html`<details class="group">
    <summary>
      <span class="count">${cells.length}</span> ${cells.length === 1 ? 'cell' : 'cells'} ${heading}
    </summary>
    <ul class="rows">
      ${cells.map((cell) => renderRow(cell, histories))}
    </ul>
  </details>`;
}

function renderRow(cell: CellResult, histories: Histories): Html {
  const { verdict, note, timings } = cell;
  const bug = describeKnownBug(cell);
  const isSkipped = verdict === 'skipped';
  const told = isSkipped ? (note ?? '') : describeKiller(cell);
  return html`<li class="cell ${verdict}" ${dataOf(cell)}>
    <span class="verdict">${verdict}</span> ${linkToCell(cell)}
    <span class="told">${told}${bug === undefined ? '' : `; bug ${bug}`}</span>
    <span class="runs">${renderPast(histories.get(cell.address))}</span>
    <span class="hint">${isSkipped ? '' : formatDuration(timings.totalMs)}</span>
  </li> `;
}

/** What the menus look at. */
function dataOf({ address, verdict, attribution }: CellResult): Html {
  const killer = verdict === 'skipped' ? '' : attribution.killer;
  return html`data-cell="${address}" data-verdict="${verdict}" data-killer="${killer}"`;
}
