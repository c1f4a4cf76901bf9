import { describeOutcome } from '../model/describe-outcome.ts';
import type { CellResult, RunResult } from '../model/formats.ts';
import { describeParameters } from '../model/parameters.ts';
import { formatDuration } from '../model/format-duration.ts';
import { html, Html } from './html.ts';
import { REPORT_STYLE } from './html-style.ts';
import { describeKnownBug } from './bug-facts.ts';
import { renderCurve } from './measure-curve.ts';
import { describeBoundResult, describeFigures } from './measure-lines.ts';
import { placeOf } from './page-rows.ts';
import { listDoubts, listProof, mismatchSides, stepsOf, type ProofRef } from './proof-lines.ts';
import { describeKiller, renderTotals } from './render-summary.ts';

/**
 * Renders a run as one HTML file without scripts or anything from elsewhere. Links lead to the evidence as long as the
 * file lies in the folder of its run.
 */
export function renderHtml(result: RunResult): string {
  const title = `whodunit ${result.run}: ${renderTotals(result)}`;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>
          ${new Html(REPORT_STYLE)}
        </style>
      </head>
      <body>
        <h1>${renderTotals(result)}</h1>
        <p>
          Run ${result.run}, started ${result.startedAt},
          ${result.accelerator === 'kvm' ? 'KVM' : 'emulated'}. ${renderHost(result)}
        </p>
        <table>
          <thead>
            <tr>
              <th>verdict</th>
              <th>cell</th>
              <th>killer</th>
              <th>expected</th>
              <th>time</th>
              <th>first proof</th>
            </tr>
          </thead>
          <tbody>
            ${result.cells.map(renderRow)}
          </tbody>
        </table>
        ${result.cells.map(renderCell)}
        <p>The same in a terminal: <code>npx whodunit why &lt;cell&gt;</code></p>
      </body>
    </html> `;
  return page.text;
}

function renderHost({ host }: RunResult): string {
  return Object.entries(host)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

function renderRow(cell: CellResult): Html {
  const [first] = cell.attribution.because;
  return html`<tr class="${cell.verdict}">
    <td class="verdict">${cell.verdict}</td>
    <td>
      ${cell.verdict === 'skipped' ? cell.address : html`<a href="#${anchorOf(cell)}">${cell.address}</a>`}
    </td>
    <td>${describeKiller(cell)}</td>
    <td>${describeOutcome(cell.expected)}</td>
    <td class="number">${formatDuration(cell.timings.totalMs)}</td>
    <td>${cell.note ?? first?.text}</td>
  </tr> `;
}

function renderCell(cell: CellResult): Html {
  if (cell.verdict === 'skipped') return html``;
  const { attribution, claims, mismatches } = cell;
  const sure = attribution.confidence === 'none' ? '' : `, ${attribution.confidence}`;
  const doubts = listDoubts(cell);
  const bug = describeKnownBug(cell);
  return html`<section id="${anchorOf(cell)}" class="${cell.verdict}">
    <h2><span class="verdict">${cell.verdict}</span> ${cell.address}</h2>
    <dl>
      <dt>killer</dt>
      <dd><strong>${describeKiller(cell)}</strong>${sure}</dd>
      ${doubts === '' ? '' : row('doubt', doubts)}
      <dt>victim</dt>
      <dd>${attribution.victim}</dd>
      ${cell.parameters === undefined ? '' : row('with', describeParameters(cell.parameters))}
      ${mismatches.length === 0 ? row('expected', describeOutcome(cell.expected)) : ''}
      ${mismatches
        .map(mismatchSides)
        .map(({ expected, observed }) => [row('expected', expected), row('observed', observed)])}
      ${bug === undefined ? '' : row('bug', bug)} ${cell.note === undefined ? '' : row('note', cell.note)}
    </dl>
    <h3>because (times are UTC)</h3>
    <table class="proof">
      <tbody>
        ${listProof(attribution).map((ref) => renderProof(cell, ref))}
      </tbody>
    </table>
    ${renderFindings(cell)} ${renderMeasured(cell)}
    <h3>who said what</h3>
    <table>
      <tbody>
        ${claims.map(renderClaim)}
      </tbody>
    </table>
  </section> `;
}

const CLAIM: Readonly<Record<string, string>> = { true: 'right', false: 'wrong', null: 'silent' };

function renderClaim({ layer, says, agrees }: CellResult['claims'][number]): Html {
  const said = CLAIM[String(agrees)];
  return html`<tr class="${said}">
    <td>${said}</td>
    <td>${layer}</td>
    <td><code>${says}</code></td>
  </tr> `;
}

function row(name: string, text: string): Html {
  return html`<dt>${name}</dt>
    <dd>${text}</dd> `;
}

/** What else happened, each with links to its records. */
function renderFindings(cell: CellResult): Html {
  const { findings = [] } = cell.attribution;
  if (findings.length === 0) return html``;
  return html`<h3>also seen</h3>
    <ul>
      ${findings.map(
        ({ what, explained, because }) =>
          html`<li class="${explained ? 'explained' : 'unexplained'}">
            ${explained ? '' : html`<strong>unexplained:</strong>`} ${what}
            ${because.map((ref) => linkOf(cell, ref))}
          </li> `,
      )}
    </ul> `;
}

/** What was measured: a curve each, its figures with links to its first and its last record, and its bounds. */
function renderMeasured(cell: CellResult): Html {
  const { measures = [] } = cell;
  if (measures.length === 0) return html``;
  return html`<h3>measured</h3>
    ${measures.map((result) => {
      const ends = [result.points[0], result.points.at(-1)].filter((each) => each !== undefined);
      return html`<p>
          <strong>${result.measure}</strong> ${describeFigures(result)}
          ${ends.map((each) => linkOf(cell, each))}
        </p>
        ${renderCurve(result)}
        <ul>
          ${result.bounds.map(
            (bound) =>
              html`<li class="${bound.holds === false ? 'broken' : 'kept'}">
                ${describeBoundResult(result, bound)}; because ${bound.reason}
              </li> `,
          )}
        </ul> `;
    })}`;
}

function linkOf(cell: CellResult, ref: Pick<ProofRef, 'file' | 'line'>): Html {
  return html`<a href="${linkTo(`${cell.evidence}/${ref.file}`)}">${placeOf(ref)}</a> `;
}

function renderProof(cell: CellResult, ref: ProofRef): Html {
  return html`<tr>
    ${stepsOf(cell.attribution).length === 0 ? '' : html`<td>${ref.step}</td>`}
    <td>${linkOf(cell, ref)}</td>
    <td>${ref.at.slice(11, 23)}</td>
    <td>${ref.source}</td>
    <td><code>${ref.text}</code></td>
  </tr> `;
}

/** Variants hold characters that mean something in a link, such as + and @. */
function linkTo(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

function anchorOf(cell: CellResult): string {
  return encodeURIComponent(cell.address);
}
