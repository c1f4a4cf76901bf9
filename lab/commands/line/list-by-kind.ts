import { UsageError } from '../../model/errors/errors.ts';
import type { RunVerb } from '../context/context.ts';
import { isListKind } from '../context/list-words.ts';
import { LIST_KINDS } from './list-kinds.ts';

/** `whodunit list [kind] [word…]`: runs the verb of that kind; without a kind it lists the cells that selectors choose. */
export const runListByKind: RunVerb = async (context, words, flags) => {
  const [first = ''] = words;
  const isKind = isListKind(first);
  const kind = isKind ? first : 'cells';
  const { takesWords, load } = LIST_KINDS[kind];
  const rest = isKind ? words.slice(1) : words;
  if (!takesWords && rest.length > 0)
    throw new UsageError(`list ${kind} takes no words, and got "${rest.join(' ')}"`, {
      tryNext: 'npx whodunit help list',
    });
  return (await load())(context, rest, flags);
};
