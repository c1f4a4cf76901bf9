import type { RunVerb } from '../context/context.ts';
import type { FlagName } from '../context/flags.ts';

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
  /** Command lines shown at the end of the help. */
  readonly examples: readonly string[];
  /** Further lines of help: what the words mean. */
  readonly details?: string;
  /** Passes every later word on, flags too. */
  readonly passThrough?: boolean;
  /** Imported when the verb runs, so that no verb pays for another. */
  readonly load: () => Promise<RunVerb>;
}

export const JSON_FLAG: VerbFlags = { json: 'print the result as JSON' };
/** Of every verb that changes the state folder (lab/commands/setup/take-lock.ts). */
export const NO_WAIT_FLAG: VerbFlags = {
  wait: 'fail at once when another lab uses the state folder, instead of waiting for it',
};
/** Of every verb that makes programs: the command line hands it to the host. */
export const LOCKED_FLAG: VerbFlags = {
  locked: 'take no program whose digest components.lock.yaml does not have',
};
