import type { BisectResult, DifferenceResult } from '../../model/saved/search.ts';
import { formatDuration } from '../../model/text/format-duration.ts';
import { plural } from '../../model/text/plural.ts';
import { html, type Html } from '../text/html.ts';
import { describeDifferences } from '../words/describe-differences.ts';
import { describeColours, describeLine } from '../words/describe-line.ts';
import { renderPageHead } from './page-head.ts';
import { spellBisect, spellDifference } from '../words/search-command.ts';

/** What the page of a search is made of in addition to its answer. */
interface SearchPageAssets {
  readonly style: string;
  /** Of the whodunit that writes the page. */
  readonly version: string;
}

type Line = BisectResult['lines'][number];
type Version = BisectResult['versions'][number];

/** A search of versions as one HTML file that loads nothing and runs no script. */
export function renderBisectHtml(result: BisectResult, assets: SearchPageAssets): string {
  const { axis, good, bad, address, lines, versions, notes } = result;
  const [trunk, ...branches] = lines;
  const searched = new Set(lines.flatMap(({ values }) => values));
  const rest = versions.filter(({ value }) => !searched.has(value));
  const other = `${branches.length === 0 ? 'Other release lines' : 'Other versions'}, not searched`;
  const answer = trunk === undefined ? 'nothing was searched' : describeLine(trunk, result);
  return renderPage(result, assets, {
    answer,
    question: html`Search of ${axis} from ${good} (good) to ${bad} (bad) of <code>${address}</code>.`,
    body: html`${lines.map((line, index) => renderLine(line, result, index === 0 ? 'The versions' : describeLine(line, result)))}
    ${
      rest.length === 0
        ? ''
        : html`<section>
            <h2>${other}</h2>
            ${renderVersions(other, rest, result, undefined)}
          </section>`
    }
    ${
      notes.length === 0
        ? ''
        : html`<ul>
            ${notes.map((note) => html`<li>${note}</li>`)}
          </ul>`
    }`,
    command: spellBisect(result),
  });
}

/** A search for a difference as one HTML file that loads nothing and runs no script. */
export function renderDifferenceHtml(result: DifferenceResult, assets: SearchPageAssets): string {
  const { red, green, differences, cells, bisect } = result;
  return renderPage(result, assets, {
    answer: describeDifferences(result),
    question: html`What turns the green cell <code>${green}</code> into the red cell <code>${red}</code>?`,
    body: html`<section>
        <h2>The differences</h2>
        ${scrolled(
          'The differences',
          html`<thead>
              <tr>
                ${['differs', 'green', 'red', 'turns the outcome'].map((head) => html`<th scope="col">${head}</th>`)}
              </tr>
            </thead>
            <tbody>
              ${differences.map(
                (difference) =>
                  html`<tr>
                    <th scope="row">${difference.name}</th>
                    <td>${difference.green}</td>
                    <td>${difference.red}</td>
                    <td>${sayNeeded(difference)}</td>
                  </tr>`,
              )}
            </tbody>`,
        )}
      </section>
      <section>
        <h2>The cells that were asked</h2>
        ${LEGEND}
        ${scrolled(
          'The cells',
          html`<thead>
              <tr>
                ${['as in the red cell', 'runs', 'is like', 'seen'].map((head) => html`<th scope="col">${head}</th>`)}
              </tr>
            </thead>
            <tbody>
              ${cells.map(
                (cell) =>
                  html`<tr>
                    <th scope="row" title="${cell.address}">${cell.changed.join(', ') || 'nothing'}</th>
                    <td>${renderRuns(cell)}</td>
                    <td>${cell.says}</td>
                    <td>${describeColours(cell)}</td>
                  </tr>`,
              )}
            </tbody>`,
        )}
      </section>
      ${bisect === undefined ? '' : html`<p>Which version it was: <code>${bisect}</code></p>`}`,
    command: spellDifference(result),
  });
}

function sayNeeded({ isNeeded, isUnsure, isNecessary }: DifferenceResult['differences'][number]): string {
  if (isNeeded === undefined) return 'not known yet';
  if (!isNeeded) return 'no';
  if (isUnsure === true) return 'perhaps: leaving it out could not be observed';
  return isNecessary === true ? 'yes, and there is no other way to red' : 'yes';
}

function renderLine(line: Line, result: BisectResult, title: string): Html {
  const found = new Map(result.versions.map((version) => [version.value, version]));
  const versions = line.values.flatMap((value) => found.get(value) ?? []);
  return html`<section>
    <h2>${title}</h2>
    ${LEGEND} ${renderVersions(title, versions, result, line)}
  </section>`;
}

/** One version below the other, from the good end to the bad one. */
function renderVersions(
  label: string,
  versions: readonly Version[],
  { axis, isFix }: BisectResult,
  line: Line | undefined,
): Html {
  const chances = line?.chances;
  const last = isFix ? 'last bad one' : 'first bad one';
  return scrolled(
    label,
    html`<thead>
        <tr>
          <th scope="col">${axis}</th>
          <th scope="col">runs</th>
          ${chances === undefined ? '' : html`<th scope="col">chance that it is the ${last}</th>`}
          <th scope="col">seen</th>
        </tr>
      </thead>
      <tbody>
        ${versions.map(
          (version, place) =>
            html`<tr class="${line?.among.includes(version.value) === true ? 'among' : ''}">
              <th scope="row">${version.value}</th>
              <td>${renderRuns(version)}</td>
              ${chances === undefined ? '' : html`<td>${renderChance(chances[place] ?? 0)}</td>`}
              <td>${nameSide(version, isFix, line)}${version.refused ?? describeColours(version)}</td>
            </tr>`,
        )}
      </tbody>`,
  );
}

function nameSide({ value }: Version, isFix: boolean, line: Line | undefined): Html {
  if (line?.outcome !== 'found') return html``;
  if (value === line.lastGood) return html`<strong>${isFix ? 'first good' : 'last good'}</strong>: `;
  if (value === line.firstBad) return html`<strong>${isFix ? 'last bad' : 'first bad'}</strong>: `;
  return html``;
}

/** Width of a bar in the units of its picture. */
const BAR = 100;

function renderChance(chance: number): Html {
  const percent = Math.round(chance * 1000) / 10;
  const text = percent === 0 && chance > 0 ? 'below 0.1 %' : `${percent} %`;
  return html`<svg class="chance" viewBox="0 0 ${BAR} 10" width="${BAR}" height="10" aria-hidden="true">
      <rect width="${Math.round(chance * BAR * 10) / 10}" height="10" />
    </svg>
    ${text}`;
}

/** Marks of a version; more runs are a number. */
const MOST_MARKS = 16;

const MARKS = { red: 'R', green: 'G', other: 'O', none: '-' } as const;
type Colour = keyof typeof MARKS;
const COLOURS = Object.keys(MARKS) as readonly Colour[];
const MEANINGS: Readonly<Record<Colour, string>> = {
  red: 'ends as the bad end does',
  green: 'as the good end does',
  other: 'in neither way: counts for no side',
  none: 'no observation',
};

const LEGEND = html`<p class="legend">
  ${COLOURS.map((colour) => html`<span class="square ${colour}">${MARKS[colour]}</span> ${MEANINGS[colour]} `)}
</p>`;

/** A square for each run, in words beside it. */
function renderRuns(counts: Readonly<Record<Colour, number>>): Html {
  const marks = COLOURS.flatMap((colour) => Array<Colour>(counts[colour]).fill(colour));
  const more = marks.length - MOST_MARKS;
  return html`<span aria-hidden="true"
      >${marks.slice(0, MOST_MARKS).map((colour) => html`<span class="square ${colour}">${MARKS[colour]}</span>`)}${more > 0 ? ` and ${more} more` : ''}</span
    >
    <span class="aside">${plural(marks.length, 'run')}</span>`;
}

/** A table that scrolls by itself where it is wider than a phone. */
function scrolled(label: string, rows: Html): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">
    <table class="versions">
      ${rows}
    </table>
  </div>`;
}

interface SearchParts {
  /** The heading of the page. */
  readonly answer: string;
  readonly question: Html;
  readonly body: Html;
  /** The command that repeats the search. */
  readonly command: string;
}

function renderPage(
  { ends, runs, seconds, search, next }: BisectResult | DifferenceResult,
  { style, version }: SearchPageAssets,
  { answer, question, body, command }: SearchParts,
): string {
  const took = seconds > 0 ? ` in ${formatDuration(seconds * 1000)}` : '';
  const open =
    next === undefined
      ? ''
      : html` Wanted next: ${plural(next.runs, 'run')} of <code>${next.address}</code>.`;
  return html`<!doctype html>
    <html lang="en">
      ${renderPageHead(`whodunit ${search}: ${answer}`, { style })}
      <body>
        <header>
          <p class="tool"><strong>whodunit</strong> ${version}</p>
          <h1>${answer}</h1>
          <p>${question}</p>
          <dl>
            <dt>green is</dt>
            <dd>${ends.green ?? 'not seen yet'}</dd>
            <dt>red is</dt>
            <dd>${ends.red ?? 'not seen yet'}</dd>
          </dl>
        </header>
        <main>${body}</main>
        <footer>
          <p>${plural(runs, 'run')}${took}, search ${search}.${open} Ask again: <code>${command}</code></p>
        </footer>
      </body>
    </html>`.text;
}
