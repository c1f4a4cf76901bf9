import type { ExitStatus } from '../../model/errors/exit-status.ts';

/** The rows of a verb that lists. */
interface ListedRows {
  readonly list: readonly object[];
  readonly name: string;
}

/**
 * The answer of a verb. lab/commands/line/print-answer.ts prints one of its forms, and calls no other. A verb that prints
 * while it works returns only the status.
 */
export interface VerbAnswer {
  readonly status: ExitStatus;
  /** What `--json` prints. Without a form for people it is always printed. */
  readonly json?: unknown;
  /** The text for a person, printed unchanged, because it is copied or piped. */
  readonly text?: () => string;
  /** The table for a person: every row stays one line, and verdicts are coloured. */
  readonly table?: () => string;
  /** The page for a person: fitted to the width of the terminal, and verdicts are coloured. */
  readonly page?: () => string;
  /**
   * For a verb that lists: the rows of its JSON, and the field with the name of a row. `-o name` and `-o wide` print
   * them.
   */
  readonly rows?: ListedRows;
  /** Is called after the answer was printed. */
  readonly afterwards?: () => void;
}
