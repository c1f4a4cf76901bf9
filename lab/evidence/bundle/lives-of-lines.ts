import { createClock, inYear, MOST_SHIFT_MS, QUARTER_MS, type FileClock, type Zone } from './clock.ts';
import { localOf, type CollectedFile, type Kept } from './collect.ts';
import { momentOf } from './containers.ts';

/** The API cuts times to seconds, and an end is noticed after the kill. */
const EARLY_MS = 2_000;
const LATE_MS = 2_000;
/** A kill is noticed as an end within this time. */
const NOTICED_MS = 12_000;

/** A zone in which a line is within the life of its container, and how long before its end. */
interface Fitting extends Zone {
  readonly beforeEndMs: number;
}

/**
 * The clock of a kernel log by containers that it names: an id is given once, so that a kill is within the life of its container.
 * Zones are whole quarters of an hour: where one of them fits, it is the one. Where several fit, and none of them is near the
 * end, the kill was between the first and the last of them, and was not the end.
 */
export function byLives(file: CollectedFile, lives: ReadonlyMap<string, number>): FileClock | undefined {
  const fitting = file.kept.flatMap((one) => {
    const zones = zonesWithin(one, lives);
    return zones === undefined ? [] : [zones];
  });
  const [first, ...others] = fitting;
  if (first === undefined) return undefined;
  const common = first.filter((zone) => others.every((zones) => zones.some((other) => isSame(zone, other))));
  const [zone, ...more] = common;
  if (zone === undefined) return undefined;
  if (more.length === 0) return createClock('containers', [{ ...zone, line: 1 }], new Map());
  if (common.some(({ beforeEndMs }) => beforeEndMs <= NOTICED_MS)) return undefined;
  return {
    how: 'containers',
    zones: [],
    date: (one) => {
      const local = localOf(one.entry);
      if (local === undefined) return { at: undefined, cutMs: 0 };
      const times = common.map(({ shiftMs, year }) => inYear(local, year + one.turns) + shiftMs);
      return { at: undefined, cutMs: 0, between: { from: Math.min(...times), to: Math.max(...times) } };
    },
  };
}

function isSame(one: Zone, other: Zone): boolean {
  return one.shiftMs === other.shiftMs && one.year === other.year;
}

function zonesWithin(one: Kept, lives: ReadonlyMap<string, number>): Fitting[] | undefined {
  const moment = one.entry.kind === 'kernel' ? momentOf(one) : undefined;
  const local = moment && localOf(one.entry);
  const started = moment && lives.get(`${moment.id} started`);
  const ended = moment && lives.get(`${moment.id} ended`);
  if (local === undefined || started === undefined || ended === undefined) return undefined;
  const latest = new Date(ended).getUTCFullYear();
  const years = local.hasYear ? [new Date(local.ms).getUTCFullYear()] : [latest - 1, latest, latest + 1];
  const zones: Fitting[] = [];
  for (const year of years)
    for (let shiftMs = -MOST_SHIFT_MS; shiftMs <= MOST_SHIFT_MS; shiftMs += QUARTER_MS) {
      const at = inYear(local, year) + shiftMs;
      if (at < started - EARLY_MS || at > ended + LATE_MS) continue;
      zones.push({
        line: one.entry.line,
        shiftMs,
        year: year - (local.hasYear ? 0 : one.turns),
        beforeEndMs: ended - at,
      });
    }
  return zones;
}
