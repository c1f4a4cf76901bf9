import { largest, smallest } from '../../model/text/extremes.ts';
import type { ClockOfSource } from '../../model/evidence/source.ts';
import type { LocalTime } from '../formats/entry.ts';
import type { Anchor, Kept } from './collected.ts';
import { localOf, wallOfEntry } from './notes.ts';

/** When an entry was written, as far as anything tells. */
export interface DatedLine {
  /** Milliseconds since the epoch. */
  readonly at: number | undefined;
  /** How much later it may have been. */
  readonly cutMs: number;
  /** The times between which it was, where nothing tells more. */
  readonly between?: { readonly from: number; readonly to: number } | undefined;
}

/** The clock of one file. */
export interface FileClock {
  readonly how: ClockOfSource;
  readonly date: (one: Kept) => DatedLine;
  /** Zone and year of its local times, from each line on; none when they are not known. */
  readonly zones: readonly Zone[];
}

/** What makes a local time one of the world: from a line on. */
export interface Zone {
  readonly line: number;
  /** Milliseconds that are added to local time: negative east of Greenwich. */
  readonly shiftMs: number;
  /** The year of lines of no turn. */
  readonly year: number;
}

/** What time since boot is on the wall clock, as nearly as is known. */
interface BootTime {
  readonly wallMs: number;
  readonly cutMs: number;
  /** How much earlier it may have been; with it, an entry has no time but one between two. */
  readonly earlierMs?: number | undefined;
}

/** Zones are whole quarters of an hour. */
export const QUARTER_MS = 900_000;
/** No zone is further from UTC. */
export const MOST_SHIFT_MS = 14 * 3_600_000;
/** A log is written so much later than the time in its message, at most, to be taken for the same moment. */
const LATE_MS = 60_000;
/** Zones of a file change twice a year. When they change more often, two clocks disagree. */
const MOST_CHANGES = 3;
const UNKNOWN: DatedLine = { at: undefined, cutMs: 0 };

/** The year and shift by which a local time is that of a wall clock; undefined when no zone does that. */
export function findZone(local: LocalTime, wallMs: number, turns: number, line: number): Zone | undefined {
  const wallYear = new Date(wallMs).getUTCFullYear();
  const years = local.hasYear
    ? [new Date(local.ms).getUTCFullYear()]
    : [wallYear - 1, wallYear, wallYear + 1];
  for (const year of years) {
    const apartMs = wallMs - inYear(local, year);
    const shiftMs = Math.round(apartMs / QUARTER_MS) * QUARTER_MS;
    if (Math.abs(shiftMs) <= MOST_SHIFT_MS && Math.abs(apartMs - shiftMs) <= LATE_MS)
      return { line, shiftMs, year: year - (local.hasYear ? 0 : turns) };
  }
  return undefined;
}

/** A local time in a year, as if its zone were UTC. */
export function inYear(local: LocalTime, year: number): number {
  if (local.hasYear) return local.ms;
  const at = new Date(local.ms);
  at.setUTCFullYear(year);
  return at.getTime();
}

/** The zones that the anchors of a file tell; none when they contradict each other. */
export function zonesOf(anchors: readonly Anchor[]): readonly Zone[] {
  const zones: Zone[] = [];
  for (const { local, wallMs, turns, line } of anchors) {
    const zone = local && findZone(local, wallMs, turns, line);
    const before = zones.at(-1);
    if (zone !== undefined && (before?.shiftMs !== zone.shiftMs || before.year !== zone.year))
      zones.push(zone);
  }
  return zones.length > MOST_CHANGES ? [] : zones;
}

/**
 * The wall clock at boot by moments of both clocks. A clock that is cut to seconds tells a second for each moment; all of them
 * together tell less than that. A log may be late, and is never early.
 */
function bootTimeOf(
  moments: readonly { readonly wallMs: number; readonly bootMicros: number; readonly cutMs: number }[],
): BootTime | undefined {
  if (moments.length === 0) return undefined;
  const starts = moments.map(({ wallMs, bootMicros }) => wallMs - bootMicros / 1000);
  const cutMs = smallest(moments.map((moment) => moment.cutMs));
  const least = smallest(starts);
  if (cutMs === 0) return { wallMs: least, cutMs: 0 };
  const wallMs = largest(starts.filter((start) => start < least + cutMs));
  return { wallMs, cutMs: least + cutMs - wallMs };
}

/** The wall clock at boot, from a moment of the boot's own clock on: there are several where it was set while it ran. */
export interface BootStep extends BootTime {
  readonly fromMicros: number;
}

/** A wall clock that is set by more than this is another one from then on; less is a late line. */
const STEP_MS = 2_000;

/**
 * The steps of the wall clock in one boot. There is one, unless it was set meanwhile, as in a machine that slept or was restored:
 * each step begins with the first moment that tells of it.
 */
export function bootStepsOf(
  moments: readonly { readonly wallMs: number; readonly bootMicros: number; readonly cutMs: number }[],
): readonly BootStep[] {
  const sorted = moments.toSorted((a, b) => a.bootMicros - b.bootMicros);
  const groups: (typeof sorted)[] = [];
  for (const moment of sorted) {
    const start = (one: typeof moment): number => one.wallMs - one.bootMicros / 1000;
    const group = groups.at(-1);
    const [first] = group ?? [];
    if (
      group !== undefined &&
      first !== undefined &&
      Math.abs(start(moment) - start(first)) <= STEP_MS + first.cutMs
    )
      group.push(moment);
    else groups.push([moment]);
  }
  return groups.flatMap((group): BootStep[] => {
    const found = bootTimeOf(group);
    return found === undefined ? [] : [{ ...found, fromMicros: group[0]?.bootMicros ?? 0 }];
  });
}

/** Builds the clock of a file. */
export function createClock(
  how: ClockOfSource,
  zones: readonly Zone[],
  boots: ReadonlyMap<number, readonly BootStep[]>,
): FileClock {
  return {
    how,
    zones,
    date: (one) => dateByWall(one) ?? dateByZone(one, zones) ?? dateByBoot(one, boots) ?? UNKNOWN,
  };
}

function dateByWall({ entry }: Kept): DatedLine | undefined {
  if (entry.kind !== 'kernel' && entry.kind !== 'program') return undefined;
  const found = wallOfEntry(entry);
  if (found === undefined || entry.kind === 'kernel') return found;
  return refine(found.at, found.cutMs, entry.own?.local);
}

function dateByZone({ entry, turns }: Kept, zones: readonly Zone[]): DatedLine | undefined {
  const local = localOf(entry);
  const zone = zones.filter(({ line }) => line <= entry.line).at(-1) ?? zones[0];
  if (local === undefined || zone === undefined || (entry.kind !== 'kernel' && entry.kind !== 'program'))
    return undefined;
  const at = inYear(local, zone.year + turns) + zone.shiftMs;
  const { stamp } = entry;
  if (entry.kind === 'kernel') return { at, cutMs: stamp.cutMs };
  return refine(at, stamp.local === undefined ? 0 : stamp.cutMs, entry.own?.local);
}

/**
 * A log that is cut to seconds, and a program that has its own parts of a second, in whatever zone: of all moments that the program
 * may mean, the nearest is the one.
 */
function refine(at: number, cutMs: number, own: LocalTime | undefined): DatedLine {
  if (cutMs === 0 || own === undefined) return { at, cutMs };
  const apartMs = at - own.ms;
  const nearest = own.ms + Math.round(apartMs / QUARTER_MS) * QUARTER_MS;
  return Math.abs(nearest - at) <= LATE_MS ? { at: nearest, cutMs: 0 } : { at, cutMs };
}

function dateByBoot(
  { entry, boot }: Kept,
  boots: ReadonlyMap<number, readonly BootStep[]>,
): DatedLine | undefined {
  if (entry.kind !== 'kernel' || entry.stamp.bootMicros === undefined) return undefined;
  const { bootMicros } = entry.stamp;
  const start = stepAt(boots.get(boot) ?? [], bootMicros);
  if (start === undefined) return dateBefore(boot, boots);
  const at = start.wallMs + bootMicros / 1000;
  const { earlierMs, cutMs } = start;
  if (earlierMs === undefined) return { at, cutMs };
  return { at: undefined, cutMs: 0, between: { from: at - earlierMs, to: at + cutMs } };
}

/** A line of a boot that nothing dates was written before a later boot began. */
function dateBefore(boot: number, boots: ReadonlyMap<number, readonly BootStep[]>): DatedLine | undefined {
  const starts = [...boots].flatMap(([later, [start]]) =>
    later > boot && start !== undefined ? start.wallMs + start.cutMs : [],
  );
  if (starts.length === 0) return undefined;
  return { at: undefined, cutMs: 0, between: { from: Number.NEGATIVE_INFINITY, to: smallest(starts) } };
}

function stepAt(steps: readonly BootStep[], bootMicros: number): BootStep | undefined {
  return steps.findLast(({ fromMicros }) => fromMicros <= bootMicros) ?? steps[0];
}
