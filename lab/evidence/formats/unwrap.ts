import type { Line } from '../lines.ts';
import { maybeBegins } from './sections.ts';

/** No terminal is narrower, and no tool cuts its lines wider. */
const NARROWEST = 60;
const WIDEST = 400;
/** Of wrapped lines that many are full: of others only some are of the same length by chance. */
const LEAST_SHARE = 0.15;
const LEAST = 3;

/** The width at which a terminal, a mail or a page broke all lines of a text; undefined when nothing did. */
export function findWrapWidth(head: readonly string[]): number | undefined {
  const width = head.reduce((most, text) => Math.max(most, text.length), 0);
  if (width < NARROWEST || width > WIDEST) return undefined;
  const full = head.flatMap((text, index) => (text.length === width ? [head[index + 1] ?? ''] : []));
  if (full.length < Math.max(LEAST, head.length * LEAST_SHARE)) return undefined;
  return full.filter((next) => !maybeBegins(next)).length >= full.length * 0.8 ? width : undefined;
}

/** Puts lines together that were broken at a width; a line comes as soon as the next one shows that it is whole. */
export function createUnwrapper(width: number): {
  readonly add: (line: Line) => readonly Line[];
  readonly end: () => readonly Line[];
} {
  let open: Line | undefined;
  let isFull = false;
  return {
    add: (line) => {
      const before = open;
      const goesOn = before !== undefined && isFull && !maybeBegins(line.text);
      isFull = line.text.length === width;
      open = goesOn ? { ...before, text: before.text + line.text, cut: line.cut } : line;
      return goesOn || before === undefined ? [] : [before];
    },
    end: () => (open === undefined ? [] : [open]),
  };
}

/** What a pager and systemctl write at the end of a line that is wider than the terminal. */
const CUT_OFF = /(?:>|…|\.\.\.)$/;

/** Counts lines of a log that were cut off at the width of a terminal: at least three of one width end with such a sign. */
export function createCutCounter(): { readonly add: (text: string) => void; readonly count: () => number } {
  const byWidth = new Map<number, number>();
  return {
    add: (text) => {
      if (text.length >= NARROWEST && text.length <= WIDEST && CUT_OFF.test(text))
        byWidth.set(text.length, (byWidth.get(text.length) ?? 0) + 1);
    },
    count: () => [...byWidth.values()].reduce((sum, count) => sum + (count >= LEAST ? count : 0), 0),
  };
}
