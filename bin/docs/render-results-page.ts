import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { marked } from 'marked';
import { groupBy } from '../../lab/model/text/group-by.ts';
import { html, Html, rawElement } from '../../lab/report/text/html.ts';
import { worldOf } from '../../lab/report/words/recorded-run.ts';
import { joinResultRows, type ResultRow } from './result-row.ts';

const COLUMNS = ['cell', 'verdict', 'killer', 'versions', 'world up', 'time', 'run'];
const PARTS = join(import.meta.dirname, 'results-page');

/** What a person can choose, and what a row has of it. */
const CHOICES: Readonly<Record<string, (row: ResultRow) => string>> = {
  verdict: ({ verdict }) => verdict,
  // That of a skipped cell is why it was skipped.
  killer: ({ verdict, killer }) => (verdict === 'skipped' ? '' : killer),
  variant: worldOf,
};

/**
 * Renders what was found of every cell as a page for a browser: a search, menus with counts, and tables that scroll in boxes
 * of their own. It is one file, asks nobody for anything, and shows all rows where scripts are off.
 *
 * @param ends the tables of docs/measured/who-gets-killed.md, in Markdown.
 */
export function renderResultsPage(rows: readonly ResultRow[], ends: string): string {
  const cells = joinResultRows(rows);
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
            What the latest recorded run of each cell found. <code>npm run docs</code> makes this page, and
            <a href="results.md">results.md</a>, of <a href="results.jsonl">results.jsonl</a>. Times are from
            different hosts and loads.
          </p>
          <form>
            <label>search<input type="search" name="search" placeholder="oom v1 containerd" /></label>
            ${Object.keys(CHOICES).map((name) => renderMenu(name, cells))}
            <output>${cells.length} cells</output>
          </form>
          <section id="cells">${scrolling('cells', renderTable(cells))}</section>
          <section id="ends">
            <h2>Who gets killed, and what is it called?</h2>
            <p>
              One row is one end of a container: what each layer called it.
              <a href="who-gets-killed.md">How to read it</a>. The search above looks here too.
            </p>
            ${boxTables(marked.parse(ends, { async: false }))}
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

function renderMenu(name: string, rows: readonly ResultRow[]): Html {
  const counts = [...groupBy(rows, CHOICES[name] ?? worldOf)].filter(([value]) => value !== '');
  const options = counts
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
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

function renderTable(rows: readonly ResultRow[]): Html {
  return html`
    <table>
      <thead>
        <tr>
          ${COLUMNS.map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(renderRow)}
      </tbody>
    </table>
  `;
}

function renderRow(row: ResultRow): Html {
  const { address, verdict, killer, how, rate, healed, versions, world = '-', cell = '-', run, date } = row;
  const [ofVerdict, ofKiller, ofVariant] = Object.values(CHOICES).map((read) => read(row));
  const nodes = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return html`
    <tr data-verdict="${ofVerdict}" data-killer="${ofKiller}" data-variant="${ofVariant}">
      <td><code>${address}</code></td>
      <td><span class="verdict">${verdict}</span>${rate === undefined ? '' : `: ${rate}`}</td>
      <td>
        ${killer}${how === undefined ? '' : ` (${how})`}${healed === undefined ? '' : `; made good by the kubelet: ${healed}`}
      </td>
      <td>${nodes.join(', ') || '-'}</td>
      <td>${world}</td>
      <td>${cell}</td>
      <td>${run ?? date}</td>
    </tr>
  `;
}

/** A keyboard can scroll it. */
function scrolling(name: string, table: Html): Html {
  return html`<div class="scroll" role="region" aria-label="${name}" tabindex="0">${table}</div>`;
}

/** What a Markdown library made of our own page, each of its tables in a box. */
function boxTables(page: string): Html {
  let tables = 0;
  return new Html(
    page.replaceAll(/<table>[^]*?<\/table>/g, (table) => {
      tables += 1;
      return scrolling(`ends ${tables}`, new Html(table)).text;
    }),
  );
}
