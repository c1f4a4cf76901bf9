import type pico from 'picocolors';
import type { Verdict } from '../../model/killers/killers.ts';

/** Colours of a terminal, or functions that change nothing. */
export type Palette = ReturnType<typeof pico.createColors>;

type Colour = 'green' | 'red' | 'yellow' | 'dim' | 'bold';

/** The colour of each verdict. The word and its mark say the same without it. */
const VERDICT_COLOURS: Readonly<Record<Verdict, Colour>> = {
  passed: 'green',
  failed: 'red',
  inconclusive: 'yellow',
  skipped: 'dim',
  interrupted: 'yellow',
};

/** The colour of each other word of ours. */
const WORD_COLOURS: Readonly<Record<string, Colour>> = {
  ...VERDICT_COLOURS,
  right: 'green',
  WRONG: 'red',
  expected: 'green',
  observed: 'red',
  '✓': 'green',
  '✗': 'red',
  // of a world
  up: 'green',
  unfinished: 'yellow',
  // of a run
  result: 'yellow',
  // of a bug
  reproduces: 'red',
  historic: 'dim',
  'fixed-upstream': 'green',
};

const VERDICT = Object.keys(VERDICT_COLOURS).join('|');
const COUNTS = `\\d+ (?:${VERDICT})(?:, \\d+ (?:${VERDICT}))*`;

/** Where words of ours are in a line that begins a row of a page: `own` is what is painted. */
const ROWS = [
  // ✓ passed        default/plain-exit
  `^(?<own>[^\\s\\w] (?:${VERDICT}))(?= |$)`,
  // default/plain-exit: passed
  `^\\S+: (?<own>${VERDICT})$`,
  `^killer {4}(?<own>[^\\s,;]+)`,
  `^ {2}(?<own>right|WRONG) {2}`,
  `^(?: {4})?(?<own>expected|observed) {2}`,
  `^(?<own>${COUNTS})`,
  `^total {5}\\d+ judged[^,]*, (?<own>${COUNTS})`,
  // a run, when it began, its verdicts
  `^\\S+ {2,}\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d {2,}(?<own>${COUNTS})`,
  `^\\S+ {2,}(?<own>${VERDICT})(?= {2}|$)`,
  // one side of a comparison
  `^(?:before|now) +\\S+ of \\S+: (?<own>${VERDICT}),`,
  `^(?<own>[✓✗]) `,
  // the heads of a list: of a table, and of a part
  `^(?<own>(?:cell|world|run|killer|skipped by rule) {2,}(?:takes|cells|state|began|who acts) .*)$`,
  `^(?<own>skipped by rule|declared|worlds)$`,
  // a world, a run without a result, a bug
  `^\\S+ {2,}(?<own>up|unfinished)(?= {2,}\\d+ nodes? )`,
  `^\\S+ {2,}(?:-|\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d) {2,}(?<own>has no result)(?= )`,
  `^\\S+ {2}\\((?<own>reproduces|historic|fixed-upstream)\\)$`,
  `^ {2}killer (?<own>\\S+)(?=;|$)`,
].map((row) => new RegExp(row, 'd'));

/**
 * Colours the lab's own words in a line of a page. They are looked for only where a row of the page begins, because texts of
 * strangers come after that place, or in a continued line.
 *
 * @param line already safe for a terminal, so that it has no other colours.
 */
export function paintLine(line: string, palette: Palette): string {
  if (!palette.isColorSupported) return line;
  for (const row of ROWS) {
    const [start, end] = row.exec(line)?.indices?.groups?.own ?? [];
    if (start === undefined || end === undefined) continue;
    return `${line.slice(0, start)}${paintWords(line.slice(start, end), palette)}${line.slice(end)}`;
  }
  return line;
}

/** Each part of a list in the colour of its word; what is counted as 0 has none. */
function paintWords(words: string, palette: Palette): string {
  return words
    .split(', ')
    .map((part) => {
      if (part.startsWith('0 ')) return part;
      const word = /[^\s\d]+$/.exec(part)?.[0] ?? part;
      return palette[WORD_COLOURS[word] ?? 'bold'](part);
    })
    .join(', ');
}
