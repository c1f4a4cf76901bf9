/** Types of file-state.mjs. */

/** What decides whether a file is as it was. */
interface State {
  readonly size: bigint;
  readonly ino: bigint;
  readonly ctimeNs: bigint;
}

/** The state of a file as a text: another one when it was changed, replaced or copied. */
export function describeState(file: State): string;
