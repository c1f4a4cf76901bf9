import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sum } from '../../../../lab/model/text/sum.ts';
import { parseLanes, type AskedLanes } from '../../../../lab/plan/worlds/parse-lanes.ts';
import { estimateInLanes, planLanes } from '../../../../lab/plan/worlds/plan-lanes.ts';

const FORK_SECONDS = 30;
const cells = (count: number, seconds = 45): number[] => Array.from({ length: count }, () => seconds);

describe('the lanes of worlds', () => {
  it.each<[string, number[][], AskedLanes, number, number[]]>([
    ['one was asked for', [cells(6)], 1, 8, [1]],
    ['as many as were asked for, whatever the CPUs', [cells(6)], 4, 1, [4]],
    ['no more than cells', [cells(2), cells(9), []], 4, 8, [2, 4, 1]],
    ['one place', [cells(6)], 'auto', 1, [1]],
    ['all places for the only world', [cells(40)], 'auto', 8, [8]],
    ['no lane that saves nothing: forking takes longer', [cells(1), cells(0)], 'auto', 8, [1, 1]],
    ['no lane beyond the cells', [cells(4)], 'auto', 16, [4]],
    ['no place is left beside the worlds', [cells(40), cells(40)], 'auto', 2, [1, 1]],
    ['fewer places than worlds', [cells(40), cells(40), cells(40)], 'auto', 2, [1, 1, 1]],
    ['the longest world gets what is left', [cells(10), cells(40)], 'auto', 4, [1, 3]],
    ['the longest cell is the bound', [[600, 10, 10]], 'auto', 16, [1]],
    ['no cells', [], 'auto', 4, []],
  ])('%s', (_, works, asked, slots, lanes) => {
    expect(planLanes(works, asked, { slots, forkSeconds: FORK_SECONDS })).toEqual(lanes);
  });

  it('are never more than the host admits where it decides, and never slower than one', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.nat(300), { maxLength: 20 }), { maxLength: 6 }),
        fc.integer({ min: 1, max: 40 }),
        (works, slots) => {
          const lanes = planLanes(works, 'auto', { slots, forkSeconds: FORK_SECONDS });
          expect(sum(lanes)).toBeLessThanOrEqual(Math.max(slots, works.length));
          for (const [index, work] of works.entries())
            expect(estimateInLanes(work, lanes[index] ?? 1, FORK_SECONDS)).toBeLessThanOrEqual(sum(work));
        },
      ),
    );
  });

  it('are fewer where forking takes longer', () => {
    const lanesAt = (forkSeconds: number): number[] =>
      planLanes([cells(4)], 'auto', { slots: 4, forkSeconds });
    expect([30, 100, 200].map(lanesAt)).toEqual([[4], [4], [1]]);
  });

  it('take what the longest takes, and the time to fork them', () => {
    expect(estimateInLanes([10, 20, 30], 1, 30)).toBe(60);
    expect(estimateInLanes([10, 20, 30], 2, 30)).toBe(60);
    expect(estimateInLanes([100, 60, 50, 40], 2, 55)).toBe(55 + 140);
  });
});

describe('--lanes', () => {
  it.each([
    ['auto', 'auto'],
    ['1', 1],
    ['16', 16],
  ])('reads %s', (text, lanes) => {
    expect(parseLanes(text)).toBe(lanes);
  });

  it.each(['0', '-1', '100', '2.5', 'all', ' 2', ''])('refuses "%s"', (text) => {
    expect(() => parseLanes(text)).toThrow(
      `--lanes takes auto, or a whole number from 1 to 99; "${text}" is neither`,
    );
  });
});
