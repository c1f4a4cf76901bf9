import { compareJudgements } from '../../judge/compare/compare-judgements.ts';
import type { Change } from '../../model/saved/again.ts';
import type { Autopsy } from '../../model/saved/autopsy.ts';

/**
 * Lists the fields in which an answer differs from an earlier one. If it has several deaths, each change names the
 * number of its death.
 */
export function compareAutopsies(before: Autopsy, now: Autopsy): Change[] {
  if (before.deaths.length !== now.deaths.length)
    return [{ field: 'deaths', before: `${before.deaths.length}`, now: `${now.deaths.length}` }];
  return now.deaths.flatMap((death, index) => {
    const was = before.deaths[index];
    if (was === undefined) return [];
    const changes = compareJudgements({ verdict: '', ...was }, { verdict: '', ...death });
    if (now.deaths.length === 1) return changes;
    return changes.map((change) => ({ ...change, field: `death ${index + 1}: ${change.field}` }));
  });
}
