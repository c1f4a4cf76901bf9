import type { CellResult } from '../../model/saved/formats.ts';
import type { Excerpt, ExcerptLine } from '../../model/evidence/story.ts';
import { elementText, html, type Html } from '../text/html.ts';
import { fileHref } from './links.ts';

/** The lines around each proof, file by file, with the lines of the proof marked. */
export function renderExcerpts(cell: CellResult, excerpts: readonly Excerpt[]): Html {
  if (excerpts.length === 0) return html``;
  return html`<h3>evidence</h3>
    ${excerpts.map(
      ({ file, lines }) =>
        html`<figure class="excerpt">
          <figcaption><a class="file" href="${fileHref(cell, file)}">${file}</a></figcaption>
          <ol>
            ${lines.map((line, index) => renderLine(line, lines[index - 1]))}
          </ol>
        </figure> `,
    )}`;
}

/** One line of the file on one line of the page, so that what looks for secrets by lines finds each in one. */
function renderLine({ number, text, more, isWanted }: ExcerptLine, before: ExcerptLine | undefined): Html {
  const gap = before !== undefined && before.number + 1 < number ? ' gap' : '';
  const cut = more === 0 ? '' : html` <em>… ${more} more characters</em>`;
  return html` <li class="${isWanted ? 'wanted' : 'near'}${gap}">
    <span class="n">${number}</span>
    ${isWanted ? html`<mark>${elementText(text)}</mark>` : html`<code>${elementText(text)}</code>`}${cut}
  </li>`;
}
