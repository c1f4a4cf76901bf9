import { describe, expect, it } from 'vitest';
import type { CellResult } from '../../../../lab/model/saved/formats.ts';
import { cellSchema } from '../../../../lab/model/saved/formats.ts';
import { renderHtml } from '../../../../lab/report/page/render-html.ts';
import { createFullCell, replaceText, textsOf } from '../full-cell.ts';
import { createRunOf } from '../made-run.ts';

/** Words that every plain object answers to, and texts that are not whole letters. */
const ODD = [
  'constructor',
  'toString',
  '__proto__',
  '__defineGetter__',
  'hasOwnProperty',
  '\ud800',
  'x\udc00y',
  '%',
  '%E0%A4%A',
];

/** A cell in which every text that may be any text is this one. */
function createOddCell(text: string): CellResult {
  const cell = createFullCell('failed', 'odd');
  const forged = textsOf(cell)
    .filter(([first = '']) => !['address', 'scenario', 'variant'].includes(first))
    .reduce<CellResult>((value, path) => {
      const next = replaceText(value, path, () => text);
      return cellSchema.safeParse(next).success ? next : value;
    }, cell);
  return { ...forged, expected: Object.fromEntries([[text, text]]), parameters: { [text]: text } };
}

describe('the page of a run', () => {
  it.each(ODD)('has the text %j of a stranger as a text', (text) => {
    const [odd, other] = [createOddCell(text), createFullCell('passed', 'odd')];
    const cells = [odd, { ...other, address: 'default/odd[x=1]', parameters: { x: '1' } }];
    const page = renderHtml({
      result: createRunOf(cells),
      versions: new Map([
        [odd.address, Object.fromEntries([[text, text]])],
        ['default/odd[x=1]', { runc: '1.1.0' }],
      ]),
      flips: [],
      histories: new Map(),
      version: '0',
      factsOf: () => ({ story: undefined, excerpts: [] }),
      assets: { style: '', script: '' },
    });
    expect(page.text).not.toMatch(/native code|\[object /);
    expect(page.text).toContain('compared with the nearest other cell');
  });
});
