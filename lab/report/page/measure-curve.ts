import type { MeasureResult } from '../../model/measures/measure.ts';
import { describeNumber } from '../../model/saved/describe-measure.ts';
import { renderAxes, renderLine, roundNumbers, scaleInto, type Frame } from './chart.ts';
import { html, type Html } from '../text/html.ts';
import { largest, smallest } from '../../model/text/extremes.ts';

const FRAME: Frame = { width: 480, height: 110, left: 70, right: 8, top: 8, bottom: 20 };

/** Draws a measure over time as an SVG of its own, with both scales; nothing without two numbers. */
export function renderCurve({
  measure,
  unit,
  points,
}: Pick<MeasureResult, 'measure' | 'unit' | 'points'>): Html {
  const times = points.map(({ at }) => Date.parse(at));
  const [from = 0, to = 0] = [times[0], times.at(-1)];
  if (points.length < 2 || to <= from) return html``;
  const values = points.map(({ value }) => value);
  const range = [smallest(values, 0), largest(values)] as const;
  const scales = scaleInto(FRAME, [from, to], range);
  const seconds = (to - from) / 1000;
  return html`<svg
    class="curve"
    viewBox="0 0 ${FRAME.width} ${FRAME.height}"
    role="img"
    aria-label="${measure} over ${Math.round(seconds)} s"
  >
    ${renderAxes(FRAME, scales, {
      times: roundNumbers([0, seconds], { count: 5 }).map((second) => ({
        value: from + second * 1000,
        text: `${second} s`,
      })),
      numbers: roundNumbers(range, { count: 3 }).map((value) => ({
        value,
        text: describeNumber(unit, value),
      })),
    })}
    ${renderLine(
      points.map(({ value }, index) => ({ at: times[index] ?? from, value })),
      scales,
    )}
  </svg> `;
}
