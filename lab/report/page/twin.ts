import { AXES } from '../../model/axes/axes.ts';
import type { Effective } from '../../model/saved/effective.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import { groupBy } from '../../model/text/group-by.ts';
import { ownValue } from '../../model/text/own-value.ts';
import { describeMemory, describeVictim, describeWho } from '../words/cell-words.ts';
import { html, type Html } from '../text/html.ts';
import { describeBoundResult } from '../words/measure-lines.ts';
import { quote } from '../text/page-rows.ts';
import { isAlike, listUnlike } from '../words/compare-texts.ts';
import { linkToCell } from './links.ts';
import { renderTwinAxes, type TwinSide } from './twin-axes.ts';

/** Finds cells to show next to each other: the same scenario, and another answer. */
export type FindTwin = (cell: CellResult) => CellResult | undefined;

/** Builds the finder for the cells of one run. */
export function twinFinder(cells: readonly CellResult[]): FindTwin {
  const byScenario = groupBy(
    cells.filter(({ verdict }) => verdict === 'passed' || verdict === 'failed'),
    ({ scenario }) => scenario,
  );
  return (cell) => {
    let nearest: { readonly other: CellResult; readonly far: number } | undefined;
    for (const other of byScenario.get(cell.scenario) ?? []) {
      if (!isTwin(cell, other)) continue;
      const far = distance(cell, other);
      if (nearest === undefined || far < nearest.far) nearest = { other, far };
    }
    return nearest?.other;
  };
}

/** Another verdict, another killer, or the other side of a bug. */
function isTwin(cell: CellResult, other: CellResult): boolean {
  if (other.address === cell.address || cell.verdict === 'skipped') return false;
  return (
    other.verdict !== cell.verdict ||
    other.attribution.killer !== cell.attribution.killer ||
    other.bug?.id !== cell.bug?.id
  );
}

/** Returns in how many values two cells differ. A cell with the same verdict is farther away than any other. */
function distance(a: CellResult, b: CellResult): number {
  return listDifferences(a, b).length + (a.verdict === b.verdict ? 100 : 0);
}

type Row = readonly [name: string, here: string, there: string];

/** Axes and parameters on which two cells differ. */
function listDifferences(a: CellResult, b: CellResult): Row[] {
  const names = Object.keys({ ...a.parameters, ...b.parameters });
  const rows = [
    ...AXES.map((axis): Row => [axis, String(a.variant[axis]), String(b.variant[axis])]),
    ...names.map((name): Row => [
      name,
      ownValue(a.parameters ?? {}, name) ?? '',
      ownValue(b.parameters ?? {}, name) ?? '',
    ]),
  ];
  return rows.filter(([, here, there]) => here !== there);
}

/** Two cells next to each other: both time axes, what differs in how they were made, then what came of each. */
export function renderTwin(
  own: TwinSide,
  other: TwinSide | undefined,
  versions: ReadonlyMap<string, Effective['versions']>,
): Html {
  if (other === undefined) return html``;
  const [cell, twin] = [own.cell, other.cell];
  const [here, there] = [versions.get(cell.address) ?? {}, versions.get(twin.address) ?? {}];
  const programs = Object.keys({ ...here, ...there }).map((name): Row => [
    name,
    ownValue(here, name) ?? '',
    ownValue(there, name) ?? '',
  ]);
  const made = [...listDifferences(cell, twin), ...programs.filter(([, a, b]) => a !== b)];
  const [mine, others] = [listOutcome(cell), listOutcome(twin)];
  const names = [...new Set([...mine.keys(), ...others.keys()])];
  const came = names.map((name): Row => [name, mine.get(name) ?? '', others.get(name) ?? '']);
  return html`<h3>compared with the nearest other cell</h3>
    <p>
      The nearest cell of the same scenario that ended differently. Differences are marked, except for ids,
      pids and times of day, which always differ.
    </p>
    ${renderTwinAxes(own, other)}
    <div class="scroll" tabindex="0" role="region" aria-label="Two cells side by side">
      <table class="twin">
        <thead>
          <tr>
            <td></td>
            <th scope="col">${cell.address}</th>
            <th scope="col">${linkToCell(twin)}</th>
          </tr>
        </thead>
        <tbody>
          ${[...made, ...came].map(renderRow)}
        </tbody>
      </table>
    </div>`;
}

function renderRow([name, here, there]: Row): Html {
  return html`<tr class="${isAlike(here, there) ? 'alike' : 'unlike'}">
    <th scope="row">${name}</th>
    <td>${renderUnlike(here, there)}</td>
    <td>${renderUnlike(there, here)}</td>
  </tr> `;
}

/** A text, with what the other one lacks marked. */
function renderUnlike(text: string, other: string): Html {
  if (text === '') return html`${other === '' ? '' : html`<mark>-</mark>`}`;
  return html`${listUnlike(text, other).map((piece) => (piece.isUnlike ? html`<mark>${piece.text}</mark>` : piece.text))}`;
}

function listOutcome(cell: CellResult): Map<string, string> {
  const { attribution, claims, measures = [] } = cell;
  const memory = describeMemory(attribution);
  return new Map([
    ['verdict', cell.verdict],
    ['killer', describeWho(cell)],
    ['victim', describeVictim(attribution)],
    ...(memory === '' ? [] : [['memory', memory] as const]),
    ...claims.map(({ layer, says }) => [`${layer} said`, quote(says)] as const),
    ...measures.map(
      (result) =>
        [
          result.measure,
          result.bounds.map((bound) => describeBoundResult(result, bound)).join('; '),
        ] as const,
    ),
  ]);
}
