import type { CellResult } from '../../model/saved/formats.ts';
import { html, type Html } from '../text/html.ts';
import { quote } from '../text/page-rows.ts';
import { timeOfDay } from '../../model/evidence/source-clocks.ts';
import type { ProofRef } from '../words/order-of-time.ts';
import { asideOf, listProof, stepsOf } from '../words/proof-lines.ts';
import { laneOf, LANES } from './layers.ts';
import { linkToRecord } from './links.ts';
import type { Mark, Timeline } from './plan-timeline.ts';
import { renderTimeline } from './timeline.ts';

/** The way to the end: all layers on one time axis, the numbered proof in words, and what else was recorded. */
export function renderProof(cell: CellResult, timeline: Timeline): Html {
  const proof = listProof(cell.attribution);
  const heading = stepsOf(cell.attribution).length === 0 ? 'because' : 'step by step';
  return html`<h3>${heading} (times are UTC)</h3>
    ${renderTimeline(timeline)}
    ${
      proof.length === 0
        ? html`<p>nothing</p>`
        : html`<ol class="proofs">
            ${proof.map((ref) => renderStep(cell, ref))}
          </ol>`
    }
    ${renderOthers(cell, timeline.marks, timeline.left)}`;
}

function renderStep(cell: CellResult, ref: ProofRef): Html {
  const lane = laneOf(ref.source);
  const step = ref.step === undefined ? '' : html`<b class="step">${ref.step}</b> `;
  return html`<li>
    ${step}<span class="who ${lane}">${LANES[lane]}</span> ${ref.source}
    <time>${timeOfDay(ref)}</time> ${linkToRecord(cell, ref)} ${asideOf(ref).trimEnd()}<br /><code
      >${quote(ref.text)}</code
    >
  </li> `;
}

/** The marks without a number, in words. */
function renderOthers(cell: CellResult, marks: readonly Mark[], left: number): Html {
  const others = marks.filter(({ number }) => number === undefined);
  if (others.length === 0) return html``;
  const more = left === 0 ? '' : `, and ${left} farther from the end, which are not shown`;
  return html`<details class="others">
    <summary>${others.length} other records of that time${more}</summary>
    <ul>
      ${others.map(({ ref }) => renderStep(cell, ref))}
    </ul>
  </details>`;
}
