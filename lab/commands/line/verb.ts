import type { ExitReason } from '../../model/errors/exit-status.ts';
import type { RunVerb } from '../context/context.ts';
import type { FlagName, Flags } from '../context/flags.ts';

/** What each flag of a verb does. */
export type VerbFlags = Readonly<Partial<Record<FlagName, string>>>;

/** Flags that mean nothing in some calls of a verb: there they are refused, and not left out without a word. */
export interface UnusedFlags {
  readonly flags: readonly FlagName[];
  /** Whether they mean nothing in this call. */
  readonly when: (words: readonly string[], flags: Flags) => boolean;
  /** Why, after the name of the flag: `--seed is not for run --resume: …`. */
  readonly why: string;
}

/** One verb of the command line, as data. */
export interface Verb {
  readonly name: string;
  /** Positional words as commander writes them: `[selector...]`. */
  readonly words?: string;
  readonly about: string;
  readonly flags: VerbFlags;
  /** Flags that take no value here, although they take one of other verbs. */
  readonly switches?: readonly FlagName[];
  /** Command lines at the end of the help. */
  readonly examples: readonly string[];
  /** More lines of help: what the words mean. */
  readonly details?: string;
  /**
   * The schemas of docs/schemas of what `--json` prints, without their ending, or the standard that it follows; the verbs
   * without any do not take `--json`.
   */
  readonly answers?: readonly string[];
  readonly unused?: readonly UnusedFlags[];
  /** What an exit code means for this verb, where the general meaning does not say it. */
  readonly exits?: Readonly<Partial<Record<ExitReason, string>>>;
  /** Passes every later word on, flags too. */
  readonly passThrough?: boolean;
  /** Imported when the verb runs, so that no verb waits for the code of another. */
  readonly load: () => Promise<RunVerb>;
}

export const JSON_FLAG: VerbFlags = { json: 'print the result as JSON' };
/** The flags of every verb that lists. */
export const LIST_FLAGS: VerbFlags = {
  ...JSON_FLAG,
  output: 'json (as --json), name (only the names) or wide (every field in one table)',
};
/** The flag of every verb that changes the state folder (lab/commands/setup/take-lock.ts). */
export const NO_WAIT_FLAG: VerbFlags = {
  wait: 'exit at once if another lab uses the state folder (default: wait for it)',
};
/** The flag of every verb that makes programs: the command line hands it to the host. */
export const LOCKED_FLAG: VerbFlags = {
  locked: 'use only programs pinned in components.lock.yaml',
};
export const COLD_FLAG: VerbFlags = { cold: 'build every world from its disk image, not from a saved world' };

/** How the words of a verb name a variant. */
export const VARIANT_DETAILS = `A variant is one configuration of the cluster: axis=value words (cgroup=v1 os=bullseye), or a name, which is the
part before the / of an address in \`whodunit list\` (default, v1, systemd+cgroupfs). Without words: the default variant.`;

/** How a word names a saved run. */
export const RUN_DETAILS = 'A run is latest, an id from `whodunit runs`, or the beginning of exactly one id.';

/** The flags of a verb, in the order of its row. */
export function flagsOfVerb(verb: Verb): FlagName[] {
  return Object.keys(verb.flags) as FlagName[];
}
