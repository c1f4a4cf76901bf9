import { describe, expect, it } from 'vitest';
import { describeBisect } from '../../../../lab/experiment/bisect/describe-bisect.ts';
import { searchVersions } from '../../../../lab/experiment/bisect/search-versions.ts';
import type { SearchedRun } from '../../../../lab/model/saved/search.ts';
import { sum } from '../../../../lab/model/text/sum.ts';
import { alive, headOf, oom, search } from '../../../fixtures/bisect/told-search.ts';

const VERSIONS = ['1.6.1', '1.6.2', '1.6.3', '1.6.4', '1.6.5', '1.6.6'];
const LINES = ['1.6.0', '1.6.8', '1.6.25', '1.7.0', '1.7.3', '1.7.4', '2.0.0', '2.1.0'];
const isFixed = (value: string): boolean => ['1.6.25', '1.7.4', '2.0.0', '2.1.0'].includes(value);

describe('a search of versions', () => {
  it('runs both neighbours again in freshly built worlds', () => {
    const head = headOf(VERSIONS);
    const seen = search(head, (value) => (value < '1.6.4' ? oom : alive));
    const { outcome, lines } = describeBisect(head, seen);
    expect(outcome).toBe('found');
    expect(lines[0]).toMatchObject({ lastGood: '1.6.3', firstBad: '1.6.4', confirmed: true });
    const fresh = seen.filter(({ isFresh }) => isFresh).map(({ value }) => value);
    expect([...new Set(fresh)].toSorted()).toEqual(['1.6.3', '1.6.4']);
  });

  it('says that more than one change happened', () => {
    const head = headOf(VERSIONS);
    const told = VERSIONS.flatMap((value, index) =>
      Array.from({ length: 20 }, (_, run) => ({
        value,
        place: `${value}/${run}`,
        isFresh: false,
        seconds: 1,
        ...(index % 2 === 0 ? oom : alive),
      })),
    );
    const { outcome, lines } = describeBisect(head, told);
    expect([outcome, lines[0]?.firstBad]).toEqual(['several-changes', undefined]);
  });

  it('searches each line for a fix that was taken back, when it is asked to', () => {
    const head = headOf(LINES, { good: '2.1.0', bad: '1.6.0', branches: true });
    const seen = search(head, (value) => (isFixed(value) ? alive : oom));
    const { lines, isFix, outcome } = describeBisect(head, seen);
    expect([isFix, outcome]).toEqual([true, 'found']);
    expect(lines.map(({ lastGood }) => lastGood).toSorted()).toEqual(['1.6.25', '1.7.4', '2.0.0']);
  });

  it('says of a line that no version of it has the change', () => {
    const head = headOf(LINES, { good: '2.1.0', bad: '1.6.0', branches: true });
    const seen = search(head, (value) => (value.startsWith('2') ? alive : oom));
    const { lines } = describeBisect(head, seen);
    expect(lines.slice(1).map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged']);
  });

  it('says that neighbours of the same bytes are no change', () => {
    const head = headOf(VERSIONS);
    const bytes = 'containerd 00';
    const seen = search(head, (value) => ({ ...(value < '1.6.4' ? oom : alive), bytes }));
    expect(describeBisect(head, seen).lines[0]?.sameBytes).toBe(true);
  });

  it('stays within the budget, and then names a range', () => {
    const head = headOf(VERSIONS, { budgetSeconds: 600 });
    const seen = search(head, (value) => (value < '1.6.4' ? oom : alive));
    const { seconds, outcome, lines } = describeBisect(head, seen);
    expect(seconds).toBeLessThanOrEqual(600);
    expect(outcome === 'range' || lines[0]?.confirmed === false).toBe(true);
  });

  it('asks no version for ever that does not build, and joins it to the next one', () => {
    const head = headOf(VERSIONS);
    const seen = search(head, (value) => {
      if (value === '1.6.4') return { why: 'inconclusive: it does not build' };
      return value < '1.6.4' ? oom : alive;
    });
    const { lines, versions } = describeBisect(head, seen);
    expect(lines[0]?.among).toEqual(['1.6.4', '1.6.5']);
    expect(versions.filter(({ setAside }) => setAside === true).map(({ value }) => value)).toEqual(['1.6.4']);
  });

  it('pays for a world again that no run was observed in', () => {
    const head = headOf(['1.6.1', '1.6.2']);
    const run = { value: '1.6.1', place: 'a', isFresh: false, seconds: 130 };
    const after = (told: Pick<SearchedRun, 'end' | 'why'>): number | undefined =>
      searchVersions(head, [{ ...run, ...told }]).next?.seconds;
    const bad = { ...run, value: '1.6.2', place: 'b', ...alive };
    expect(after({ why: 'its world did not come up' })).toBe(130);
    expect(searchVersions(head, [{ ...run, ...oom }, bad]).next).toMatchObject({
      value: '1.6.1',
      seconds: 70,
    });
  });

  it('counts for the budget that both neighbours are built again', () => {
    const freshSeconds = 500;
    const values = headOf(VERSIONS).values.map((value) => ({ ...value, prepareSeconds: 10, freshSeconds }));
    const told = (value: string): typeof oom => (value < '1.6.4' ? oom : alive);
    const whole = search(headOf(VERSIONS, { values }), told);
    const warm = sum(whole.filter(({ isFresh }) => !isFresh).map(({ seconds }) => seconds));
    const first = whole.find(({ isFresh }) => isFresh);
    expect(first?.seconds).toBeGreaterThanOrEqual(130);
    const seen = search(headOf(VERSIONS, { values, budgetSeconds: warm + freshSeconds }), told);
    expect(seen.filter(({ isFresh }) => isFresh)).toEqual([]);
    expect(
      describeBisect(headOf(VERSIONS, { values, budgetSeconds: warm + 500 }), seen).lines[0],
    ).toMatchObject({
      outcome: 'found',
      confirmed: false,
    });
  });
});
