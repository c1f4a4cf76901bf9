import { clockOf, clocksApartMs, cutOf } from '../../model/evidence/source-clocks.ts';
import { CHAIN_STEP_MEANINGS } from '../../model/saved/chain-step.ts';
import type { EvidenceRef } from '../../model/saved/formats.ts';
import { namesOf } from '../../model/text/names-of.ts';
import { formatSpan } from '../../model/text/format-duration.ts';

/** A record of the proof, with its step in the chain of the end. */
export interface ProofRef extends EvidenceRef {
  readonly step?: string | undefined;
  /** Why its place among the records of other steps is not that of its step; undefined where it is. */
  readonly aside?: string | undefined;
  /** When its act was over at the latest, where that is before its own time: a later step followed from it. */
  readonly before?: Latest | undefined;
}

/** A time by which something was over, and by which clock. */
interface Latest {
  /** In milliseconds. */
  readonly at: number;
  readonly clock: string;
}

const STEPS: readonly string[] = namesOf(CHAIN_STEP_MEANINGS);

/** A record with a place in the order of time and in the order of the steps. */
interface Placed {
  readonly ref: ProofRef;
  /** In milliseconds; without a time that of the record before. */
  readonly at: number;
  /** Which step of an end it is, counted from 0; -1 for a record of no step. */
  readonly rank: number;
}

/**
 * Sorts records by time, and records of one time by step. A step follows from the one before, but the times need not show
 * it: a counter is read late, and clocks differ. If a record comes after one of a later step, one of the two says why,
 * and by how much.
 */
export function orderByTime(refs: readonly ProofRef[]): ProofRef[] {
  const placed = placeRefs(refs).toSorted((a, b) => a.at - b.at);
  const asides: Asides = new Map();
  const unexplained = explainLate(placed, asides);
  explainEarly(placed, unexplained, asides);
  return placed.map(({ ref }) => ({ ...ref, ...asides.get(ref) }));
}

/** The place of a step among the others, counted from 0; -1 for a record of no step. */
export function stepRank({ step }: Pick<ProofRef, 'step'>): number {
  return STEPS.indexOf(step ?? '');
}

/** What is said of a record whose time contradicts the order of the steps. */
type Asides = Map<ProofRef, Pick<ProofRef, 'aside' | 'before'>>;

function placeRefs(refs: readonly ProofRef[]): Placed[] {
  let last = -Infinity;
  return refs.map((ref) => {
    const time = Date.parse(ref.at);
    if (Number.isFinite(time)) last = time;
    return { ref, at: last, rank: stepRank(ref) };
  });
}

/**
 * Explains each record that comes after one of a later step.
 *
 * @returns the records that nothing known about their sources explains.
 */
function explainLate(placed: readonly Placed[], asides: Asides): ReadonlySet<Placed> {
  const unexplained = new Set<Placed>();
  // The first record of each step that was over for certain.
  const firsts = new Map<number, Placed>();
  for (const late of placed) {
    const before = [...firsts.values()].filter(({ rank }) => late.rank >= 0 && rank > late.rank);
    const early = before.toSorted((a, b) => endOf(a) - endOf(b))[0];
    if (early !== undefined && late.at > endOf(early)) {
      const aside = describeLate(late, early);
      if (aside === undefined) unexplained.add(late);
      else
        asides.set(late.ref, { aside, before: { at: endOf(early), clock: clockOf(early.ref.source).clock } });
    }
    const first = firsts.get(late.rank);
    if (first === undefined || endOf(late) < endOf(first)) firsts.set(late.rank, late);
  }
  return unexplained;
}

/** When the act of a record was over at the latest. */
function endOf({ at, ref }: Placed): number {
  return at + cutOf(ref);
}

function describeLate(late: Placed, early: Placed): string | undefined {
  const [own, other] = [clockOf(late.ref.source), clockOf(early.ref.source)];
  const ms = late.at - early.at;
  const span = `${formatSpan(ms)} after the ${early.ref.step ?? ''}`;
  if (own.after !== undefined) return `${own.after} ${span}`;
  // A record that was seen earlier cannot have happened later than that.
  return other.after !== 'seen' && ms <= clocksApartMs(own, other) ? `${span} by ${own.clock}` : undefined;
}

/** Says of each record that is before one of an earlier step how that can be, where the other one does not say it. */
function explainEarly(placed: readonly Placed[], unexplained: ReadonlySet<Placed>, asides: Asides): void {
  // The next record of each step, and the next one without an explanation.
  const nexts = new Map<number, Placed>();
  const silents = new Map<number, Placed>();
  for (const early of placed.toReversed()) {
    const behind = (of: ReadonlyMap<number, Placed>): Placed | undefined =>
      [...of.values()]
        .filter(({ rank, at }) => rank >= 0 && rank < early.rank && at > early.at)
        .toSorted((a, b) => a.at - b.at)[0];
    const [next, silent] = [behind(nexts), behind(silents)];
    if (silent !== undefined && silent.at > endOf(early)) {
      const word = clockOf(early.ref.source).after ?? 'recorded';
      asides.set(early.ref, {
        aside: `already ${word} ${formatSpan(silent.at - early.at)} before the ${silent.ref.step ?? ''}`,
      });
    } else if (next !== undefined && next.at <= endOf(early))
      asides.set(early.ref, { aside: 'cut to whole seconds' });
    nexts.set(early.rank, early);
    if (unexplained.has(early)) silents.set(early.rank, early);
  }
}
