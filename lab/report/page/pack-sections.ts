import { deflateRawSync } from 'node:zlib';
import { html, jsonElement, rawElement, type Html } from '../text/html.ts';

/** The section of one cell. */
export interface Section {
  readonly address: string;
  readonly page: Html;
  /** Sections with neighbouring ranks are packed together, because they are alike. */
  readonly rank: string;
}

/** The most characters of sections that can be read without a script. */
const MAX_PLAIN = 2_000_000;
/** Sections in one pack. More would make the file smaller, fewer are unpacked sooner. */
const PACK_SIZE = 24;

/**
 * Renders the sections of all cells. The first ones are in `noscript` elements: a browser that runs the script of the
 * page keeps such an element as one text until it is asked for, any other shows it. The others are packed, because what
 * can be read would be seven times as long; `browser/pages.js` unpacks them.
 */
export function renderSections(sections: readonly Section[]): Html {
  let left = MAX_PLAIN;
  const plain = sections.filter(({ page }) => (left -= page.text.length) >= 0);
  const shown = new Set(plain);
  const others = sections
    .filter((section) => !shown.has(section))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1));
  const packs = Array.from({ length: Math.ceil(others.length / PACK_SIZE) }, (_, index) =>
    others.slice(index * PACK_SIZE, (index + 1) * PACK_SIZE),
  );
  return html`${plain.map(({ address, page }) => html`<noscript data-page="${address}">${page}</noscript>`)}
  ${renderNote(others.length)}
  ${packs.map((pack) => packElement('data-pack', Object.fromEntries(pack.map(({ address, page }) => [address, page.text]))))}
  ${jsonElement(
    'packed',
    packs.map((pack) => pack.map(({ address }) => address)),
  )}`;
}

function renderNote(packed: number): Html {
  if (packed === 0) return html``;
  return html`<noscript
    ><p class="hint">
      The pages of ${packed} more cells are packed, so that this file stays small: only a browser that runs
      scripts can show them. <code>npx whodunit why &lt;cell&gt;</code> says the same in a terminal.
    </p></noscript
  >`;
}

/**
 * Data that the script of the page unpacks: JSON, deflated, in letters that mean nothing in HTML. A higher level takes
 * twice the time for a fiftieth of the size.
 */
export function packElement(attribute: string, value: unknown): Html {
  const packed = deflateRawSync(JSON.stringify(value), { level: 6 }).toString('base64');
  return rawElement(`script type="application/octet-stream" ${attribute}`, packed);
}
