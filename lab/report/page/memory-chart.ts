import { formatBytes } from '../../model/text/format-bytes.ts';
import type { MemoryPoint, MemorySeries, Story } from '../../model/evidence/story.ts';
import {
  renderAxes,
  renderLine,
  roundNumbers,
  scaleInto,
  type Frame,
  type Scales,
  type Tick,
} from './chart.ts';
import { html, type Html } from '../text/html.ts';
import { spellOffset } from './timeline.ts';
import { largest, smallest } from '../../model/text/extremes.ts';

const FRAME: Frame = { width: 720, height: 220, left: 78, right: 12, top: 18, bottom: 26 };
/** Most lines in one picture. */
const MAX_SERIES = 3;
/** Least distance of two texts next to an axis. */
const APART = 16;

/** Fewest readings of a line: of a victim that ended they are counted around its end. */
const MIN_READINGS = 4;
/** What is around an end, in ms before and after it: the witness reads once more when a cgroup goes. */
const BEFORE_END = 15_000;
const AFTER_END = 1_000;

/**
 * Draws the memory of the victim and of its pod over time, their limits, and the end. A line through a few readings
 * long before the end would show what nobody saw, so it is not drawn: a sentence says so. Nothing without a reading.
 */
export function renderMemory(story: Story | undefined): Html {
  const all = (story?.memory ?? []).slice(0, MAX_SERIES);
  const { endedAt } = story ?? {};
  const series = all.filter(({ used }) => hasEnough(used, endedAt));
  if (all.length === 0) return html``;
  return series.length === 0 ? renderSeldom(all, endedAt) : drawSeries(series, endedAt);
}

function hasEnough(used: readonly MemoryPoint[], endedAt: number | undefined): boolean {
  const counted =
    endedAt === undefined
      ? used
      : used.filter(({ at }) => at >= endedAt - BEFORE_END && at <= endedAt + AFTER_END);
  return counted.length >= MIN_READINGS;
}

function renderSeldom(series: readonly MemorySeries[], endedAt: number | undefined): Html {
  const counts = series.map((line) => html`<li>${nameOf(line)}</li>`);
  return html`<p class="hint">
      Memory was read too seldom${endedAt === undefined ? '' : ' around the end'} to draw it over time.
    </p>
    <ul class="seldom">
      ${counts}
    </ul>`;
}

function drawSeries(series: readonly MemorySeries[], endedAt: number | undefined): Html {
  const points = series.flatMap(({ used, peaks }) => [...used, ...peaks]);
  const limits = listLimits(series);
  const times = [...points.map(({ at }) => at), ...(endedAt === undefined ? [] : [endedAt])];
  const [from, to] = [smallest(times), largest(times)];
  const most = largest([...points, ...limits].map(({ bytes }) => bytes)) || 1;
  const scales = scaleInto(FRAME, [from, to], [0, most * 1.08]);
  const zero = endedAt ?? from;
  return html`<figure class="memory">
    <div class="scroll" tabindex="0" role="region" aria-label="Memory over time">
      <svg
        class="memory-chart"
        viewBox="0 0 ${FRAME.width} ${FRAME.height}"
        role="img"
        aria-label="${describe(series, endedAt)}"
      >
        ${renderAxes(FRAME, scales, {
          times: listTimes([from, to], zero),
          numbers: listNumbers(most, limits, scales),
        })}
        ${limits.map((limit) => renderLimit(limit, scales))}
        ${series.map((line, index) => renderSeries(line, index, scales))}
        ${endedAt === undefined ? '' : renderEnd(endedAt, scales)}
      </svg>
    </div>
    <figcaption>
      <ul class="legend">
        ${series.map((line, index) => html`<li class="series-${index}">${nameOf(line)}</li>`)}${limits.length === 0 ? html`<li>no limit was read</li>` : ''}
      </ul>
    </figcaption>
  </figure>`;
}

/** Times before and after the zero. */
function listTimes([from, to]: readonly [number, number], zero: number): Tick[] {
  const offsets = roundNumbers([from - zero, to - zero], { count: 6 });
  return offsets.map((offset) => ({ value: zero + offset, text: spellOffset(offset) }));
}

/** Bytes that are round in the unit that they are shown in, but for those that the text of a limit covers. */
function listNumbers(most: number, limits: readonly Limit[], { y }: Scales): Tick[] {
  const unit = most < 1024 ** 3 ? 1024 ** 2 : 1024 ** 3;
  return roundNumbers([0, most], { count: 4, unit })
    .filter((value) => limits.every(({ bytes }) => Math.abs(y(bytes) - y(value)) >= APART))
    .map((value) => ({ value, text: value === 0 ? '0' : formatBytes(value) }));
}

interface Limit {
  readonly bytes: number;
  readonly names: readonly string[];
}

/** Each limit once, with the levels that have it. */
function listLimits(series: readonly MemorySeries[]): Limit[] {
  const limits = new Map<number, string[]>();
  for (const { limitBytes, level } of series) {
    if (limitBytes === undefined) continue;
    limits.set(limitBytes, [...(limits.get(limitBytes) ?? []), level ?? 'cgroup']);
  }
  return [...limits].map(([bytes, names]) => ({ bytes, names: [...new Set(names)] }));
}

function renderLimit({ bytes, names }: Limit, { y }: Scales): Html {
  const at = y(bytes);
  const { left, right, width } = FRAME;
  return html`<path class="limit" d="M${left},${at} H${width - right}" /><text
      class="limit-text"
      x="${left + 6}"
      y="${at - 4}"
      >limit of the ${names.join(' and the ')}</text
    ><text class="tick" x="${left - 6}" y="${at + 4}" text-anchor="end">${formatBytes(bytes)}</text>`;
}

function renderSeries({ used, peaks }: MemorySeries, index: number, scales: Scales): Html {
  const { x, y } = scales;
  const readings = used.map(({ at, bytes }) => ({ at, value: bytes }));
  return html`<g class="series-${index}"
    >${renderLine(readings, scales)}${used.map(
      ({ at, bytes }) =>
        html`<circle cx="${x(at)}" cy="${y(bytes)}" r="3.5"
          ><title>${formatBytes(bytes)} in use</title></circle
        >`,
    )}${peaks.map(({ at, bytes }) => {
      const [px, py] = [x(at), y(bytes)];
      return html`<path class="peak" d="M${px - 5},${py + 5} L${px},${py - 3} L${px + 5},${py + 5} Z"
        ><title>${formatBytes(bytes)} at most until then</title></path
      >`;
    })}</g
  >`;
}

function renderEnd(endedAt: number, { x }: Scales): Html {
  const { width, height, top, bottom } = FRAME;
  const at = x(endedAt);
  const anchor = at > width / 2 ? 'end' : 'start';
  return html`<path class="end" d="M${at},${top - 4} V${height - bottom}" /><text
      class="end-text"
      x="${at + (anchor === 'end' ? -6 : 6)}"
      y="${top + 4}"
      text-anchor="${anchor}"
      >the victim ends</text
    >`;
}

/** `the container: 3 readings, at most 128.0 MiB`. */
function nameOf({ level, used, peaks, path }: MemorySeries): Html {
  const most = largest([...used, ...peaks].map(({ bytes }) => bytes));
  const name = level === undefined ? path : `the ${level}`;
  return html`${name}: in use (${used.length} readings) and highest so far (${peaks.length}), at most
  ${formatBytes(most)}`;
}

function describe(series: readonly MemorySeries[], endedAt: number | undefined): string {
  const names = series.map(({ level, path }) => level ?? path).join(' and ');
  return `Memory of the ${names} over time${endedAt === undefined ? '' : ', and the end of the victim'}`;
}
