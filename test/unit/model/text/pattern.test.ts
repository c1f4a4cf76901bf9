import { expect, it } from 'vitest';
import { isPattern, matchesPattern, patternSchema } from '../../../../lab/model/text/pattern.ts';

it.each(['(a+)+$', '(a|a)*$', '(a|aa)+$', '([a-z]+)*b', '(.*a){25}'])(
  'answers at once whether %s fits a long text, which hangs other engines',
  (pattern) => {
    const startedAt = performance.now();
    expect(matchesPattern(pattern, `${'a'.repeat(20_000)}!`)).toBe(false);
    // Linear: some milliseconds. An engine that backtracks does not end at all.
    expect(performance.now() - startedAt).toBeLessThan(60_000);
  },
);

it('refuses what RE2 cannot read', () => {
  for (const pattern of ['(?=a)', '(a)\\1', '(', 'a{1001}']) {
    expect(isPattern(pattern), pattern).toBe(false);
    expect(patternSchema.safeParse(pattern).success, pattern).toBe(false);
  }
});
