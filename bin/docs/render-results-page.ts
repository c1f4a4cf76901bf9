import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { groupBy } from '../../lab/model/text/group-by.ts';
import { compareText } from '../../lab/model/text/compare-text.ts';
import { html, rawElement, type Html } from '../../lab/report/text/html.ts';
import { CHOICES, listVariants, renderVariant } from './results-page-cells.ts';
import { readEnds, renderEnds, type EndGroup } from './results-page-ends.ts';
import { joinResultRows, type ResultRow } from './result-row.ts';

const PARTS = join(import.meta.dirname, 'results-page');

/**
 * Renders what was found of every cell as a page for a browser: contents, a search, menus with counts, and a group of rows for
 * each variant and each killer. It is one file, asks nobody for anything, and can be read where scripts are off.
 *
 * @param ends the tables of docs/measured/who-gets-killed.md, in Markdown.
 */
export function renderResultsPage(rows: readonly ResultRow[], ends: string): string {
  const cells = joinResultRows(rows);
  const variants = listVariants(cells);
  const { lead, groups } = readEnds(ends);
  const killers = new Set(groups.flatMap(({ killer }) => killer ?? []));
  return `<!doctype html>\n${html`
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>Results of whodunit</title>
        ${rawElement('style', readPart('page.css'))}
      </head>
      <body>
        <main>
          <h1>Results</h1>
          <p>
            What the latest recorded run of each cell found. <code>npm run docs</code> makes this page of
            <a href="results.jsonl">results.jsonl</a>; <a href="results.md">results.md</a> has a summary, and
            what else was seen. Times are from different hosts and loads.
          </p>
          ${renderContents(cells.length, groups)}
          <form>
            <label>search<input type="search" name="search" placeholder="oom v1 2026-11-25" /></label>
            ${Object.keys(CHOICES).map((name) => renderMenu(name, cells))}
            <output>${cells.length} cells</output>
          </form>
          <section id="cells">
            <h2>Cells by variant</h2>
            ${variants.map((variant) => renderVariant(variant, killers))}
          </section>
          <section id="ends">
            <h2>Who gets killed, and what is it called?</h2>
            <p>
              One row is one end of a container: what each layer called it.
              <a href="who-gets-killed.md">How to read it</a>. Search and menus above choose here too.
            </p>
            ${renderEnds(lead, groups)}
          </section>
        </main>
        ${rawElement('script', readPart('filter.js'))}
      </body>
    </html>
  `.text.trim()}\n`;
}

function readPart(name: string): string {
  return readFileSync(join(PARTS, name), 'utf8');
}

function renderContents(cells: number, groups: readonly EndGroup[]): Html {
  return html`
    <nav aria-label="contents">
      <ul>
        <li><a href="#cells">Cells by variant</a> (${cells})</li>
        <li>
          <a href="#ends">Who gets killed, and what is it called?</a>
          ${groups.map(({ id, title, killer }) => html`<a class="part" href="#${id}">${killer ?? title}</a> `)}
        </li>
      </ul>
    </nav>
  `;
}

function renderMenu(name: string, rows: readonly ResultRow[]): Html {
  const counts = [...groupBy(rows, (row) => CHOICES[name]?.(row) ?? '')].filter(([value]) => value !== '');
  const options = counts
    .toSorted(([a], [b]) => compareText(a, b))
    .map(([value, own]) => html`<option value="${value}">${value} (${own.length})</option>`);
  return html`
    <label>
      ${name}
      <select name="${name}">
        <option value="">all</option>
        ${options}
      </select>
    </label>
  `;
}
