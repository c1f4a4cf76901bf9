import type { Again } from '../../model/saved/again.ts';
import { shortenPaths } from '../text/page-rows.ts';

/** Changes that are told; one of them is enough not to believe the rest. */
const MAX_CHANGES = 4;

/** What a reader must know before the saved result; undefined when its evidence says the same. */
export function warnAgain({ state, why, changes = [] }: Again): string | undefined {
  if (state === 'same') return undefined;
  if (state === 'unjudged') return `nobody can check this result: ${why ?? 'no reason is known'}`;
  const told = changes
    .slice(0, MAX_CHANGES)
    .map(({ field, before, now }) => `${field}: ${shortenPaths(before)} -> ${shortenPaths(now)}`);
  const more = changes.length > MAX_CHANGES ? `; and ${changes.length - MAX_CHANGES} more` : '';
  return `judged again, its evidence says otherwise: ${told.join('; ')}${more}`;
}
