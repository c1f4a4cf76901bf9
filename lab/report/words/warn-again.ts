import type { Again, Change } from '../../model/saved/again.ts';
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
  const text = `${named.join('; ')}${more}`;
  return changes.every(isWording)
    ? `judged again, verdict and killer are the same, and other words are not: ${text}; another version of whodunit wrote this result, or somebody changed it`
    : `this result contradicts its evidence: ${text}`;
}

/** Whether a change may be one of words: a line of a page, or what a layer said, if it agrees with the verdict as before. */
function isWording({ field, before, now }: Change): boolean {
  const agreement = agreementOf(before);
  const isClaim = field.startsWith('claim of ') && agreement !== undefined;
  return field === 'page' || (isClaim && agreement === agreementOf(now));
}

/** The end of a claim, as `compareJudgements` writes it. */
function agreementOf(claim: string): string | undefined {
  return / \((?:no word|right|wrong)\)$/.exec(claim)?.[0];
}
