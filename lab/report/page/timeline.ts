import { scaleSymlog } from 'd3-scale';
import { NODE_CLOCK } from '../../model/evidence/source-clocks.ts';
import { formatSpan } from '../../model/text/format-duration.ts';
import { html, type Html } from '../text/html.ts';
import { LANES, LANE_NAMES, type Lane } from './layers.ts';
import type { Moment, Spot, Timeline } from './plan-timeline.ts';

const LEFT = 74;
const LANE_HEIGHT = 30;
const TOP = 12;
/** Least width of the picture. */
const WIDTH = 320;
/** Room between two marks of one lane. */
const APART = 19;
/** Room behind the last mark. */
const BEHIND = 32;
/** Room for a label of the axis. */
const LABEL = 56;
/** Linear below 5 ms, and as the logarithm above. */
const GAPS = scaleSymlog([0, 86_400_000], [10, 170]).constant(5);

/** Draws the axis: a lane for each layer, a numbered mark for each proof; and says how to read it. */
export function renderTimeline(timeline: Timeline): Html {
  const { marks, endedAt } = timeline;
  if (marks.length === 0) return html``;
  const end = endedAt === undefined ? undefined : { at: endedAt };
  const zero = endedAt ?? marks[0]?.at ?? 0;
  const moments: Moment[] = [...marks, ...(end === undefined ? [] : [end])];
  const { xs, width } = placeMoments(moments, (moment) => (moment as Partial<Spot>).lane);
  const label = `${describeAxis(marks, endedAt)}; the list below has them in words`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Time axis">
      ${drawAxis({ marks, end, zero, lanes: lanesOf(marks), xs, width }, label)}
    </div>
    ${renderKey(timeline)}`;
}

/** What 0, bars and tails mean, where there are any. */
function renderKey({ marks, skews, endedAt }: Timeline): Html {
  const zero = endedAt === undefined ? 'the first record' : 'the end of the victim, the red line';
  const texts = [
    marks.some(({ cutMs }) => cutMs > 0) ? 'A bar is a second of the API, which writes no parts of it.' : '',
    marks.some(({ isLate, lateMs }) => isLate || lateMs > 0)
      ? 'A dashed tail: it was before somebody saw, read or logged it.'
      : '',
    ...[...skews].map(
      ([clock, ms]) =>
        `${clock.charAt(0).toUpperCase()}${clock.slice(1)} is at least ${formatSpan(ms)} ahead of ${NODE_CLOCK}: its records are drawn so much earlier, and a dashed line leads to the time that they have.`,
    ),
  ].filter((text) => text !== '');
  return html`<p class="hint">0 is ${zero}. Time between marks is not to scale.</p>
    ${texts.length === 0 ? '' : html`<p class="hint">${texts.join(' ')}</p>`}`;
}

/** The lanes that are drawn: that of systemd only when it said something. */
export function lanesOf(marks: readonly Spot[]): Lane[] {
  return LANE_NAMES.filter((lane) => lane !== 'system' || marks.some((mark) => mark.lane === lane));
}

/** One axis with all that is on it. */
export interface DrawnAxis {
  readonly marks: readonly Spot[];
  /** The end of the victim; undefined while it lives. */
  readonly end: Moment | undefined;
  /** The time that is called 0. */
  readonly zero: number;
  readonly lanes: readonly Lane[];
  /** Where each mark is, and the end. */
  readonly xs: ReadonlyMap<Moment, number>;
  readonly width: number;
  /** Address of the cell whose records these are, when it is not that of the page. */
  readonly of?: string;
}

/** Draws one axis; `label` says in words what it shows. */
export function drawAxis({ marks, end, zero, lanes, xs, width, of }: DrawnAxis, label: string): Html {
  const height = TOP + lanes.length * LANE_HEIGHT + 22;
  const y = (lane: Lane): number => TOP + (lanes.indexOf(lane) + 0.5) * LANE_HEIGHT;
  const x = (moment: Moment): number => xs.get(moment) ?? 0;
  return html`<svg
    class="timeline"
    width="${width}"
    height="${height}"
    viewBox="0 0 ${width} ${height}"
    role="img"
    aria-label="${label}"
    ${of === undefined ? '' : html`data-of="${of}"`}
  >
    ${lanes.map((lane) => html`<text class="lane ${lane}" x="4" y="${y(lane) + 4}">${LANES[lane]}</text><path class="axis" d="M${LEFT},${y(lane)} H${width - 8}" />`)}
    ${end === undefined ? '' : html`<path class="end" d="M${x(end)},4 V${height - 20}" />`}
    ${marks.map((mark) => renderReach(mark, x(mark), y(mark.lane), (at) => placeTime(xs, at)))}
    ${marks.map((mark) => renderMark(mark, x(mark), y(mark.lane)))} ${renderLabels(marks, x, zero, height)}
  </svg>`;
}

/** Least length of a tail: how long before it was seen the act was, nobody knows. */
const TAIL = 20;

/**
 * Draws when the act may have happened: a bar to the end of its second, a tail back from when it was seen, or a tail ahead
 * to the time of another clock.
 */
function renderReach(
  { at, cutMs, isLate, lateMs, aheadMs, lane }: Spot,
  x: number,
  y: number,
  placeOfTime: (at: number) => number,
): Html {
  if (cutMs > 0) return html`<path class="reach ${lane}" d="M${x},${y} H${placeOfTime(at + cutMs)}" />`;
  const from = isLate || lateMs > 0 ? Math.min(x - TAIL, lateMs > 0 ? placeOfTime(at - lateMs) : x) : x;
  const to = aheadMs > 0 ? Math.max(x + TAIL, placeOfTime(at + aheadMs)) : x;
  return from === to ? html`` : html`<path class="reach tail ${lane}" d="M${from},${y} H${to}" />`;
}

/** The place of a time between two moments, or behind the last one. */
function placeTime(xs: ReadonlyMap<Moment, number>, at: number): number {
  const places = [...xs].toSorted(([a], [b]) => a.at - b.at);
  const index = places.findLastIndex(([moment]) => moment.at <= at);
  const [[moment, x], behind] = [places[index] ?? [{ at }, LEFT], places[index + 1]];
  if (behind === undefined) return Math.round(x + Math.min(stepFor(at - moment.at), BEHIND));
  return Math.round(x + ((at - moment.at) / (behind[0].at - moment.at)) * (behind[1] - x));
}

/** What an axis shows, in words. */
export function describeAxis(marks: readonly Spot[], endedAt: number | undefined): string {
  const lanes = LANE_NAMES.filter((lane) => marks.some((mark) => mark.lane === lane));
  const end = endedAt === undefined ? '' : ', and the end of the victim';
  return `${marks.length} records of ${lanes.map((lane) => LANES[lane]).join(', ')}${end}`;
}

/** The script says the whole record: it finds it in the lists by its number. */
function renderMark({ number, other, lane, title }: Spot, x: number, y: number): Html {
  if (number !== undefined)
    return html`<g class="mark proof ${lane}" data-proof="${number}"
      ><title>${title}</title><circle cx="${x}" cy="${y}" r="9" /><text x="${x}" y="${y + 4}"
        >${number}</text
      ></g
    >`;
  return html`<circle class="mark other ${lane}" data-other="${other ?? ''}" cx="${x}" cy="${y}" r="4"
    ><title>${title}</title></circle
  >`;
}

/** How much of the room between moments is kept, the most first: a picture has to fit on the screen. */
const ROOM = [1, 0.8, 0.6, 0.45, 0.3, 0.2, 0.1, 0];
/** Widest picture that fits beside nothing else. */
const MAX_WIDTH = 1150;

/**
 * Gives each moment its place. Distances grow with the logarithm of the time, and no two marks of a row touch. Equal times
 * have equal places in all rows, unless a row is too full. Many moments are drawn closer together.
 *
 * @param rowOf returns the row of a mark; undefined for a mark that may be anywhere.
 */
export function placeMoments(
  moments: readonly Moment[],
  rowOf: (moment: Moment) => string | undefined,
): { xs: Map<Moment, number>; width: number } {
  const sorted = moments.toSorted((a, b) => a.at - b.at);
  let placed = placeSorted(sorted, rowOf, 1);
  for (const room of ROOM) {
    placed = placeSorted(sorted, rowOf, room);
    if (placed.width <= MAX_WIDTH) break;
  }
  return placed;
}

function placeSorted(
  sorted: readonly Moment[],
  rowOf: (moment: Moment) => string | undefined,
  room: number,
): { xs: Map<Moment, number>; width: number } {
  const last = new Map<string, number>();
  const xs = new Map<Moment, number>();
  let [x, before] = [LEFT + 14, sorted[0]?.at ?? 0];
  for (const moment of sorted) {
    const row = rowOf(moment);
    x += stepFor(moment.at - before) * room;
    before = moment.at;
    if (row !== undefined) {
      x = Math.max(x, (last.get(row) ?? 0) + APART);
      last.set(row, x);
    }
    xs.set(moment, Math.round(x));
  }
  return { xs, width: Math.max(WIDTH, Math.round(x) + 40) };
}

/** Room for a time between two moments: nothing for none, 10 pixels for the least, 170 for a day. */
function stepFor(ms: number): number {
  return ms <= 0 ? 0 : GAPS(ms);
}

function renderLabels(
  marks: readonly Spot[],
  x: (mark: Spot) => number,
  zero: number,
  height: number,
): Html[] {
  let [free, before] = [-Infinity, ''];
  return marks.flatMap((mark) => {
    const text = spellOffset(mark.at - zero);
    if (x(mark) < free || text === before) return [];
    [free, before] = [x(mark) + LABEL, text];
    return [html`<text class="tick" x="${x(mark)}" y="${height - 5}">${text}</text>`];
  });
}

/** `-92 ms`, `+2.7 s`, `0`. */
export function spellOffset(ms: number): string {
  const size = Math.abs(ms);
  const text = size < 1 ? '' : formatSpan(size);
  return text === '' ? '0' : `${ms < 0 ? '\u2212' : '+'}${text}`;
}
