import { describe, expect, it } from 'vitest';
import { describeBisect } from '../../../../lab/experiment/bisect/describe-bisect.ts';
import { describeLine } from '../../../../lab/report/words/describe-line.ts';
import { alive, headOf, oom, search } from '../../../fixtures/bisect/told-search.ts';

const head = headOf(['1.6.1', '1.6.2', '1.6.3', '1.6.4']);
const whole = search(head, (value) => (value < '1.6.3' ? alive : oom));

function sayAfter(seen: typeof whole): string {
  const result = describeBisect(head, seen);
  return describeLine(result.lines[0]!, result);
}

describe('a line of versions in words', () => {
  it('says that more runs are needed as long as the change is not found', () => {
    expect(sayAfter([])).toBe('1.6.1 to 1.6.4: more runs are needed');
  });

  it('names the neighbours that are not yet confirmed, where a search was interrupted then', () => {
    const interrupted = whole.filter(({ isFresh }) => !isFresh);
    expect(sayAfter(interrupted)).toMatch(
      /^first bad: 1\.6\.3, last good: 1\.6\.2 \([\d.]+ %, not yet confirmed in freshly built worlds\)$/,
    );
  });

  it('says that both neighbours are confirmed', () => {
    expect(sayAfter(whole)).toMatch(
      /^first bad: 1\.6\.3, last good: 1\.6\.2 \([\d.]+ %, confirmed in freshly built worlds\)$/,
    );
  });
});
