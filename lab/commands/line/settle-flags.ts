import type { UsageError } from '../../model/errors/errors.ts';
import { usageErrorOf } from '../../model/errors/usage-problems.ts';
import { isGiven, spellFlag, type Flags } from '../context/flags.ts';
import type { UnusedFlags, Verb } from './verb.ts';

/** The flags that no verb uses in such a call. */
const UNUSED_IN_EVERY_VERB: readonly UnusedFlags[] = [
  {
    flags: ['output'],
    when: (_, { json, output }) => json === true && output !== 'json',
    why: 'it cannot be combined with --json',
  },
];

/**
 * Returns the flags as a verb reads them: `-o json` becomes `--json`.
 *
 * @throws UsageError for all flags that this call does not use.
 */
export function settleFlags(verb: Verb, words: readonly string[], flags: Flags): Flags {
  const refused = [...UNUSED_IN_EVERY_VERB, ...(verb.unused ?? [])].flatMap(({ flags: names, when, why }) => {
    const given = names.filter((name) => isGiven(name, flags)).map(spellFlag);
    return given.length === 0 || !when(words, flags) ? [] : [{ given, why }];
  });
  if (refused.length > 0) throw refuseUnused(verb, refused);
  return flags.output === 'json' ? { ...flags, json: true } : flags;
}

function refuseUnused(
  { name }: Verb,
  refused: readonly { readonly given: readonly string[]; readonly why: string }[],
): UsageError {
  const problems = refused.map(
    ({ given, why }) => `${given.join(', ')} ${given.length === 1 ? 'is' : 'are'} not used here: ${why}`,
  );
  const flags = refused.flatMap(({ given }) => given);
  return usageErrorOf(
    problems,
    `leave ${flags.length === 1 ? 'it' : 'them'} out, or npx whodunit help ${name}`,
  );
}
