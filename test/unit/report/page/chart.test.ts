import { describe, expect, it } from 'vitest';
import {
  renderAxes,
  renderLine,
  roundNumbers,
  scaleInto,
  type Frame,
} from '../../../../lab/report/page/chart.ts';

const FRAME: Frame = { width: 200, height: 100, left: 50, right: 10, top: 5, bottom: 20 };
const MIB = 1024 ** 2;

describe('a chart', () => {
  it('puts the first time and the least number into the lower left corner, the last and the most opposite', () => {
    const { x, y } = scaleInto(FRAME, [1000, 3000], [0, 8]);
    expect([x(1000), y(0), x(3000), y(8), x(2000), y(4)]).toEqual([50, 80, 190, 5, 120, 42.5]);
  });

  it('stands at the lower edge when there is one time or one number alone', () => {
    const { x, y } = scaleInto(FRAME, [1000, 1000], [7, 7]);
    expect([x(1000), y(7)]).toEqual([50, 80]);
  });

  it.each([
    [[0, 37], 1, [0, 10, 20, 30]],
    [[-3.2, 1.1], 1, [-3, -2, -1, 0, 1]],
    [[0, 138 * MIB], MIB, [0, 50 * MIB, 100 * MIB]],
  ] as const)('has round numbers in %j, in units of %d', (range, unit, numbers) => {
    expect(roundNumbers(range, { count: 4, unit })).toEqual(numbers);
  });

  it('joins readings in their order, and is nothing for one', () => {
    const scales = scaleInto(FRAME, [0, 100], [0, 10]);
    const readings = [
      { at: 0, value: 0 },
      { at: 100, value: 10 },
      { at: 50, value: 5 },
    ];
    expect(renderLine(readings, scales).text).toBe('<path class="line" d="M50,80L190,5L120,42.5" />');
    expect(renderLine(readings.slice(1, 2), scales).text).toBe('');
  });

  it('keeps texts at the edges inside, and escapes them', () => {
    const scales = scaleInto(FRAME, [0, 100], [0, 10]);
    const times = [0, 50, 100].map((value) => ({ value, text: `<${value}>` }));
    const { text } = renderAxes(FRAME, scales, { times, numbers: [] });
    expect([...text.matchAll(/text-anchor="(\w+)"/g)].map(([, anchor]) => anchor)).toEqual([
      'start',
      'middle',
      'end',
    ]);
    expect(text).toContain('&lt;50&gt;');
  });

  it.each([
    [
      ['0', '0.1 MiB', '0.1 MiB', '0.2 MiB'],
      ['0', '0.1 MiB', '0.2 MiB'],
    ],
    [['+1 s', '+1 s', '+1 s'], ['+1 s']],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
  ])('has of neighbours with one text the first: %j', (texts, shown) => {
    const scales = scaleInto(FRAME, [0, 100], [0, 10]);
    const ticks = texts.map((text, index) => ({ value: index, text }));
    for (const axes of [
      { times: ticks, numbers: [] },
      { times: [], numbers: ticks },
    ]) {
      const { text } = renderAxes(FRAME, scales, axes);
      expect([...text.matchAll(/>([^<>]+)<\/text/g)].map(([, label = '']) => label.trim())).toEqual(shown);
    }
  });
});
