import type { Again } from '../../model/saved/again.ts';
import { quote } from '../text/page-rows.ts';

/** The most changes in a warning. */
const MAX_CHANGES = 4;

/**
 * Returns the warning above a saved result that contradicts its evidence, or cannot be checked; undefined when both say
 * the same.
 */
export function warnAgain({ state, why, changes = [] }: Again): string | undefined {
  if (state === 'same') return undefined;
  if (state === 'unjudged') return `this result cannot be checked: ${why ?? 'the reason is unknown'}`;
  const named = changes
    .slice(0, MAX_CHANGES)
    .map(({ field, before, now }) => `${field}: ${quote(before)} -> ${quote(now)}`);
  const more = changes.length > MAX_CHANGES ? `; and ${changes.length - MAX_CHANGES} more` : '';
  return `this result contradicts its evidence: ${named.join('; ')}${more}`;
}
