import { inYear, type Zone } from './clock.ts';
import type { CollectedFile } from './collected.ts';
import { localOf } from './notes.ts';

/** What a person said about local times. */
export interface ClockOptions {
  /** `Europe/Berlin`, `UTC`, `+02:00`: the zone of times that have none. */
  readonly timezone?: string | undefined;
  /** The year of the last line of a file whose times have none. */
  readonly year?: number | undefined;
}

/** How far zones are ahead of UTC beside whole hours, in minutes: those of the tz database since 1990. */
const ODD_OFFSETS = [-570, -210, -150, 210, 270, 330, 345, 390, 525, 570, 630, 690, 765, 825];
const HOURS = Array.from({ length: 27 }, (_, index) => index - 12);
/** How far zones that are in use are ahead of UTC, in milliseconds. */
export const OFFSETS_MS: readonly number[] = [...HOURS.map((hours) => hours * 60), ...ODD_OFFSETS].map(
  (minutes) => minutes * 60_000,
);

const DAY_MS = 86_400_000;
/** The logs of a bundle end when it was collected; its objects may be some weeks older. */
const BEFORE_MS = 30 * DAY_MS;

/** The zones of a file by a zone with a name, which changes in spring and autumn; none without its year. */
export function zonesByName(
  file: CollectedFile,
  timezone: string,
  year: number | undefined,
): readonly Zone[] {
  const zones: Zone[] = [];
  for (const one of [file.first, ...file.kept, file.last]) {
    const local = one && localOf(one.entry);
    if (one === undefined || local === undefined || (year === undefined && !local.hasYear)) continue;
    const first = (year ?? 0) - (file.last?.turns ?? 0);
    const shiftMs = -offsetOf(timezone, inYear(local, first + one.turns));
    if (zones.at(-1)?.shiftMs !== shiftMs) zones.push({ line: one.entry.line, shiftMs, year: first });
  }
  return zones.sort((a, b) => a.line - b.line);
}

/** Milliseconds by which a zone is ahead of UTC, at a local time. */
export function offsetOf(timezone: string, localMs: number): number {
  const [, sign, hours, minutes] = /^(?:UTC|GMT)?([+-])(\d\d):?(\d\d)$/.exec(timezone) ?? [];
  if (sign !== undefined) return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const parts = Object.fromEntries(
    format.formatToParts(localMs).map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(localMs / 1000) * 1000;
}

/**
 * The year of the last line of a file, by times that are known: those of logs end where the bundle was collected.
 *
 * @returns undefined when no year fits, or two do.
 */
export function yearOf(
  file: CollectedFile,
  shiftMs: number,
  known: readonly [from: number, to: number] | undefined,
): number | undefined {
  const local = file.last && localOf(file.last.entry);
  if (local === undefined || known === undefined) return undefined;
  const latest = new Date(known[1]).getUTCFullYear();
  const years = local.hasYear ? [new Date(local.ms).getUTCFullYear()] : [latest - 1, latest, latest + 1];
  const fitting = years.filter((year) => {
    const at = inYear(local, year) + shiftMs;
    return at >= known[0] - BEFORE_MS && at <= known[1] + DAY_MS;
  });
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** No zone is further from UTC than that of Kiritimati. */
const MOST_SHIFT_MS = 14 * 60 * 60_000;

/** Whether a zone is one: the names of IANA, or hours and minutes. */
export function isTimezone(timezone: string): boolean {
  try {
    return Math.abs(offsetOf(timezone, 0)) <= MOST_SHIFT_MS;
  } catch {
    return false;
  }
}
