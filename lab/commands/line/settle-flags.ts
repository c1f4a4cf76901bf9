import { UsageError } from '../../model/errors/errors.ts';
import { isGiven, spellFlag, type Flags } from '../context/flags.ts';
import type { UnusedFlags, Verb } from './verb.ts';

/** The same for every verb. */
const ALWAYS: readonly UnusedFlags[] = [
  {
    flags: ['output'],
    when: (_, { json, output }) => json === true && output !== 'json',
    why: 'it cannot be combined with --json',
  },
];

/**
 * The flags as a verb reads them: `-o json` is `--json`.
 *
 * @throws UsageError for a flag that this call does not use.
 */
export function settleFlags(verb: Verb, words: readonly string[], flags: Flags): Flags {
  for (const { flags: names, when, why } of [...ALWAYS, ...(verb.unused ?? [])]) {
    const given = names.filter((name) => isGiven(name, flags));
    if (given.length === 0 || !when(words, flags)) continue;
    throw new UsageError(`${given.map(spellFlag).join(', ')} is not used here: ${why}`, {
      tryNext: `leave it out, or npx whodunit help ${verb.name}`,
    });
  }
  return flags.output === 'json' ? { ...flags, json: true } : flags;
}
