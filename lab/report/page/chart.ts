import { scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { html, type Html } from '../text/html.ts';

/** What all drawings over time have in common: scales and lines come from d3, the SVG is text. Sizes are in pixels. */

/** A drawing and the room that its axes leave. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** A reading: when, in milliseconds, and how much. */
export interface Reading {
  readonly at: number;
  readonly value: number;
}

/** Where a time and a number are in a drawing. */
export interface Scales {
  readonly x: (at: number) => number;
  readonly y: (value: number) => number;
}

/** A text next to an axis, and what it means: a time in milliseconds, or a number. */
export interface Tick {
  readonly value: number;
  readonly text: string;
}

/** Times from the left edge to the right one, numbers from the lower edge to the upper one. */
export function scaleInto(
  { width, height, left, right, top, bottom }: Frame,
  times: readonly [number, number],
  values: readonly [number, number],
): Scales {
  const x = scaleLinear(widen(times), [left, width - right]);
  const y = scaleLinear(widen(values), [height - bottom, top]);
  return { x: (at) => round(x(at)), y: (value) => round(y(value)) };
}

/** A scale needs two ends: a single value is at the lower one. */
function widen([from, to]: readonly [number, number]): [number, number] {
  return [from, to > from ? to : from + 1];
}

/**
 * Returns about `count` round numbers between two numbers.
 *
 * @param unit what they are round in: 1024 ** 2 for bytes that are shown in MiB.
 */
export function roundNumbers(
  [from, to]: readonly [number, number],
  { count, unit = 1 }: { readonly count: number; readonly unit?: number },
): number[] {
  return scaleLinear([from / unit, to / unit], [0, 1])
    .ticks(count)
    .map((number) => number * unit);
}

/** Both axes with their texts, and a faint line at each number. */
export function renderAxes(
  { width, height, left, right, top, bottom }: Frame,
  { x, y }: Scales,
  { times, numbers }: { readonly times: readonly Tick[]; readonly numbers: readonly Tick[] },
): Html {
  const base = height - bottom;
  return html`<path class="axis" d="M${left},${top} V${base} H${width - right}" />${labelOnce(numbers).map(
      ({ value, text }) =>
        html`<path class="grid" d="M${left},${y(value)} H${width - right}" /><text
            class="tick"
            x="${left - 6}"
            y="${y(value) + 4}"
            text-anchor="end"
            >${text}</text
          >`,
    )}${labelOnce(times).map(
      ({ value, text }) =>
        html`<path class="axis" d="M${x(value)},${base} v4" /><text
            class="tick"
            x="${x(value)}"
            y="${base + 16}"
            text-anchor="${anchorAt(x(value), left, width - right)}"
            >${text}</text
          >`,
    )}`;
}

/** Numbers that are nearer to each other than their texts can say: the first of them. */
function labelOnce(ticks: readonly Tick[]): Tick[] {
  return ticks.filter(({ text }, index) => text !== ticks[index - 1]?.text);
}

/** Text at an edge grows into the drawing. */
function anchorAt(x: number, left: number, right: number): 'start' | 'middle' | 'end' {
  if (x < left + 24) return 'start';
  return x > right - 24 ? 'end' : 'middle';
}

/** Readings joined, in their order; nothing for fewer than two. */
export function renderLine(readings: readonly Reading[], { x, y }: Scales): Html {
  if (readings.length < 2) return html``;
  const path = line<Reading>(
    ({ at }) => x(at),
    ({ value }) => y(value),
  );
  return html`<path class="line" d="${path(readings) ?? ''}" />`;
}

/** Tenths of a pixel are fine enough, and keep a report small. */
function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
