import type { RunVerb } from './context.ts';
import type { FlagName } from './flags.ts';

/** What each flag of a verb does. */
export type VerbFlags = Readonly<Partial<Record<FlagName, string>>>;

/** One verb of the command line, as data. */
export interface Verb {
  readonly name: string;
  /** Positional words as commander writes them: `[selector...]`. */
  readonly words?: string;
  readonly about: string;
  /** What each of its flags does. */
  readonly flags: VerbFlags;
  /** Shown at the end of the help. */
  readonly example: string;
  /** Further lines of help: what the words mean. */
  readonly details?: string;
  /** Passes every later word on, flags too. */
  readonly passThrough?: boolean;
  /** Imported when the verb runs, so that no verb pays for another. */
  readonly load: () => Promise<RunVerb>;
}

/** Of every verb that answers something. */
export const JSON_FLAG: VerbFlags = { json: 'print the result as JSON' };
