import { UsageError } from '../../model/errors/errors.ts';
import type { RunVerb } from '../context/context.ts';
import { spellFlag, type FlagName } from '../context/flags.ts';
import { LIST_KINDS } from './list-kinds.ts';

/** The flags of `list` that say something only of cells. */
const OF_CELLS: readonly FlagName[] = ['pairwise', 'seed', 'cold', 'summary'];

/** `whodunit list [kind] [word…]`: what the verb of that kind answers; without a kind, the cells of the selectors. */
export const runListAnything: RunVerb = async (context, words, flags) => {
  const [first = ''] = words;
  const isKind = Object.hasOwn(LIST_KINDS, first);
  const kind = isKind ? (first as keyof typeof LIST_KINDS) : 'cells';
  const { takesWords, load } = LIST_KINDS[kind];
  const rest = isKind ? words.slice(1) : words;
  const odd = [
    ...(kind === 'cells' ? [] : OF_CELLS.filter((name) => flags[name] !== undefined).map(spellFlag)),
    ...(takesWords ? [] : rest.map((word) => `"${word}"`)),
  ];
  if (odd.length > 0)
    throw new UsageError(`list ${kind} takes no ${odd.join(', ')}`, { tryNext: `npx whodunit list ${kind}` });
  return (await load())(context, rest, flags);
};
