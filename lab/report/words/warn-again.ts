import type { Again } from '../../model/saved/again.ts';
import { quote } from '../text/page-rows.ts';

/** The most changes in a warning. */
const MAX_CHANGES = 4;

/** Fields whose words, and not what they say, may differ between versions of whodunit. */
const WORDED = /^(?:page|proof|claim of .+)$/;

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
  const text = `${named.join('; ')}${more}`;
  return changes.every(({ field }) => WORDED.test(field))
    ? `judged again, verdict and killer are the same, and other words are not: ${text}; another version of whodunit wrote this result, or somebody changed it`
    : `this result contradicts its evidence: ${text}`;
}
