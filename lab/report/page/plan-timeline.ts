import { clockOf, cutOf, NODE_CLOCK, timeOfDay } from '../../model/evidence/source-clocks.ts';
import type { EvidenceRef } from '../../model/saved/formats.ts';
import type { Story } from '../../model/evidence/story.ts';
import { placeOf } from '../../model/saved/place-of.ts';
import { stepRank, type ProofRef } from '../words/order-of-time.ts';
import { laneOf, type Lane } from './layers.ts';

/** A time that has a place on the axis. */
export interface Moment {
  /** In milliseconds, by the clock of the node as far as that is known. */
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
  /** How much later than the act at least, in milliseconds; 0 where nothing says it. */
  readonly lateMs: number;
  /** How much later the time is that its own clock says, in milliseconds; a tail ahead. */
  readonly aheadMs: number;
  /** When it was, and where it is recorded. */
  readonly title: string;
}

/** A record on the time axis. */
export interface Mark extends Spot {
  readonly ref: ProofRef;
}

/** All that is drawn. */
export interface Timeline {
  /** By how much clocks are ahead of that of the node, at least: their marks are drawn so much earlier. */
  readonly skews: ReadonlyMap<string, number>;
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

/** Puts the proof and what else was recorded on one time axis: of the others those nearest to the end. */
export function planTimeline(proof: readonly ProofRef[], story: Story | undefined): Timeline {
  const skews = findSkews(proof);
  const toMark = (ref: ProofRef, number?: number): Mark[] => {
    const at = Date.parse(ref.at);
    if (!Number.isFinite(at)) return [];
    const { after, clock } = clockOf(ref.source);
    const aheadMs = after === undefined ? (skews.get(clock) ?? 0) : 0;
    return [
      {
        ref,
        number,
        other: undefined,
        at: at - aheadMs,
        lane: laneOf(ref.source),
        cutMs: cutOf(ref),
        isLate: after === 'seen' || after === 'read',
        lateMs: ref.before === undefined || after === undefined ? 0 : at - ref.before.at,
        aheadMs,
        title: `${timeOfDay(ref)} ${placeOf(ref)}`,
      },
    ];
  };
  const proven = proof.flatMap((ref, index) => toMark(ref, index + 1));
  const shown = new Set(proof.map(placeOf));
  const others = (story?.events ?? [])
    .filter((ref) => !shown.has(placeOf(ref)))
    .flatMap((ref: EvidenceRef) => toMark(ref));
  const middle = story?.endedAt ?? proven.at(-1)?.at ?? others.at(-1)?.at ?? 0;
  const near = others
    .toSorted((a, b) => Math.abs(a.at - middle) - Math.abs(b.at - middle))
    .slice(0, MAX_MARKS);
  const shownOthers = near.toSorted((a, b) => a.at - b.at).map((mark, other) => ({ ...mark, other }));
  return {
    skews,
    marks: [...proven, ...shownOthers].toSorted((a, b) => a.at - b.at || stepRank(a.ref) - stepRank(b.ref)),
    left: others.length - near.length,
    startedAt: story?.startedAt,
    endedAt: story?.endedAt,
  };
}

/**
 * Returns for each clock the least time by which it is ahead of the node's clock: it stamped an act later than the node's
 * clock stamped what followed from that act.
 */
function findSkews(proof: readonly ProofRef[]): Map<string, number> {
  const skews = new Map<string, number>();
  for (const { source, at, before } of proof) {
    const { clock, after } = clockOf(source);
    if (before?.clock !== NODE_CLOCK || clock === NODE_CLOCK || after !== undefined) continue;
    skews.set(clock, Math.max(skews.get(clock) ?? 0, Date.parse(at) - before.at));
  }
  return skews;
}
