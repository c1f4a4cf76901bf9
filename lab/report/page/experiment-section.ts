import type { Investigated } from '../../model/saved/investigate.ts';
import type { ProveResult } from '../../model/saved/prove.ts';
import { timelineLines } from '../terminal/render-diff.ts';
import { html, type Html } from '../text/html.ts';
import { nameLeg, describeLeg } from '../words/leg-words.ts';
import { describeArm, nameConclusion } from '../words/proof-words.ts';
import { cellHref, linkToCell } from './links.ts';

/** Renders the experiments of a run: a verdict that it tests, and failures that it investigated. */
export function renderExperiments(
  proved: ProveResult | undefined,
  investigated: readonly Investigated[] = [],
): Html {
  return html`${proved === undefined ? '' : renderProved(proved)} ${investigated.map(renderFailure)}`;
}

/** What was taken away, how often it died then, and both timelines. */
function renderProved(result: ProveResult): Html {
  const { of, named, says, arms, timeline = [] } = result;
  return html`<section class="experiment">
    <h2>${of.address}: ${named.killer}, ${nameConclusion(result)}</h2>
    <p>${says}. The verdict is that of run ${of.run}.</p>
    <div class="scroll" tabindex="0" role="region" aria-label="What was taken away">
      <table>
        <tr>
          <th></th>
          <th>taken away</th>
          <th>runs</th>
          <th>ends</th>
        </tr>
        ${arms.map(
          (arm) =>
            html`<tr>
              <th>${describeArm(arm)}</th>
              <td>${arm.made.join('; ') || 'nothing'}</td>
              <td>${arm.of}</td>
              <td>
                ${[...arm.ends, ...arm.undecided.map((why) => `no observation: ${why}`)].join('; ') || 'never seen'}
              </td>
            </tr>`,
        )}
      </table>
    </div>
    ${
      timeline.length === 0
        ? ''
        : html`<h3>As it was (before) and without the cause (now), in seconds</h3>
            <pre tabindex="0">${timelineLines(timeline).join('\n')}</pre>`
    }
  </section>`;
}

function renderFailure({ address, says, legs }: Investigated): Html {
  return html`<section class="experiment">
    <h2>What the failure of ${linkToCell({ address })} follows</h2>
    <p>${says}</p>
    <div class="scroll" tabindex="0" role="region" aria-label="How it was run again">
      <table>
        ${legs.map(
          (leg) =>
            html`<tr>
              <th>
                ${leg.leftOut === undefined && leg.address !== undefined ? html`<a href="${cellHref(leg.address)}">${nameLeg(leg)}</a>` : nameLeg(leg)}
              </th>
              <td>${describeLeg(leg)}</td>
            </tr>`,
        )}
      </table>
    </div>
  </section>`;
}
