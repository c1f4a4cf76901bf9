import { marked, type Token, type Tokens } from 'marked';
import { html, Html } from '../../lab/report/text/html.ts';
import { nameScenario } from './results-page-cells.ts';

/** A table of ends below its heading. */
export interface EndGroup {
  readonly id: string;
  /** The heading without its marks. */
  readonly title: string;
  /** Whose ends they are; undefined of the table of versions. */
  readonly killer: string | undefined;
  readonly heading: Tokens.Heading;
  readonly parts: readonly Token[];
}

interface Ends {
  /** What is above the first heading. */
  readonly lead: readonly Token[];
  readonly groups: readonly EndGroup[];
}

/** Reads the tables of docs/measured/who-gets-killed.md, which are our own Markdown. */
export function readEnds(markdown: string): Ends {
  const tokens = marked.lexer(markdown).filter(({ type }) => type !== 'space');
  const places = tokens.flatMap((token, place) => (token.type === 'heading' ? [place] : []));
  return {
    lead: tokens.slice(0, places[0]),
    groups: places.map((place, index) => {
      const heading = tokens[place] as Tokens.Heading;
      const killer = /^`([^`]+)`/.exec(heading.text)?.[1];
      const title = heading.text.replaceAll('`', '');
      const id = killer === undefined ? title.toLowerCase().replaceAll(' ', '-') : `ends-${killer}`;
      return { id, title, killer, heading, parts: tokens.slice(place + 1, places[index + 1]) };
    }),
  };
}

/** Renders each group so that a reader opens it; rows of a killer can be chosen as cells are. */
export function renderEnds(lead: readonly Token[], groups: readonly EndGroup[]): Html {
  return html`
    ${new Html(marked.parser([...lead]))}
    ${groups.map((group) => {
      const rows = group.parts.flatMap((part) => (isTable(part) ? part.rows : []));
      return html`
        <details class="group" id="${group.id}">
          <summary>
            <h3>${new Html(marked.Parser.parseInline(group.heading.tokens))}</h3>
            <span class="count">${rows.length}</span>
          </summary>
          ${group.parts.map((part) => (isTable(part) ? renderTable(part, group) : new Html(marked.parser([part]))))}
        </details>
      `;
    })}
  `;
}

function isTable(token: Token): token is Tokens.Table {
  return token.type === 'table';
}

function renderTable({ header, rows }: Tokens.Table, { killer }: EndGroup): Html {
  const names = header.map(({ text }) => text.replaceAll('`', ''));
  return html`
    <table>
      <thead>
        <tr>
          ${header.map(({ tokens }) => html`<th scope="col">${inline(tokens)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => (killer === undefined ? renderVersion(row, names) : renderEnd(row, names, killer)))}
      </tbody>
    </table>
  `;
}

function renderEnd(row: readonly Tokens.TableCell[], names: readonly string[], killer: string): Html {
  const [place, ...others] = row;
  const [, address = '', capture = ''] = /\[`'?([^`']*)'?`\]\(([^)]*)\)/.exec(place?.text ?? '') ?? [];
  const variant = address.slice(0, address.lastIndexOf('/'));
  return html`
    <tr
      id="end-${capture.split('/').at(-1)}"
      data-variant="${variant}"
      data-scenario="${nameScenario(address)}"
      data-killer="${killer}"
    >
      <th scope="row">${inline(place?.tokens ?? [])}</th>
      ${others.map(({ tokens, text }, index) => {
        const name = names[index + 1] ?? '';
        return html`<td data-label="${name}">${name === 'on' ? linkVersion(text) : inline(tokens)}</td>`;
      })}
    </tr>
  `;
}

/** `3 (2026-11-21)`: the number is that of a row of versions. */
function linkVersion(text: string): Html {
  const [, number = '', day = ''] = /^(\d*)(.*)$/s.exec(text) ?? [];
  return html`<a href="#version-${number}">${number}</a>${day}`;
}

function renderVersion(row: readonly Tokens.TableCell[], names: readonly string[]): Html {
  const [place, ...others] = row;
  return html`
    <tr id="version-${place?.text}">
      <th scope="row">${inline(place?.tokens ?? [])}</th>
      ${others.map(({ tokens }, index) => html`<td data-label="${names[index + 1] ?? ''}">${inline(tokens)}</td>`)}
    </tr>
  `;
}

function inline(tokens: readonly Token[]): Html {
  return new Html(marked.Parser.parseInline([...tokens]));
}
