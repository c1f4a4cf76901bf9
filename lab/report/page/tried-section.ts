import type { CellResult } from '../../model/saved/formats.ts';
import { html, type Html } from '../text/html.ts';
import { triedLines } from '../words/tried-lines.ts';

/** Renders the shares of the deaths in a cell with many of them. */
export function renderTried(cell: CellResult): Html {
  const lines = triedLines(cell);
  if (lines.length === 0) return html``;
  return html`<h3>deaths</h3>
    <ul>
      ${lines.map((line) => html`<li>${line}</li> `)}
    </ul>`;
}
