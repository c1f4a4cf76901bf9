import { UsageError } from '../../model/errors/errors.ts';
import type { RunVerb } from '../context/context.ts';
import { spellFlag, type FlagName } from '../context/flags.ts';
import { findListKind, LIST_KINDS } from './list-kinds.ts';
import { VERBS } from './verbs.ts';

/** `whodunit list [kind] [word…]`: what the verb of that kind answers; without a kind, the cells of the selectors. */
export const runListAnything: RunVerb = async (context, words, flags) => {
  const kind = findListKind(words);
  const rest = kind === undefined ? words : words.slice(1);
  const listed = kind ?? 'cells';
  if (listed === 'cells') return (await import('../verbs/list.ts')).runList(context, rest, flags);
  const verb = VERBS.find(({ name }) => name === LIST_KINDS[listed]);
  if (verb === undefined) throw new UsageError(`${listed} cannot be listed`);
  const odd = (Object.keys(flags) as FlagName[]).filter((name) => !(name in verb.flags));
  const problems = [
    ...odd.map((name) => spellFlag(name)),
    ...(verb.words === undefined ? rest.map((word) => `"${word}"`) : []),
  ];
  if (problems.length > 0)
    throw new UsageError(`list ${listed} takes no ${problems.join(', ')}`, {
      tryNext: `npx whodunit list ${listed}`,
    });
  return (await verb.load())(context, rest, flags);
};
