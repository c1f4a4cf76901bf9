import { formatDuration } from '../../model/text/format-duration.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import { plural } from '../../model/text/plural.ts';
import { describeKnownBug } from '../words/bug-facts.ts';
import { html, type Html } from '../text/html.ts';
import { shortenPaths } from '../text/page-rows.ts';
import { listProof } from '../words/proof-lines.ts';
import { describeKiller } from '../words/describe-verdict.ts';
import { renderMismatches } from './cell-page.ts';
import { linkToCell, linkToRecord } from './links.ts';
import type { Flip } from './run-report.ts';

/** What changed since the last run of the same cells; nothing when nothing did. */
export function renderFlips(flips: readonly Flip[]): Html {
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
export function renderProblems(heading: string, id: string, cells: readonly CellResult[]): Html {
  if (cells.length === 0) return html``;
  return html`<section id="${id}" class="group">
    <h2>${heading} (${cells.length})</h2>
    ${cells.map(renderProblem)}
  </section>`;
}

function renderProblem(cell: CellResult): Html {
  const { verdict, note, timings } = cell;
  const bug = describeKnownBug(cell);
  const sure = cell.attribution.confidence === 'proven' ? ', proven' : '';
  return html`<article class="cell ${verdict}" ${dataOf(cell)}>
    <h3>${linkToCell(cell)}</h3>
    <p>
      <span class="verdict">${verdict}</span> killer <strong>${describeKiller(cell)}</strong>${sure};
      ${formatDuration(timings.totalMs)}
    </p>
    ${renderMismatches(cell)}
    ${note === undefined ? '' : html`<p class="note">${note}</p>`}${bug === undefined ? '' : html`<p>bug ${bug}</p>`}
    ${renderFirstProof(cell)}
  </article> `;
}

function renderFirstProof(cell: CellResult): Html {
  const [first] = listProof(cell.attribution);
  if (first === undefined) return html``;
  return html`<p class="first">${linkToRecord(cell, first)} <code>${shortenPaths(first.text)}</code></p>`;
}

/** Cells in which nothing is to be done, one line each, behind a line with their number. */
export function renderQuiet(heading: string, cells: readonly CellResult[]): Html {
  if (cells.length === 0) return html``;
  return html`<details class="group">
    <summary>${plural(cells.length, 'cell')} ${heading}</summary>
    <ul class="rows">
      ${cells.map(renderRow)}
    </ul>
  </details>`;
}

function renderRow(cell: CellResult): Html {
  const { verdict, note, timings } = cell;
  const bug = describeKnownBug(cell);
  const isSkipped = verdict === 'skipped';
  const told = isSkipped ? (note ?? '') : describeKiller(cell);
  const took = isSkipped ? '' : html` <span class="hint">${formatDuration(timings.totalMs)}</span>`;
  return html`<li class="cell ${verdict}" ${dataOf(cell)}>
    <span class="verdict">${verdict}</span> ${linkToCell(cell)}
    <span class="told">${told}${bug === undefined ? '' : `; bug ${bug}`}</span>${took}
  </li> `;
}

/** What the filter looks at in addition to the text. */
function dataOf({ address, verdict, attribution }: CellResult): Html {
  const killer = verdict === 'skipped' ? '' : attribution.killer;
  return html`data-cell="${address}" data-verdict="${verdict}" data-killer="${killer}"`;
}
