import { isObject } from '../../model/files/parse-json.ts';
import { objectAt, stringOf, timeOf } from '../lines.ts';
import type { Entry } from './entry.ts';
import type { ReadObject } from './format.ts';
import { isPrintedByContainer } from './of-containers.ts';
import { entryOfLog } from './program-lines.ts';
import { journalText, klog, logfmt, syslog } from './system-logs.ts';

type Fields = Record<string, unknown>;

/** Where collectors put the time of a line. */
export const TIMES = ['@timestamp', 'date', 'timestamp', 'time', 'TimeGenerated'] as const;
/** Where collectors of a journal put the name of the program, each with the place of the field. */
const WRITERS: readonly (readonly string[])[] = [
  ['systemd', 'unit'],
  ['systemd_unit'],
  ['_SYSTEMD_UNIT'],
  ['unit'],
  ['fields', 'unit'],
  ['labels', 'unit'],
  ['syslog', 'identifier'],
  ['SYSLOG_IDENTIFIER'],
  ['syslog_identifier'],
  ['process', 'name'],
  // Container Insights of CloudWatch.
  ['ident'],
  // Azure Monitor.
  ['ProcessName'],
  // Datadog.
  ['service'],
];
const TRANSPORTS = [
  ['_TRANSPORT'],
  ['transport'],
  ['fields', 'transport'],
  ['labels', 'transport'],
  ['journald', 'transport'],
];
const HOSTS: readonly (readonly string[])[] = [
  ['host', 'name'],
  ['host', 'hostname'],
  ['host'],
  ['hostname'],
  ['_HOSTNAME'],
  ['fields', 'hostname'],
  ['labels', 'hostname'],
  ['labels', 'nodename'],
  ['labels', 'node_name'],
  ['nodename'],
  ['node_name'],
  ['Computer'],
  ['labels', 'instance'],
];

/**
 * A line of a node's journal as Elasticsearch, Loki and CloudWatch give it: with a time, the program that wrote it, and often
 * the node. One whose writer is not known is read as nobody's.
 */
export function readWrappedLine(value: Fields, line: number): ReadObject | undefined {
  const raw = readRaw(value, line);
  if (raw !== undefined) return raw;
  const message = stringOf(value['message']) ?? stringOf(value['line']) ?? stringOf(value['SyslogMessage']);
  const by = isOfKernel(value) ? 'kernel' : firstOf(value, WRITERS)?.replace(/\.(?:service|scope)$/, '');
  if (message === undefined || by === undefined || isPrintedByContainer(value)) return undefined;
  const wallMs = TIMES.map((name) => timeOfField(value[name])).find((at) => at !== undefined);
  if (wallMs === undefined) return undefined;
  const host = firstOf(value, HOSTS);
  const logged = { line, stamp: { wallMs, cutMs: 0 }, by, message, host };
  return { name: 'log as JSON', entries: [entryOfLog(logged)] };
}

/** The kernel has no unit: collectors of a journal say how the line came into it. */
function isOfKernel(value: Fields): boolean {
  return TRANSPORTS.some((place) => firstOf(value, [place]) === 'kernel');
}

/** A line as the node wrote it, in a result of Splunk, with the time that Splunk gives it. */
function readRaw(value: Fields, line: number): ReadObject | undefined {
  const text = stringOf(value['_raw']);
  const wallMs = timeOf(value['_time']);
  if (text === undefined || isPrintedByContainer(value)) return undefined;
  for (const { createReader } of [journalText, syslog, klog, logfmt]) {
    const entries = createReader('').line({ number: line, text, cut: false });
    if (entries === 'unread' || entries.length === 0) continue;
    const dated = entries.map((entry): Entry => {
      const isUndated =
        (entry.kind === 'program' || entry.kind === 'kernel') && entry.stamp.wallMs === undefined;
      return isUndated && wallMs !== undefined ? { ...entry, stamp: { ...entry.stamp, wallMs } } : entry;
    });
    return { name: 'log as JSON', entries: dated };
  }
  return undefined;
}

function firstOf(value: Fields, places: readonly (readonly string[])[]): string | undefined {
  return places
    .map((place) => {
      const within = place.slice(0, -1).reduce<Fields>((inner, name) => objectAt(inner, name), value);
      return isObject(within) ? stringOf(within[place.at(-1) ?? '']) : undefined;
    })
    .find((name) => name !== undefined && name !== '');
}

/** A time as text, or as a number of milliseconds, microseconds or nanoseconds since the epoch. */
function timeOfField(value: unknown): number | undefined {
  // CloudWatch writes UTC, with neither the letter between date and time nor a zone.
  const plain = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)$/.exec(stringOf(value) ?? '');
  if (plain !== null) return timeOf(`${plain[1] ?? ''}T${plain[2] ?? ''}Z`);
  const digits = typeof value === 'number' ? String(value) : (stringOf(value) ?? '');
  if (/^\d{13}(?:\d{3}|\d{6})?$/.test(digits)) return Number(digits) / 10 ** (digits.length - 13);
  return timeOf(value);
}
