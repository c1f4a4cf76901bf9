import { compareJudgements } from '../../judge/compare/compare-judgements.ts';
import type { Change } from '../../model/saved/again.ts';
import type { Autopsy } from '../../model/saved/autopsy.ts';

/** Lists where an answer differs from a former one; empty: nowhere. Where there are several deaths, each is named by its number. */
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
