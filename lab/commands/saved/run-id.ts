import { UsageError } from '../../model/errors/errors.ts';

/** Ids that are listed when several fit. */
const MAX_IDS = 5;

/**
 * The run that a word names: its id, the beginning of exactly one id, or `latest`. Undefined when there is none.
 *
 * @param ids in ascending order, which is that of time (lab/drivers/run-id.ts).
 * @throws UsageError when several begin so.
 */
export function findRunId(ids: readonly string[], word: string): string | undefined {
  const matches = matchRunIds(ids, word);
  if (matches.length <= 1) return matches[0];
  throw new UsageError(`${matches.length} runs begin with "${word}"`, {
    tryNext: `more of the id: ${matches.slice(0, MAX_IDS).join(', ')}${matches.length > MAX_IDS ? ', …' : ''}`,
  });
}

/** The runs that a word may mean: an id, all that begin so, or `latest`. */
export function matchRunIds(ids: readonly string[], word: string): string[] {
  if (ids.includes(word)) return [word];
  return word === 'latest' ? ids.slice(-1) : ids.filter((id) => word !== '' && id.startsWith(word));
}
