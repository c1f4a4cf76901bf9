/**
 * What a line must hold to be read: set by whoever reads the lines, after their beginning told what they are. Then other lines are
 * counted, and never become text: most of a log of gigabytes is about nothing that is asked.
 */
export interface LineSieve {
  /** Global; of plain letters, which are the same in every encoding. Undefined: every line is read. */
  pattern: RegExp | undefined;
}
