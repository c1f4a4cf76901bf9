import type { ExitStatus } from '../../model/errors/exit-status.ts';

/** What a verb lists. */
interface ListedRows {
  readonly list: readonly object[];
  readonly name: string;
}

/**
 * What a verb answers. lab/commands/line/print-answer.ts prints it, and calls only the form that is printed. A verb that
 * prints while it works returns the status only.
 */
export interface VerbAnswer {
  readonly status: ExitStatus;
  /** What `--json` prints. Without a text or a page it is always printed. */
  readonly json?: unknown;
  /** What a person reads, printed as it is: tables, and what is copied or piped. */
  readonly text?: () => string;
  /** What a person reads, fitted to the width of the terminal. */
  readonly page?: () => string;
  /** Of a verb that lists: the rows of its JSON, and the field that names one. `-o name` and `-o wide` print them. */
  readonly rows?: ListedRows;
  /** What is done once the answer is printed. */
  readonly afterwards?: () => void;
}
