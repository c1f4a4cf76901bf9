import { AXES, DEFAULT_VARIANT, variantName, type Axis, type Variant } from '../../model/axes/axes.ts';
import { scenarioPart } from '../../model/host/cell-address.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import { groupBy } from '../../model/text/group-by.ts';
import { VERDICTS } from '../../model/killers/killers.ts';
import { html, jsonElement, type Html } from '../text/html.ts';
import { worldOf } from '../words/recorded-run.ts';
import { describeKiller, VERDICT_MARKS } from '../words/describe-verdict.ts';
import { breakable, cellHref } from './links.ts';

/**
 * Renders the table of variants and scenarios, with a square for each cell. `browser/grid.js` moves the same squares into other rows and columns:
 * their links name the cell, and the axes of variants are in the page as JSON.
 */
export function renderHeatMap(cells: readonly CellResult[]): Html {
  const variants = new Map(cells.map((cell) => [worldOf(cell), cell.variant]));
  const varying = AXES.filter(
    (axis) => new Set([...variants.values()].map((variant) => variant[axis])).size > 1,
  );
  const names = shortenNames(variants, varying);
  const columns = [...variants.keys()];
  const rows = groupBy(cells, ({ address }) => scenarioPart(address));
  return html`<section id="map">
    <h2>All cells</h2>
    <form id="axes" hidden>
      <label
        >rows
        <select name="rows"></select
      ></label>
      <label
        >columns
        <select name="columns"></select
      ></label>
    </form>
    <p class="legend">
      ${VERDICTS.filter((verdict) => cells.some((cell) => cell.verdict === verdict)).map(
        (verdict) => html`<span class="square ${verdict}">${VERDICT_MARKS[verdict]}</span> ${verdict} `,
      )}
    </p>
    <p id="more-columns" class="hint" role="status" hidden></p>
    <div class="scroll map" tabindex="0" role="region" aria-label="Map of scenarios and variants">
      <table class="heat">
        <thead>
          <tr>
            <td></td>
            ${columns.map((name) => html`<th scope="col" title="${name}"><span>${names[name]}</span></th>`)}
          </tr>
        </thead>
        <tbody>
          ${[...rows].map(([name, own]) => renderRow(name, columns, own))}
        </tbody>
      </table>
    </div>
    ${renderAxes(variants, varying)}${jsonElement('variant-names', names)}
  </section>`;
}

function renderRow(name: string, columns: readonly string[], cells: readonly CellResult[]): Html {
  const inColumn = groupBy(cells, worldOf);
  return html`<tr>
    <th scope="row">${breakable(name)}</th>
    ${spanBoxes(columns.map((column) => inColumn.get(column) ?? [])).map(
      ({ own, span }) => html`<td${span > 1 ? html` colspan="${span}"` : ''}>${own.map(renderSquare)}</td>`,
    )}
  </tr> `;
}

/**
 * Joins neighbours that have nothing: a map of many variants is mostly empty, and a browser lays out each box. `boxesOf` in
 * `browser/grid.js` does the same with the squares that it moves.
 */
function spanBoxes(
  boxes: readonly (readonly CellResult[])[],
): { own: readonly CellResult[]; span: number }[] {
  const spans: { own: readonly CellResult[]; span: number }[] = [];
  for (const own of boxes) {
    const last = spans.at(-1);
    if (last !== undefined && last.own.length + own.length === 0) last.span += 1;
    else spans.push({ own, span: 1 });
  }
  return spans;
}

function renderSquare(cell: CellResult): Html {
  const { address, verdict } = cell;
  const told = verdict === 'skipped' ? verdict : `${verdict}, ${describeKiller(cell)}`;
  return html`<a class="square ${verdict}" href="${cellHref(address)}" aria-label="${address}: ${told}"
    >${VERDICT_MARKS[verdict]}</a
  >`;
}

/**
 * Shortens the names of variants by what all variants of the run have: `1.37_runc@1.5.2_tight` becomes `… tight`. A name
 * without anything else stays whole. Otherwise a long name would be cut off where it differs from the others.
 */
function shortenNames(
  variants: ReadonlyMap<string, Variant>,
  varying: readonly Axis[],
): Readonly<Record<string, string>> {
  const own = (variant: Variant): string =>
    variantName({
      ...DEFAULT_VARIANT,
      ...Object.fromEntries(varying.map((axis) => [axis, variant[axis]])),
    });
  return Object.fromEntries(
    [...variants].map(([name, variant]) => {
      const short = own(variant);
      return [name, short === name || short === 'default' ? name : `… ${short}`];
    }),
  );
}

/** The axes on which the variants of the run differ, for the selects: `{variant: {axis: value}}`. */
function renderAxes(variants: ReadonlyMap<string, Variant>, varying: readonly Axis[]): Html {
  const values = [...variants].map(([name, variant]) => [
    name,
    Object.fromEntries(varying.map((axis) => [axis, String(variant[axis])])),
  ]);
  return jsonElement('variants', Object.fromEntries(values));
}
