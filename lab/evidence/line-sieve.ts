/**
 * What a line must hold to be read: set by whoever reads the lines, after their beginning told what they are. Then other lines are
 * counted, and never become text: most of a log of gigabytes is about nothing that is asked.
 */
export interface LineSieve {
  /** Global; of plain letters, which are the same in every encoding. Undefined: every line is read. */
  pattern: RegExp | undefined;
}

/** What fits of some lines. */
interface Sifted {
  /** Where each of them is, and how many lines are before it. */
  readonly fitting: readonly { readonly from: number; readonly to: number; readonly index: number }[];
  /** How many lines there are. */
  readonly lines: number;
  /** Where the last line begins, unless it fits. */
  readonly last: number | undefined;
}

/** @param text whole lines, each with its line feed. */
export function siftLines(text: string, pattern: RegExp): Sifted {
  const fitting: { from: number; to: number; index: number }[] = [];
  let [at, lines] = [0, 0];
  const countTo = (end: number): void => {
    for (let next = text.indexOf('\n', at); next >= 0 && next < end; next = text.indexOf('\n', at)) {
      lines += 1;
      at = next + 1;
    }
  };
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const from = text.lastIndexOf('\n', found.index) + 1;
    const to = text.indexOf('\n', found.index);
    countTo(from);
    fitting.push({ from, to, index: lines });
    lines += 1;
    at = to + 1;
    pattern.lastIndex = at;
  }
  const isLastFitting = at === text.length;
  countTo(text.length);
  return { fitting, lines, last: isLastFitting ? undefined : text.lastIndexOf('\n', text.length - 2) + 1 };
}
