import type { CellResult, EvidenceRef } from '../../model/saved/formats.ts';
import { plainText } from '../../model/text/plain-text.ts';
import { html, type Html } from '../text/html.ts';
import { placeOf } from '../../model/saved/place-of.ts';

/** Links of the page: to its cells, and to files of evidence. They hold as long as it is in the folder of its run. */

/** What is written after `#` for a cell: its own section has this as its id. */
export function cellAnchor(address: string): string {
  return `cell=${address}`;
}

/** The link to a cell's section. */
export function cellHref(address: string): string {
  return `#cell=${encode(plainText(address))}`;
}

/** The address of a cell as a link to its section. */
export function linkToCell({ address }: Pick<CellResult, 'address'>): Html {
  return html`<a class="address" href="${cellHref(address)}">${breakable(address)}</a>`;
}

/** A record of evidence as a link to its file: `node-1/kmsg.log:41`. */
export function linkToRecord(cell: CellResult, ref: Pick<EvidenceRef, 'file' | 'line'>): Html {
  return html`<a class="file" href="${fileHref(cell, ref.file)}">${breakable(placeOf(ref))}</a>`;
}

/** The link to a file, or with an empty name to the folder, of a cell's evidence. */
export function fileHref({ evidence }: CellResult, file: string): string {
  return encode(file === '' ? evidence : `${evidence}/${file}`);
}

/** Names up to this length fit in a line of any screen. */
const FITS = 26;

/** A name that a line may break behind a separator, never in a word. */
export function breakable(name: string): Html {
  if (name.length <= FITS) return html`${name}`;
  return html`${name.split(/(?<=[/+_,@[:])/).map((part, index) => (index === 0 ? part : html`<wbr />${part}`))}`;
}

/** Variants hold characters that mean something in a link, such as + and @. Half a letter has no place in a link. */
function encode(path: string): string {
  return path
    .replaceAll(/\p{Surrogate}/gu, '\ufffd')
    .split('/')
    .map(encodeURIComponent)
    .join('/');
}
