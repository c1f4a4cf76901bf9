import { groupBy } from '../../model/text/group-by.ts';
import { addressWord } from '../../model/host/cell-address.ts';
import { spellToday } from '../../model/host/spell-today.ts';
import { describeOutcome } from '../../model/saved/describe-outcome.ts';
import type { Effective } from '../../model/saved/effective.ts';
import { formatDuration } from '../../model/text/format-duration.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import type { CellHistory } from '../../model/saved/history.ts';
import { describeParameters } from '../../model/declared/parameters.ts';
import { adviseOnCell } from '../words/advise.ts';
import { describeKnownBug } from '../words/bug-facts.ts';
import { describeHeld, describeMemory, describeVictim, describeWho } from '../words/cell-words.ts';
import { explainRefusal, isUnobserved } from '../words/explain-unjudged.ts';
import { warnAgain } from '../words/warn-again.ts';
import { html, type Html } from '../text/html.ts';
import { renderCurve } from './measure-curve.ts';
import { describeBoundResult, describeFigures } from '../words/measure-lines.ts';
import { describeRunc } from '../words/runc-words.ts';
import { quote, shortenPaths } from '../text/page-rows.ts';
import { describeExpected } from '../words/describe-verdict.ts';
import { groupOpen, listDoubts, listProof } from '../words/proof-lines.ts';
import { renderTried } from './tried-section.ts';
import { renderManifestSection } from './manifest-section.ts';
import { renderExcerpts } from './excerpts.ts';
import { breakable, cellAnchor, cellHref, fileHref, linkToRecord } from './links.ts';
import { renderMemory } from './memory-chart.ts';
import { describePast, renderPast } from './past-runs.ts';
import { renderProof } from './proof-section.ts';
import type { CellFacts } from './run-report.ts';
import { planTimeline } from './plan-timeline.ts';
import { toTwinAxis, type TwinAxis, type TwinSide } from './twin-axes.ts';
import { renderTwin } from './twin.ts';

/** What a page shows of the evidence of its cell. The evidence itself need not be kept for it. */
export interface ShownEvidence {
  /** That the result does not follow from it. */
  readonly warning: string | undefined;
  readonly section: Html;
  /** Title of the scenario; undefined when it was not saved. */
  readonly title: string | undefined;
  /** For the page of its twin, too. */
  readonly axis: TwinAxis;
}

/** Everything that the page of one cell is made of. */
export interface CellPage {
  readonly cell: CellResult;
  readonly shown: ShownEvidence;
  readonly versions: ReadonlyMap<string, Effective['versions']>;
  /** What runs said of it up to this one. */
  readonly history: CellHistory | undefined;
  readonly twin: TwinSide | undefined;
  /** Its neighbours in the list. */
  readonly previous: CellResult | undefined;
  readonly next: CellResult | undefined;
}

/** Renders the section of one cell: who ended it and how, with everything that proves it. */
export function renderCellPage(page: CellPage): Html {
  const { cell, shown, twin, versions } = page;
  return html`<article id="${cellAnchor(cell.address)}" class="page ${cell.verdict}">
    <nav aria-label="Cells">
      <a class="back" href="#">all cells</a>${linkTo('previous', page.previous)}${linkTo('next', page.next)}
    </nav>
    <h2 tabindex="-1"><span class="verdict">${cell.verdict}</span> ${breakable(cell.address)}</h2>
    ${shown.warning === undefined ? '' : html`<p class="problem">${shown.warning}</p>`}
    ${renderMismatches(cell)} ${renderSummary(page)} ${shown.section}
    ${renderTwin({ cell, axis: shown.axis }, twin, versions)} ${renderVersions(versions.get(cell.address))}
    ${renderAgain(page)}
  </article> `;
}

/** Whether there is more to show than the reason why nothing was seen. */
function hasEvidence(cell: CellResult): boolean {
  return cell.verdict !== 'skipped' && !isUnobserved(cell);
}

function linkTo(name: string, cell: CellResult | undefined): Html {
  return cell === undefined ? html`` : html`<a class="${name}" href="${cellHref(cell.address)}">${name}</a>`;
}

/** What did not hold, a row for each field; nothing when all of it did. */
export function renderMismatches({ address, mismatches }: CellResult): Html {
  if (mismatches.length === 0) return html``;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="What did not hold in ${address}">
    <table class="why">
      <thead>
        <tr>
          <th scope="col">field</th>
          <th scope="col">expected</th>
          <th scope="col">observed</th>
        </tr>
      </thead>
      <tbody>
        ${mismatches.map(
          ({ field, expected, observed }) =>
            html`<tr>
              <th scope="row">${field}</th>
              <td>${expected}</td>
              <td class="bad">${observed}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function renderSummary({ cell, shown, history, versions }: CellPage): Html {
  const { attribution, note, parameters = {}, attempts = [], timings } = cell;
  const expected = `${describeOutcome(cell.expected, cell.measures)}${cell.mismatches.length === 0 ? describeHeld(cell) : ''}`;
  const rows: (readonly [string, string])[] = hasEvidence(cell)
    ? [
        ['scenario', shown.title ?? ''],
        ['killer', describeWho(cell)],
        ['doubt', listDoubts(cell)],
        ['victim', describeVictim(attribution)],
        ['memory', describeMemory(attribution)],
        ['with', describeParameters(parameters)],
        ['runtime', describeRunc(cell.variant, versions.get(cell.address)) ?? ''],
        ['bug', describeKnownBug(cell) ?? ''],
        ['note', note ?? ''],
        ['do', adviseOnCell(cell)],
        ['expected', expected],
        ...attempts.map(
          (attempt, index) =>
            [`run ${index + 1}`, `${attempt.verdict}, ${attempt.killer}, ${attempt.evidence}`] as const,
        ),
        ['took', formatDuration(timings.totalMs)],
      ]
    : [...explainRefusal(cell), ['bug', describeKnownBug(cell) ?? ''], ['expected', describeExpected(cell)]];
  return html`<dl>
    ${rows.map(([name, text]) =>
      text === ''
        ? ''
        : html`<dt>${name}</dt>
            <dd>${name === 'killer' ? html`<strong>${text}</strong>` : text}</dd> `,
    )}${renderHistory(history)}
  </dl>`;
}

function renderHistory(history: CellHistory | undefined): Html {
  if (history === undefined || history.runs.length < 2) return html``;
  return html`<dt>history</dt>
    <dd>${renderPast(history)}, oldest first: ${describePast(history)}</dd> `;
}

/** Renders what the evidence of a cell tells. */
export function renderEvidence(cell: CellResult, facts: CellFacts): ShownEvidence {
  const timeline = planTimeline(listProof(cell.attribution), facts.story);
  const problem =
    facts.problem === undefined
      ? ''
      : html`<p class="problem">The evidence could not be read: ${facts.problem}</p>`;
  const told = hasEvidence(cell)
    ? html`${renderProof(cell, timeline)} ${renderMemorySection(facts)} ${renderFindings(cell)}
      ${renderOthers(cell)} ${renderClaims(cell)} ${renderTried(cell)} ${renderMeasured(cell)}
      ${renderExcerpts(cell, facts.excerpts)} ${renderManifestSection(facts.asked)}`
    : '';
  const warning = facts.again === undefined ? undefined : warnAgain(facts.again);
  return {
    warning,
    section: html`${problem} ${told}`,
    title: facts.asked?.title,
    axis: toTwinAxis(timeline),
  };
}

function renderMemorySection({ story }: CellFacts): Html {
  const chart = renderMemory(story);
  return chart.text === ''
    ? chart
    : html`<h3>memory</h3>
        ${chart}`;
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
            ${explained ? '' : html`<strong>unexplained:</strong> `}${shortenPaths(what)}
            ${because.map((ref) => html`${linkToRecord(cell, ref)} `)}
          </li> `,
      )}
    </ul>`;
}

/** Renders what it was not, and what it may have been; folded when the killer is proven. */
function renderOthers({ attribution: { excluded = [], open = [], confidence } }: CellResult): Html {
  const out = [...groupBy(excluded, ({ by }) => by)].map(
    ([by, all]) =>
      html`<dt>${all.map(({ what }) => what).join(', ')}</dt>
        <dd>${shortenPaths(by)}</dd> `,
  );
  const maybe = groupOpen(open).map(
    ({ what, why, wanted }) =>
      html`<dt>${what}</dt>
        <dd>${shortenPaths(why)}<br />would have decided it: ${wanted.join('; ')}</dd> `,
  );
  const table = html`${
    out.length === 0
      ? ''
      : html`<h3>excluded</h3>
          <dl>${out}</dl>`
  }${
    maybe.length === 0
      ? ''
      : html`<h3>not excluded</h3>
          <dl>${maybe}</dl>`
  }`;
  if (confidence !== 'proven' || out.length === 0) return table;
  return html`<details>
    <summary>${excluded.length} others are excluded</summary>
    ${table}
  </details>`;
}

const CLAIM: Readonly<Record<string, string>> = { true: 'right', false: 'wrong', null: 'silent' };

/** What each layer said, next to the truth. */
function renderClaims({ claims }: CellResult): Html {
  return html`<h3>who said what</h3>
    <div class="scroll" tabindex="0" role="region" aria-label="Who said what">
      <table class="claims">
        <thead>
          <tr>
            <th scope="col">layer</th>
            <th scope="col">says</th>
            <th scope="col">and is</th>
          </tr>
        </thead>
        <tbody>
          ${claims.map(({ layer, says, agrees }) => {
            const said = CLAIM[String(agrees)] ?? '';
            return html`<tr class="${said}">
              <th scope="row">${layer}</th>
              <td>${quote(says)}</td>
              <td class="agrees">${said === 'wrong' ? 'WRONG' : said}</td>
            </tr> `;
          })}
        </tbody>
      </table>
    </div>`;
}

/** What was measured: a curve each, its figures with links to its first and its last record, and its bounds. */
function renderMeasured(cell: CellResult): Html {
  const { measures = [] } = cell;
  if (measures.length === 0) return html``;
  return html`<h3>measured</h3>
    ${measures.map((result) => {
      const ends = [result.points[0], result.points.at(-1)].filter((point) => point !== undefined);
      return html`<p>
          <strong>${result.measure}</strong> ${describeFigures(result)}
          ${ends.map((end) => html`${linkToRecord(cell, end)} `)}
        </p>
        ${renderCurve(result)}
        <ul>
          ${result.bounds.map(
            (bound) =>
              html`<li class="${bound.holds === false ? 'broken' : 'kept'}">
                ${describeBoundResult(result, bound)}; because ${bound.reason}
              </li> `,
          )}
        </ul>`;
    })}`;
}

function renderVersions(versions: Effective['versions'] | undefined): Html {
  const rows = Object.entries(versions ?? {});
  if (rows.length === 0) return html``;
  return html`<h3>versions, as the nodes printed them</h3>
    <dl>
      ${rows.map(
        ([name, text]) =>
          html`<dt>${name}</dt>
            <dd>${text}</dd> `,
      )}
    </dl>`;
}

/** How to do it again, and to look further. */
function renderAgain({ cell, versions }: CellPage): Html {
  const today = spellToday(cell, () => versions.get(cell.address));
  const commands = [
    `npx whodunit run ${addressWord(today.address)}`,
    ...(hasEvidence(cell) ? [`npx whodunit why ${addressWord(cell.address)}`] : []),
  ];
  const hasProof = listProof(cell.attribution).length > 0;
  return html`<h3>again</h3>
    <ul class="commands">
      ${commands.map(
        (text) =>
          html`<li><code>${text}</code> <button type="button" class="copy" hidden>copy</button></li> `,
      )}${hasProof ? html`<li><a class="file" href="${fileHref(cell, '')}">all of its evidence</a></li>` : ''}
    </ul>`;
}
