import type { MeasureResult } from '../model/measure.ts';
import { describeNumber } from '../model/describe-measure.ts';
import { html, type Html } from './html.ts';

const WIDTH = 480;
const HEIGHT = 90;
/** Room for the text of both scales. */
const LEFT = 70;
const BOTTOM = 16;
const TOP = 6;

/** Draws a measure over time as an SVG of its own: its numbers joined, the scales at the edges; nothing without two numbers. */
export function renderCurve({ measure, points }: Pick<MeasureResult, 'measure' | 'points'>): Html {
  const times = points.map(({ at }) => Date.parse(at));
  const values = points.map(({ value }) => value);
  const [from = 0, to = 0] = [times[0], times.at(-1)];
  if (points.length < 2 || to <= from) return html``;
  const least = Math.min(0, ...values);
  const most = Math.max(...values);
  const x = (time: number): number => LEFT + ((time - from) / (to - from)) * (WIDTH - LEFT - 4);
  const y = (value: number): number =>
    TOP + (1 - (value - least) / (most - least || 1)) * (HEIGHT - TOP - BOTTOM);
  const line = points.map(({ value }, index) => `${round(x(times[index] ?? from))},${round(y(value))}`);
  const seconds = Math.round((to - from) / 1000);
  return html`<svg
    class="curve"
    viewBox="0 0 ${WIDTH} ${HEIGHT}"
    role="img"
    aria-label="${measure} over ${seconds} s"
  >
    <path class="axis" d="M${LEFT},${TOP} V${HEIGHT - BOTTOM} H${WIDTH - 4}" />
    <text x="${LEFT - 6}" y="${TOP + 8}" text-anchor="end">${describeNumber(measure, most)}</text>
    <text x="${LEFT - 6}" y="${HEIGHT - BOTTOM}" text-anchor="end">${describeNumber(measure, least)}</text>
    <text x="${LEFT}" y="${HEIGHT - 3}">0 s</text>
    <text x="${WIDTH - 4}" y="${HEIGHT - 3}" text-anchor="end">${seconds} s</text>
    <polyline points="${line.join(' ')}" />
  </svg> `;
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
