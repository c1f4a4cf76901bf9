import type { Autopsy, AutopsyDeath } from '../../model/saved/autopsy.ts';
import { describeVictim, describeWho } from '../words/cell-words.ts';
import { adviseOnDeath, nameDeath } from '../words/name-death.ts';
import { asideOf, listDoubts, listProof } from '../words/proof-lines.ts';
import type { ProofRef } from '../words/order-of-time.ts';
import { timeOfDay } from '../../model/evidence/source-clocks.ts';
import { html, type Html } from '../text/html.ts';
import { placeOf } from '../../model/saved/place-of.ts';
import { quote, shortenPaths } from '../text/page-rows.ts';
import { groupNext } from '../words/next-evidence.ts';
import { laneOf, LANES } from './layers.ts';
import { breakable } from './links.ts';
import { planTimeline } from './plan-timeline.ts';
import { renderTimeline } from './timeline.ts';

/** The answer about one death as HTML: who, the way to the end, every killer that was heard, and what would tell. */
export function renderDeathHtml(death: AutopsyDeath, autopsy: Autopsy): Html {
  const { attribution, note, otherPanic, at, node } = death;
  const proof = listProof(attribution);
  const doubts = listDoubts({ attribution, ...(note === undefined ? {} : { note }) });
  return html`<section class="death" aria-labelledby="death">
    <h2 id="death">${nameDeath(death)}</h2>
    <p>${[at, node === undefined ? undefined : `on ${node}`].filter(Boolean).join(' ')}</p>
    <p class="killer"><b>${describeWho({ attribution })}</b></p>
    <p>${describeVictim(attribution)}</p>
    ${[doubts, note ?? '', otherPanic ?? ''].filter((text) => text !== '').map((text) => html`<p class="hint">${text}</p>`)}
    <p>${adviseOnDeath(attribution)}</p>
    <h3>The way to the end (times are UTC)</h3>
    ${renderTimeline(planTimeline(proof, undefined))}
    <ol class="proofs">
      ${proof.map(renderRecord)}
    </ol>
    <h3>Every killer that was heard</h3>
    <div class="scroll" tabindex="0" role="region" aria-label="Killers">
      <table>
        <thead>
          <tr>
            <th scope="col">killer</th>
            <th scope="col">is</th>
            <th scope="col">because</th>
          </tr>
        </thead>
        <tbody>
          ${death.hypotheses.map(
            ({ what, state, why = '' }) =>
              html`<tr>
                <td>${what}</td>
                <td>${state}</td>
                <td>${shortenPaths(why)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${renderNext(death)} ${renderClaims(death)} ${renderRead(autopsy)}
  </section>`;
}

function renderRecord(ref: ProofRef): Html {
  const lane = laneOf(ref.source);
  const step = ref.step === undefined ? '' : html`<b class="step">${ref.step}</b> `;
  return html`<li>
    ${step}<span class="who ${lane}">${LANES[lane]}</span>
    <time>${timeOfDay(ref)}</time> ${breakable(placeOf(ref))} ${asideOf(ref).trimEnd()}<br /><code
      >${quote(ref.text)}</code
    >
  </li>`;
}

function renderNext({ next }: AutopsyDeath): Html {
  if (next.length === 0) return html``;
  return html`<h3>What would tell</h3>
    <ul>
      ${groupNext(next).map(
        ({ tells, command, stillThere }) =>
          html`<li>
            ${tells.map((text) => html`${text}.<br />`)} Available:
            ${stillThere}.${command === undefined ? '' : html`<br /><code>${command}</code>`}
          </li>`,
      )}
    </ul>`;
}

const AGREES: Readonly<Record<string, string>> = { true: 'right', false: 'wrong', null: 'silent' };

function renderClaims({ claims }: AutopsyDeath): Html {
  return html`<h3>Who said what</h3>
    <ul>
      ${claims.map(({ layer, says, agrees }) => html`<li><b>${layer}</b> (${AGREES[String(agrees)] ?? ''}): ${quote(says)}</li>`)}
    </ul>`;
}

function renderRead({ read, unknown, problems }: Autopsy): Html {
  return html`<h3>What was read</h3>
    <ul>
      ${read.map(({ file, format, lines, unread }) => html`<li>${breakable(file)}: ${format}, ${lines} lines${unread === 0 ? '' : `, ${unread} not read`}</li>`)}
      ${unknown.length === 0 ? '' : html`<li>${unknown.length} files are not evidence of a known format</li>`}
      ${problems.map((problem) => html`<li>${problem}</li>`)}
    </ul>`;
}

/** Every death of the input; each row has a button that asks for it. */
export function renderDeathsHtml({ deaths }: Autopsy): Html {
  if (deaths.length === 0) return html`<p>No death is known to this input.</p>`;
  return html`<h2>Deaths, newest first</h2>
    <ul class="deaths">
      ${deaths.map(
        (death, index) =>
          html`<li>
            <button type="button" data-death="${index}">${nameDeath(death)}</button> ${death.at ?? ''}
            ${describeWho(death)}
          </li>`,
      )}
    </ul>`;
}
