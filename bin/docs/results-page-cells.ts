import { scenarioPart } from '../../lab/model/host/cell-address.ts';
import { VERDICTS } from '../../lab/model/killers/killers.ts';
import { groupBy } from '../../lab/model/text/group-by.ts';
import { compareText } from '../../lab/model/text/compare-text.ts';
import { html, type Html } from '../../lab/report/text/html.ts';
import { worldOf } from '../../lab/report/words/recorded-run.ts';
import type { ResultRow } from './result-row.ts';

/** What a person can choose, and what a row has of it. */
export const CHOICES: Readonly<Record<string, (row: ResultRow) => string>> = {
  variant: worldOf,
  scenario: ({ address }) => nameScenario(address),
  verdict: ({ verdict }) => verdict,
  // That of a skipped cell is why it was skipped.
  killer: ({ verdict, killer }) => (verdict === 'skipped' ? '' : killer),
};

const COLUMNS = ['cell', 'verdict', 'killer', 'world up', 'time', 'run'];

/** The cells of a variant in the order of their rows. */
export interface VariantGroup {
  readonly name: string;
  readonly rows: readonly ResultRow[];
}

/** The rows as they are grouped on the page and in its summary. */
export function listVariants(rows: readonly ResultRow[]): VariantGroup[] {
  return [...groupBy(rows, worldOf)].map(([name, own]) => ({ name, rows: own }));
}

/** `oom-single-container` of `v1/oom-single-container[limit=64Mi]`. */
export function nameScenario(address: string): string {
  return scenarioPart(address).replace(/\[.*$/, '');
}

/** `3 passed, 1 skipped`. */
export function countVerdicts(rows: readonly ResultRow[]): string {
  return VERDICTS.flatMap((verdict) => {
    const count = rows.filter((row) => row.verdict === verdict).length;
    return count === 0 ? [] : [`${count} ${verdict}`];
  }).join(', ');
}

/** `memcg-oom 3, none 2`, those first that were named most often. */
export function countKillers(rows: readonly ResultRow[]): string {
  return [...groupBy(rows, (row) => CHOICES.killer?.(row) ?? '')]
    .filter(([killer]) => killer !== '')
    .sort(([a, ofA], [b, ofB]) => ofB.length - ofA.length || compareText(a, b))
    .map(([killer, own]) => `${killer} ${own.length}`)
    .join(', ');
}

/** `kernel 6.1.0, kubelet v1.34.2`; empty where none was read. */
export function describeVersions({ versions }: ResultRow): string {
  return Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');
}

/**
 * A variant with its cells, which a reader opens. What its nodes printed is said once for all cells of which it is true.
 *
 * @param killers those whose ends are on the page.
 */
export function renderVariant({ name, rows }: VariantGroup, killers: ReadonlySet<string>): Html {
  return html`
    <details class="group" id="variant-${name}">
      <summary>
        <h3><code>${name}</code></h3>
        <span class="count">${countVerdicts(rows)}</span> <span class="killers">${countKillers(rows)}</span>
      </summary>
      ${[...groupBy(rows, describeVersions)].map(([versions, own]) => {
        return html`
          ${versions === '' ? '' : html`<p class="versions">${versions}</p>`}
          <table>
            <thead>
              <tr>
                ${COLUMNS.map((column) => html`<th scope="col">${column}</th>`)}
              </tr>
            </thead>
            <tbody>
              ${own.map((row) => renderRow(row, killers))}
            </tbody>
          </table>
        `;
      })}
    </details>
  `;
}

function renderRow(row: ResultRow, killers: ReadonlySet<string>): Html {
  const { address, verdict, killer, how, rate, healed, world = '-', cell = '-', run, date } = row;
  const [variant, scenario, ofVerdict, ofKiller] = Object.values(CHOICES).map((read) => read(row));
  const known = verdict !== 'skipped' && killers.has(killer);
  const who = known ? html`<a href="#ends-${killer}">${killer}</a>` : killer;
  return html`
    <tr
      id="${address}"
      data-variant="${variant}"
      data-scenario="${scenario}"
      data-verdict="${ofVerdict}"
      data-killer="${ofKiller}"
    >
      <th scope="row">
        <a class="self" href="#${encodeURIComponent(address)}"><code>${scenarioPart(address)}</code></a>
        <a class="file" href="../../scenarios/${encodeURIComponent(scenario ?? '')}/scenario.yaml"
          >scenario</a
        >
      </th>
      <td data-label="verdict">
        <span class="verdict">${verdict}</span>${rate === undefined ? '' : `: ${rate}`}
      </td>
      <td data-label="killer">
        ${who}${how === undefined ? '' : ` (${how})`}${healed === undefined ? '' : `; made good by the kubelet: ${healed}`}
      </td>
      <td data-label="world up">${world}</td>
      <td data-label="time">${cell}</td>
      <td data-label="run">${run ?? date}</td>
    </tr>
  `;
}
