import { describe, expect, it } from 'vitest';
import { describeBisect } from '../../../../lab/experiment/bisect/describe-bisect.ts';
import { sum } from '../../../../lab/model/text/sum.ts';
import { alive, headOf, oom, search } from '../../../fixtures/bisect/told-search.ts';

const VERSIONS = ['1.6.1', '1.6.2', '1.6.3', '1.6.4', '1.6.5', '1.6.6'];

describe('the chances of a line', () => {
  it('are of each version, add up to one, and to the probability of the answer', () => {
    const head = headOf(VERSIONS);
    const seen = search(head, (value) => (value === '1.6.4' ? { why: 'no' } : value < '1.6.4' ? oom : alive));
    const [line] = describeBisect(head, seen).lines;
    const { values = [], among = [], chances = [], probability = 0 } = line ?? {};
    expect([values, among]).toEqual([VERSIONS, ['1.6.4', '1.6.5']]);
    expect(chances[0]).toBe(0);
    expect(sum(chances)).toBeCloseTo(1, 9);
    expect(sum(chances.filter((_, place) => among.includes(values[place]!)))).toBeCloseTo(probability, 9);
  });

  it('are equal before anything was run', () => {
    const [line] = describeBisect(headOf(VERSIONS), []).lines;
    expect(line?.chances).toEqual(
      [0, ...Array<number>(5).fill(0.2)].map((chance): unknown => expect.closeTo(chance, 9)),
    );
  });

  it.each([
    ['the ends do not differ', (): typeof oom => oom],
    [
      'more than one change happened',
      (value: string): typeof oom => (Number(value.at(-1)) % 2 === 0 ? alive : oom),
    ],
  ])('are not said where %s', (_, lab) => {
    const head = headOf(VERSIONS);
    const seen = VERSIONS.flatMap((value) =>
      Array.from({ length: 40 }, (__, run) => ({
        value,
        place: `${value}/${run}`,
        isFresh: false,
        seconds: 1,
        ...lab(value),
      })),
    );
    const [line] = describeBisect(head, seen).lines;
    expect(line?.outcome).toMatch(/ends-alike|several-changes/);
    expect(line?.chances).toBeUndefined();
  });
});
