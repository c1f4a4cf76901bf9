import { formatBytes } from '../../model/format-bytes.ts';
import type { MemoryPoint, MemorySeries, Story } from '../../model/story.ts';
import { html, type Html } from '../html.ts';
import { spellOffset } from './timeline.ts';

const WIDTH = 720;
const HEIGHT = 220;
/** Room for the text of both scales. */
const LEFT = 78;
const RIGHT = 12;
const TOP = 18;
const BOTTOM = 26;
/** Most lines in one picture. */
const MAX_SERIES = 3;

interface Scales {
  readonly x: (at: number) => number;
  readonly y: (bytes: number) => number;
}

/** Draws the memory of the victim and of its pod over time, their limits, and the end; nothing without a reading. */
export function renderMemory(story: Story | undefined): Html {
  const series = (story?.memory ?? []).slice(0, MAX_SERIES);
  const points = series.flatMap(({ used, peaks }) => [...used, ...peaks]);
  if (points.length === 0) return html``;
  const { endedAt } = story ?? {};
  const limits = listLimits(series);
  const times = [...points.map(({ at }) => at), ...(endedAt === undefined ? [] : [endedAt])];
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const most = Math.max(...points.map(({ bytes }) => bytes), ...limits.map(({ bytes }) => bytes)) || 1;
  const scales: Scales = {
    x: (at) => LEFT + ((at - from) / (to - from || 1)) * (WIDTH - LEFT - RIGHT),
    y: (bytes) => TOP + (1 - bytes / (most * 1.08)) * (HEIGHT - TOP - BOTTOM),
  };
  const zero = endedAt ?? from;
  return html`<figure class="memory">
    <div class="scroll" tabindex="0" role="region" aria-label="Memory over time">
      <svg
        class="memory-chart"
        viewBox="0 0 ${WIDTH} ${HEIGHT}"
        role="img"
        aria-label="${describe(series, endedAt)}"
      >
        <path class="axis" d="M${LEFT},${TOP} V${HEIGHT - BOTTOM} H${WIDTH - RIGHT}" />
        <text class="tick" x="${LEFT - 6}" y="${HEIGHT - BOTTOM + 4}" text-anchor="end">0</text>
        <text class="tick" x="${LEFT}" y="${HEIGHT - 8}">${spellOffset(from - zero)}</text>
        <text class="tick" x="${WIDTH - RIGHT}" y="${HEIGHT - 8}" text-anchor="end">
          ${spellOffset(to - zero)}
        </text>
        ${
          limits.length > 0
            ? limits.map((limit) => renderLimit(limit, scales))
            : html`<text class="tick" x="${LEFT - 6}" y="${round(scales.y(most)) + 4}" text-anchor="end">
                ${formatBytes(most)}
              </text>`
        }
        ${series.map((each, index) => renderSeries(each, index, scales))}
        ${endedAt === undefined ? '' : renderEnd(endedAt, scales)}
      </svg>
    </div>
    <figcaption>
      <ul class="legend">
        ${series.map((each, index) => html`<li class="series-${index}">${nameOf(each)}</li>`)}${limits.length === 0 ? html`<li>no limit was read</li>` : ''}
      </ul>
    </figcaption>
  </figure>`;
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
  const at = round(y(bytes));
  return html`<path class="limit" d="M${LEFT},${at} H${WIDTH - RIGHT}" /><text
      class="limit-text"
      x="${LEFT + 6}"
      y="${at - 4}"
      >limit of the ${names.join(' and the ')}</text
    ><text class="tick" x="${LEFT - 6}" y="${at + 4}" text-anchor="end">${formatBytes(bytes)}</text>`;
}

function renderSeries({ used, peaks }: MemorySeries, index: number, { x, y }: Scales): Html {
  const place = ({ at, bytes }: MemoryPoint): [number, number] => [round(x(at)), round(y(bytes))];
  const line = used.map((point) => place(point).join(',')).join(' ');
  return html`<g class="series-${index}"
    >${used.length < 2 ? '' : html`<polyline points="${line}" />`}${used.map((point) => {
      const [cx, cy] = place(point);
      return html`<circle cx="${cx}" cy="${cy}" r="3.5"
        ><title>${formatBytes(point.bytes)} in use</title></circle
      >`;
    })}${peaks.map((point) => {
      const [px, py] = place(point);
      return html`<path class="peak" d="M${px - 5},${py + 5} L${px},${py - 3} L${px + 5},${py + 5} Z"
        ><title>${formatBytes(point.bytes)} at most until then</title></path
      >`;
    })}</g
  >`;
}

function renderEnd(endedAt: number, { x }: Scales): Html {
  const at = round(x(endedAt));
  const anchor = at > WIDTH / 2 ? 'end' : 'start';
  return html`<path class="end" d="M${at},${TOP - 4} V${HEIGHT - BOTTOM}" /><text
      class="end-text"
      x="${at + (anchor === 'end' ? -6 : 6)}"
      y="${TOP + 4}"
      text-anchor="${anchor}"
      >the victim ends</text
    >`;
}

/** `the container: 3 readings, at most 128.0 MiB`. */
function nameOf({ level, used, peaks, path }: MemorySeries): Html {
  const most = Math.max(...[...used, ...peaks].map(({ bytes }) => bytes));
  const name = level === undefined ? path : `the ${level}`;
  return html`${name}: in use (${used.length} readings) and highest so far (${peaks.length}), at most
  ${formatBytes(most)}`;
}

function describe(series: readonly MemorySeries[], endedAt: number | undefined): string {
  const names = series.map(({ level, path }) => level ?? path).join(' and ');
  return `Memory of the ${names} over time${endedAt === undefined ? '' : ', and the end of the victim'}`;
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
