import { scaleSymlog } from 'd3-scale';
import { clockOf, cutOf, timeOfDay } from '../../model/evidence/source-clocks.ts';
import { formatSpan } from '../../model/text/format-duration.ts';
import type { EvidenceRef } from '../../model/saved/formats.ts';
import type { Story } from '../../model/evidence/story.ts';
import { html, type Html } from '../text/html.ts';
import { placeOf } from '../../model/saved/place-of.ts';
import type { ProofRef } from '../words/order-of-time.ts';
import { laneOf, LANES, LANE_NAMES, type Lane } from './layers.ts';

/** A time that has a place on the axis. */
export interface Moment {
  /** In milliseconds. */
  readonly at: number;
}

/** What is drawn of a record on the time axis. */
export interface Spot extends Moment {
  /** Its number in the proof; undefined for what only happened at that time. */
  readonly number: number | undefined;
  /** Its place in the list of the other records, counted from 0; undefined for a proof. */
  readonly other: number | undefined;
  readonly lane: Lane;
  /** How long after its time the act may have been, in milliseconds; a bar. */
  readonly cutMs: number;
  /** Whether it is dated when somebody saw it, later than the act; a tail. */
  readonly isLate: boolean;
  /** When it was, and where it is recorded. */
  readonly title: string;
}

/** A record on the time axis. */
export interface Mark extends Spot {
  readonly ref: EvidenceRef;
}

/** All that is drawn. */
export interface Timeline {
  /** Oldest first. */
  readonly marks: readonly Mark[];
  /** How many records are left out. */
  readonly left: number;
  /** When the victim started, and when it ended; undefined when nobody recorded it, and while it lives. */
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
}

/** Most records in addition to the proof. */
const MAX_MARKS = 16;
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

/** Puts the proof and what else was recorded on one time axis: of the others those nearest to the end. */
export function planTimeline(proof: readonly ProofRef[], story: Story | undefined): Timeline {
  const toMark = (ref: EvidenceRef, number?: number): Mark[] => {
    const at = Date.parse(ref.at);
    if (!Number.isFinite(at)) return [];
    const { after } = clockOf(ref.source);
    return [
      {
        ref,
        number,
        other: undefined,
        at,
        lane: laneOf(ref.source),
        cutMs: cutOf(ref),
        isLate: after === 'seen' || after === 'read',
        title: `${timeOfDay(ref)} ${placeOf(ref)}`,
      },
    ];
  };
  const proven = proof.flatMap((ref, index) => toMark(ref, index + 1));
  const shown = new Set(proof.map(placeOf));
  const others = (story?.events ?? [])
    .filter((ref) => !shown.has(placeOf(ref)))
    .flatMap((ref) => toMark(ref));
  const middle = story?.endedAt ?? proven.at(-1)?.at ?? others.at(-1)?.at ?? 0;
  const near = others
    .toSorted((a, b) => Math.abs(a.at - middle) - Math.abs(b.at - middle))
    .slice(0, MAX_MARKS);
  const shownOthers = near.toSorted((a, b) => a.at - b.at).map((mark, other) => ({ ...mark, other }));
  return {
    marks: [...proven, ...shownOthers].toSorted((a, b) => a.at - b.at),
    left: others.length - near.length,
    startedAt: story?.startedAt,
    endedAt: story?.endedAt,
  };
}

/** Draws the axis: a lane for each layer, a numbered mark for each proof. Time between two marks is not to scale. */
export function renderTimeline({ marks, endedAt }: Timeline): Html {
  if (marks.length === 0) return html``;
  const end = endedAt === undefined ? undefined : { at: endedAt };
  const zero = endedAt ?? marks[0]?.at ?? 0;
  const moments: Moment[] = [...marks, ...(end === undefined ? [] : [end])];
  const { xs, width } = placeMoments(moments, (moment) => (moment as Partial<Spot>).lane);
  const label = `${describeAxis(marks, endedAt)}; the list below has them in words`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Time axis">
    ${drawAxis({ marks, end, zero, lanes: lanesOf(marks), xs, width }, label)}
  </div>`;
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

/** Length of a tail: how long before it was seen the act was, nobody knows. */
const TAIL = 20;

/** When the act may have been: a bar to the end of its second, or a tail from before it was seen. */
function renderReach(
  { at, cutMs, isLate, lane }: Spot,
  x: number,
  y: number,
  placeOfTime: (at: number) => number,
): Html {
  if (cutMs > 0) return html`<path class="reach ${lane}" d="M${x},${y} H${placeOfTime(at + cutMs)}" />`;
  return isLate ? html`<path class="reach tail ${lane}" d="M${x - TAIL},${y} H${x}" />` : html``;
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
 * Gives each moment its place: distances grow with the logarithm of the time, and no two marks of a row touch. The same
 * time has the same place in all rows, unless a row is too full. Many moments are drawn closer together.
 *
 * @param rowOf the row of a mark; undefined for what may be anywhere.
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
  let free = -Infinity;
  return marks.flatMap((mark) => {
    if (x(mark) < free) return [];
    free = x(mark) + LABEL;
    return [html`<text class="tick" x="${x(mark)}" y="${height - 5}">${spellOffset(mark.at - zero)}</text>`];
  });
}

/** `-92 ms`, `+2.7 s`, `0`. */
export function spellOffset(ms: number): string {
  const size = Math.abs(ms);
  const text = size < 1 ? '' : formatSpan(size);
  return text === '' ? '0' : `${ms < 0 ? '\u2212' : '+'}${text}`;
}
