import { SHARE_FIELDS, SHARE_WORDS, spellShare, type Tried } from '../../model/declared/tries.ts';
import { plural } from '../../model/text/plural.ts';
import type { CellResult } from '../../model/saved/formats.ts';

const SETTLED: Readonly<Record<string, string>> = {
  true: 'settled, it holds',
  false: 'settled, it does NOT hold',
  null: 'not settled',
};

/** How many deaths there were: `20 of 20 deaths judged, 18 of them as expected`. */
function countLine({ judged, wanted, asExpected }: Tried): string {
  return `${judged} of ${plural(wanted, 'death')} judged, ${asExpected} of them as expected`;
}

/**
 * Renders the shares of a cell with many deaths, one a line: `killer memcg-oom: 18 of 20 (69.9 % to 97.2 % in the long
 * run)`; no line for a cell with one death.
 */
export function triedLines({ tried }: Pick<CellResult, 'tried'>): string[] {
  if (tried === undefined) return [];
  const shares = SHARE_FIELDS.flatMap((field) =>
    tried[field].map(({ value, count, low, high }) => {
      const interval = `${spellShare(low)} to ${spellShare(high)} in the long run`;
      return `${SHARE_WORDS[field]} ${value}: ${count} of ${tried.judged} (${interval})`;
    }),
  );
  const bounds = tried.bounds.map(
    ({ expected, holds }) => `expected ${expected}: ${SETTLED[String(holds)] ?? ''}`,
  );
  return [countLine(tried), ...shares, ...bounds];
}
