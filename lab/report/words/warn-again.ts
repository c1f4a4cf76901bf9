import type { Again } from '../../model/saved/again.ts';
import { quote } from '../text/page-rows.ts';

/** Most changes that are named: one is enough to doubt the rest. */
const MAX_CHANGES = 4;

/** What a reader must know before reading the saved result; undefined when its evidence says the same. */
export function warnAgain({ state, why, changes = [] }: Again): string | undefined {
  if (state === 'same') return undefined;
  if (state === 'unjudged') return `this result cannot be checked: ${why ?? 'the reason is unknown'}`;
  const named = changes
    .slice(0, MAX_CHANGES)
    .map(({ field, before, now }) => `${field}: ${quote(before)} -> ${quote(now)}`);
  const more = changes.length > MAX_CHANGES ? `; and ${changes.length - MAX_CHANGES} more` : '';
  return `this result contradicts its evidence: ${named.join('; ')}${more}`;
}
