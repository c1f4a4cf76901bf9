import { expect, it } from 'vitest';
import type { Killer } from '../../../../lab/model/killers/killers.ts';
import type { Verdict } from '../../../../lab/model/killers/killers.ts';
import { adviseOnCell } from '../../../../lab/report/words/advise.ts';

it.each<[verdict: Verdict, killer: Killer, expected: RegExp]>([
  ['passed', 'none', /^nothing: it is alive$/],
  ['failed', 'none', /^nothing: it is alive$/],
  ['inconclusive', 'none', /^run it again: this run decides nothing$/],
  ['inconclusive', 'memcg-oom', /^raise limits\.memory/],
  ['passed', 'memcg-oom', /^raise limits\.memory/],
])('of a cell that is %s, with the killer %s, it says what to do', (verdict, killer, expected) => {
  const attribution = { killer, victim: '', confidence: 'proven' as const, because: [] };
  expect(adviseOnCell({ verdict, attribution })).toMatch(expected);
});
