import { KILLERS, VERDICTS } from '../../model/killers/killers.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import { html, type Html } from '../text/html.ts';

/** Search and menus, and what the keys do. The script shows it; without one a browser searches the page itself. */
export function renderFilter(cells: readonly CellResult[]): Html {
  const judged = cells.filter(({ verdict }) => verdict !== 'skipped');
  return html`<form id="filter" role="search" hidden>
    <label class="wide"
      >search
      <input
        type="search"
        name="text"
        autocomplete="off"
        placeholder="OOMKilled 137 cgroup=v1"
        aria-describedby="searched"
    /></label>
    ${renderMenu(
      'verdict',
      VERDICTS,
      cells.map(({ verdict }) => verdict),
    )}
    ${renderMenu(
      'killer',
      KILLERS,
      judged.map(({ attribution }) => attribution.killer),
    )}
    <output></output>
    <p id="searched" class="hint keys">
      <kbd>/</kbd> search in all that is known of a cell · <kbd>j</kbd> <kbd>k</kbd> next and previous cell ·
      <kbd>Enter</kbd> opens it · <kbd>Esc</kbd> back
    </p>
  </form>`;
}

/** A menu of what there is, with the number of cells that have it. */
function renderMenu(name: string, all: readonly string[], found: readonly string[]): Html {
  const count = (value: string): number => found.filter((other) => other === value).length;
  return html`<label
    >${name}
    <select name="${name}">
      <option value="">all (${found.length})</option>
      ${all
        .filter((value) => found.includes(value))
        .map((value) => html`<option value="${value}">${value} (${count(value)})</option>`)}
    </select></label
  >`;
}
