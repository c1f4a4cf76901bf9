import type { LocalTime, Stamp } from './entry.ts';
import { MONTH, monthOf } from './months.ts';

/** Times as tools write them. Each reader gives undefined for a text that is not such a time. */

/** A leap year, so that 29 February is a day of it. */
const NO_YEAR = 2000;
const SECOND_MS = 1000;

const SYSLOG_TIME = new RegExp(String.raw`^(${MONTH}) ([ \d]?\d) (\d\d):(\d\d):(\d\d)(\.\d+)?$`, 'u');
const CTIME = new RegExp(String.raw`^\p{L}{1,4}\.? (${MONTH}) ([ \d]?\d) (\d\d):(\d\d):(\d\d) (\d{4})$`, 'u');

/** `Nov 20 21:53:51` or `Nov 20 21:53:51.024375`: syslog of RFC 3164, and the short formats of journalctl. */
export function stampOfSyslog(text: string): Stamp | undefined {
  const found = SYSLOG_TIME.exec(text);
  if (found === null) return undefined;
  const [, month = '', day, hour, minute, second, part] = found;
  const local = localOf(NO_YEAR, monthOf(month) ?? -1, [day, hour, minute, second], part);
  return local && { local, cutMs: cutOf(part) };
}

/** `Fri Nov 20 21:53:51 2026`: ctime(3), as `dmesg -T` prints it. */
export function stampOfCtime(text: string): Stamp | undefined {
  const found = CTIME.exec(text);
  if (found === null) return undefined;
  const [, month = '', day, hour, minute, second, year] = found;
  const local = localOf(Number(year), monthOf(month) ?? -1, [day, hour, minute, second]);
  return local && { local, cutMs: SECOND_MS };
}

/** `1120 21:53:51.024375`: the header of klog without its letter. */
export function stampOfKlog(text: string): Stamp | undefined {
  const found = /^(\d\d)(\d\d) (\d\d):(\d\d):(\d\d)(\.\d+)$/.exec(text);
  if (found === null) return undefined;
  const [, month, day, hour, minute, second, part] = found;
  const local = localOf(NO_YEAR, Number(month) - 1, [day, hour, minute, second], part);
  return local && { local, cutMs: 0 };
}

/** `2026-11-20T21:53:51,024375+00:00`, and what else ISO 8601 allows; a time without a zone is local. */
export function stampOfIso(text: string): Stamp | undefined {
  const found = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)([.,]\d+)?(Z|[+-]\d\d:?\d\d)?$/.exec(text);
  if (found === null) return undefined;
  const [, day = '', time = '', part, zone] = found;
  const ms = Date.parse(`${day}T${time}${zone === undefined ? 'Z' : withColon(zone)}`);
  if (!Number.isFinite(ms)) return undefined;
  const at = ms + partOf(part);
  return zone === undefined
    ? { local: { ms: at, hasYear: true }, cutMs: cutOf(part) }
    : { wallMs: at, cutMs: cutOf(part) };
}

/** `2026-11-20 21:53:54.79166028 +0000 UTC m=+105.816`: Go's `Time.String()`. */
export function wallOfGo(text: string): number | undefined {
  const found = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d+)? ([+-]\d{4}) /.exec(`${text} `);
  if (found === null) return undefined;
  return stampOfIso(`${found[1] ?? ''}T${found[2] ?? ''}${found[3] ?? ''}${found[4] ?? ''}`)?.wallMs;
}

/** Seconds since boot: `252.044970`. */
export function stampOfBoot(seconds: string): Stamp {
  return { bootMicros: Math.round(Number(seconds) * 1_000_000), cutMs: 0 };
}

function localOf(
  year: number,
  month: number,
  parts: readonly (string | undefined)[],
  fraction?: string,
): LocalTime | undefined {
  const [day = 0, hour = 0, minute = 0, second = 0] = parts.map(Number);
  if (month < 0 || month > 11 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60)
    return undefined;
  const ms = Date.UTC(year, month, day, hour, minute, second) + partOf(fraction);
  return { ms, hasYear: year !== NO_YEAR };
}

function partOf(fraction: string | undefined): number {
  return fraction === undefined ? 0 : Number(`0.${fraction.slice(1)}`) * SECOND_MS;
}

function cutOf(fraction: string | undefined): number {
  return fraction === undefined ? SECOND_MS : 0;
}

function withColon(zone: string): string {
  return zone.length === 5 && zone !== 'Z' ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
}
