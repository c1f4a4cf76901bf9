import { UsageError } from '../../model/errors/errors.ts';

/** The most ids in an error. */
const MAX_IDS = 5;

/**
 * Returns the id of the run that a word names: the id itself, the beginning of exactly one id, or `latest`. Undefined when
 * there is none.
 *
 * @param ids in ascending order, which is the order of time (lab/drivers/run-id.ts).
 * @throws UsageError when several ids begin with the word.
 */
export function findRunId(ids: readonly string[], word: string): string | undefined {
  const matches = matchRunIds(ids, word);
  if (matches.length <= 1) return matches[0];
  throw new UsageError(`${matches.length} runs begin with "${word}"`, {
    tryNext: `more of the id: ${matches.slice(0, MAX_IDS).join(', ')}${matches.length > MAX_IDS ? ', …' : ''}`,
  });
}

/** Returns the ids of the runs that a word may name: the id itself, all that begin with it, or `latest`. */
export function matchRunIds(ids: readonly string[], word: string): string[] {
  if (ids.includes(word)) return [word];
  return word === 'latest' ? ids.slice(-1) : ids.filter((id) => word !== '' && id.startsWith(word));
}
