import { formatDuration } from '../../model/format-duration.ts';
import type { EvidenceRef } from '../../model/formats.ts';
import type { Story } from '../../model/story.ts';
import { html, type Html } from '../html.ts';
import { placeOf } from '../page-rows.ts';
import type { ProofRef } from '../proof-lines.ts';
import { laneOf, LANES, LANE_NAMES, type Lane } from './layers.ts';

/** A record on the time axis. */
export interface Mark {
  readonly ref: EvidenceRef;
  /** Its number in the proof; undefined for what only happened at that time. */
  readonly number: number | undefined;
  readonly at: number;
  readonly lane: Lane;
}

/** All that is drawn. */
export interface Timeline {
  /** Oldest first. */
  readonly marks: readonly Mark[];
  /** How many records are left out. */
  readonly left: number;
  /** When the victim ended; undefined while it lives. */
  readonly endedAt: number | undefined;
}

/** Most records beside the proof. */
const MAX_MARKS = 16;
const LEFT = 74;
const LANE_HEIGHT = 30;
const TOP = 12;
/** Room between two marks of one lane. */
const APART = 19;
/** Room for a label of the axis. */
const LABEL = 56;

/** Puts the proof and what else was recorded on one time axis: of the others those nearest to the end. */
export function planTimeline(proof: readonly ProofRef[], story: Story | undefined): Timeline {
  const toMark = (ref: EvidenceRef, number?: number): Mark[] => {
    const at = Date.parse(ref.at);
    return Number.isFinite(at) ? [{ ref, number, at, lane: laneOf(ref.source) }] : [];
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
  return {
    marks: [...proven, ...near].toSorted((a, b) => a.at - b.at),
    left: others.length - near.length,
    endedAt: story?.endedAt,
  };
}

/** Draws the axis: a lane for each layer, a numbered mark for each proof. Time between two marks is not to scale. */
export function renderTimeline({ marks, endedAt }: Timeline): Html {
  if (marks.length === 0) return html``;
  const lanes = LANE_NAMES.filter((lane) => lane !== 'system' || marks.some((mark) => mark.lane === lane));
  const zero = endedAt ?? marks[0]?.at ?? 0;
  const { xs, end, width } = placeMarks(marks, endedAt);
  const height = TOP + lanes.length * LANE_HEIGHT + 22;
  const y = (lane: Lane): number => TOP + (lanes.indexOf(lane) + 0.5) * LANE_HEIGHT;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Time axis">
    <svg
      class="timeline"
      width="${width}"
      height="${height}"
      viewBox="0 0 ${width} ${height}"
      role="img"
      aria-label="${describeAxis(marks, endedAt)}"
    >
      ${lanes.map((lane) => html`<text class="lane ${lane}" x="4" y="${y(lane) + 4}">${LANES[lane]}</text><path class="axis" d="M${LEFT},${y(lane)} H${width - 8}" />`)}
      ${end === undefined ? '' : html`<path class="end" d="M${end},4 V${height - 20}" />`}
      ${marks.map((mark, index) => renderMark(mark, xs[index] ?? 0, y(mark.lane)))}
      ${renderLabels(marks, xs, zero, height)}
    </svg>
  </div>`;
}

function describeAxis(marks: readonly Mark[], endedAt: number | undefined): string {
  const lanes = LANE_NAMES.filter((lane) => marks.some((mark) => mark.lane === lane));
  const end = endedAt === undefined ? '' : ', and the end of the victim';
  return `${marks.length} records of ${lanes.map((lane) => LANES[lane]).join(', ')}${end}; the list below has them in words`;
}

function renderMark({ ref, number, lane }: Mark, x: number, y: number): Html {
  if (number !== undefined)
    return html`<g class="proof ${lane}"
      ><circle cx="${x}" cy="${y}" r="9" /><text x="${x}" y="${y + 4}">${number}</text></g
    >`;
  return html`<circle class="other ${lane}" cx="${x}" cy="${y}" r="4"
    ><title>${ref.at.slice(11, 23)} ${placeOf(ref)}</title></circle
  >`;
}

/** Distances grow with the logarithm of the time, and no two marks of a lane touch. */
function placeMarks(
  marks: readonly Mark[],
  endedAt: number | undefined,
): { xs: number[]; end: number | undefined; width: number } {
  const last = new Map<Lane, number>();
  const step = (ms: number): number => (ms <= 0 ? 0 : 10 + 22 * Math.log10(1 + ms / 5));
  let [x, before] = [LEFT + 14, marks[0]?.at ?? 0];
  let end: number | undefined;
  const xs: number[] = [];
  for (const { at, lane } of marks) {
    if (end === undefined && endedAt !== undefined && endedAt < at) {
      end = x + step(endedAt - before);
      [x, before] = [end, endedAt];
    }
    x = Math.max(x + step(at - before), (last.get(lane) ?? 0) + APART);
    before = at;
    last.set(lane, x);
    xs.push(Math.round(x));
  }
  if (end === undefined && endedAt !== undefined) end = x + step(endedAt - before);
  const width = Math.round(Math.max(end ?? 0, x)) + 40;
  return { xs, end: end === undefined ? undefined : Math.round(end), width: Math.max(320, width) };
}

function renderLabels(marks: readonly Mark[], xs: readonly number[], zero: number, height: number): Html[] {
  let free = -Infinity;
  return marks.flatMap(({ at }, index) => {
    const x = xs[index] ?? 0;
    if (x < free) return [];
    free = x + LABEL;
    return [html`<text class="tick" x="${x}" y="${height - 5}">${spellOffset(at - zero)}</text>`];
  });
}

/** `-92 ms`, `+2.7 s`, `0`. */
export function spellOffset(ms: number): string {
  const size = Math.abs(ms);
  const text = size < 1 ? '' : size < 1000 ? `${Math.round(size)} ms` : formatDuration(size);
  return text === '' ? '0' : `${ms < 0 ? '\u2212' : '+'}${text}`;
}
