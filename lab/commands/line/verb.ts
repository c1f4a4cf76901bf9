import type { ExitReason } from '../../model/errors/exit-status.ts';
import type { RunVerb } from '../context/context.ts';
import type { FlagName, Flags } from '../context/flags.ts';

/** The help text of each flag of a verb. */
export type VerbFlags = Readonly<Partial<Record<FlagName, string>>>;

/** Flags that have no effect in some calls of a verb. Such a call is refused; the flags are not silently ignored. */
export interface UnusedFlags {
  readonly flags: readonly FlagName[];
  /** Whether they have no effect in this call. */
  readonly when: (words: readonly string[], flags: Flags) => boolean;
  /** The end of the message `--seed is not used here: …`. */
  readonly why: string;
}

/** One verb of the command line, as data. */
export interface Verb {
  readonly name: string;
  /** Positional words as commander writes them: `[selector...]`. */
  readonly words?: string;
  readonly about: string;
  readonly flags: VerbFlags;
  /** Flags that take no value in this verb, although they take one in others. */
  readonly switches?: readonly FlagName[];
  /** Command lines at the end of the help. */
  readonly examples: readonly string[];
  /** More lines of help: what the words mean. */
  readonly details?: string;
  /**
   * The names of the schemas in docs/schemas that describe the JSON, without their ending, or the name of its standard. A
   * verb without any does not take `--json`.
   */
  readonly answers?: readonly string[];
  /** The calls that are refused because of a flag. */
  readonly unused?: readonly UnusedFlags[];
  /** The meaning of exit codes for this verb, where it differs from the general one. */
  readonly exits?: Readonly<Partial<Record<ExitReason, string>>>;
  /** Whether the words, flags too, are passed to another program. */
  readonly passThrough?: boolean;
  /** Imported when the verb runs, so that no verb waits for the code of another. */
  readonly load: () => Promise<RunVerb>;
}

/** The flag of every verb that answers in JSON. */
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
/** The flag of every verb that builds or downloads programs; `Context.locked` has its value. */
export const LOCKED_FLAG: VerbFlags = {
  locked: 'use only programs pinned in components.lock.yaml',
};
/** The flag of every verb that starts worlds. */
export const COLD_FLAG: VerbFlags = { cold: 'build every world from its disk image, not from a saved world' };

/** The help about words that name a variant. */
export const VARIANT_DETAILS = `A variant is one configuration of the cluster: axis=value words (cgroup=v1 os=bullseye), or a name, which is the
part before the / of an address in \`whodunit list\` (default, v1, systemd+cgroupfs). Without words: the default variant.`;

/** The help about a word that names a saved run. */
export const RUN_DETAILS = 'A run is latest, an id from `whodunit runs`, or the beginning of exactly one id.';

/** Returns the flags of a verb, in the order of its help. */
export function flagsOfVerb(verb: Verb): FlagName[] {
  return Object.keys(verb.flags) as FlagName[];
}
