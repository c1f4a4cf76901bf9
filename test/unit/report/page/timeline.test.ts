import { expect, it } from 'vitest';
import type { Moment, Spot } from '../../../../lab/report/page/plan-timeline.ts';
import { drawAxis, placeMoments } from '../../../../lab/report/page/timeline.ts';

/** So many moments of three rows, further and further apart. */
const spread = (count: number): Moment[] =>
  Array.from({ length: count }, (_, index) => ({ at: 1.6 ** index * (index % 2 === 0 ? 1 : 1.01) }));

it.each([3, 20, 48])(
  'fits %i records into a screen, in the order of time, and no two of a row touch',
  (count) => {
    const moments = spread(count);
    const rowOf = (moment: Moment): string => String(moments.indexOf(moment) % 3);
    const { xs, width } = placeMoments(moments, rowOf);
    expect(width).toBeLessThanOrEqual(1150);
    const places = moments.toSorted((a, b) => a.at - b.at).map((moment) => xs.get(moment) ?? NaN);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    for (const row of ['0', '1', '2']) {
      const own = moments.filter((moment) => rowOf(moment) === row).map((moment) => xs.get(moment) ?? NaN);
      const gaps = own.toSorted((a, b) => a - b).map((x, index, all) => x - (all[index - 1] ?? -Infinity));
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(18);
    }
  },
);

it('labels of neighbouring marks with one time only the first', () => {
  const of = { number: undefined, other: 0, lane: 'kernel', cutMs: 0, isLate: false, lateMs: 0 } as const;
  const marks = [2160, 2210, 2240, 2600].map((at): Spot => ({ ...of, at, aheadMs: 0, title: '' }));
  const xs = new Map<Moment, number>(marks.map((mark, index) => [mark, 100 * index]));
  const axis = drawAxis({ marks, end: undefined, zero: 0, lanes: ['kernel'], xs, width: 500 }, 'marks');
  const labels = [...axis.text.matchAll(/class="tick"[^>]*>([^<]*)</g)].map(([, text]) => text);
  expect(labels).toEqual(['+2.2 s', '+2.6 s']);
});
