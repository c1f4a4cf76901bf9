import { EXIT_CODES, type ExitReason } from '../../model/errors/exit-status.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { HelpResult } from '../../model/saved/answers.ts';
import { FLAGS, spellFlag, type FlagName } from '../context/flags.ts';
import type { Verb } from './verb.ts';
import { VERB_GROUPS } from './verbs.ts';

/** Returns the table of the verbs, or only the row of one, as `help --json` prints it. */
export function describeVerbs(only: Verb | undefined): HelpResult {
  const verbs = Object.entries(VERB_GROUPS).flatMap(([group, rows]) =>
    rows.filter((verb) => only === undefined || verb === only).map((verb) => describeVerb(group, verb)),
  );
  return { formatVersion: FORMAT_VERSION, verbs };
}

function describeVerb(group: string, verb: Verb): HelpResult['verbs'][number] {
  const { name, words, about, details, flags, switches = [], examples, exits = {}, answers = [] } = verb;
  return {
    name,
    group,
    words,
    about,
    details,
    flags: Object.entries(flags).map(([flag, does]) => ({
      flag: spellFlag(flag as FlagName),
      takes: switches.includes(flag as FlagName) ? undefined : /<(.*)>/.exec(FLAGS[flag as FlagName])?.[1],
      about: does,
    })),
    examples: [...examples],
    exits: Object.entries(exits).map(([reason, means]) => ({
      code: EXIT_CODES[reason as ExitReason],
      means,
    })),
    answers: [...answers],
  };
}
