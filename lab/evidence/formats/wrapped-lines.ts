import { isObject } from '../../model/files/parse-json.ts';
import { objectAt, stringOf, timeOf } from '../lines.ts';
import type { ReadObject } from './format.ts';
import { entryOfLog } from './program-lines.ts';

type Fields = Record<string, unknown>;

/** Fields that a container's own output has: nothing that a node says. */
const OF_CONTAINERS = ['stream', 'kubernetes', 'container', 'container_name', 'containerName', 'log'];
const TIMES = ['@timestamp', 'date', 'timestamp', 'time'];
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
];
const HOSTS: readonly (readonly string[])[] = [
  ['host', 'name'],
  ['host', 'hostname'],
  ['hostname'],
  ['_HOSTNAME'],
  ['fields', 'hostname'],
  ['labels', 'hostname'],
];

/**
 * A line of a node's journal as Elasticsearch, Loki and CloudWatch give it: with a time, the program that wrote it, and often
 * the node. One whose writer is not known is read as nobody's.
 */
export function readWrappedLine(value: Fields, line: number): ReadObject | undefined {
  const message = stringOf(value['message']) ?? stringOf(value['line']);
  const by = firstOf(value, WRITERS)?.replace(/\.(?:service|scope)$/, '');
  if (message === undefined || by === undefined || OF_CONTAINERS.some((name) => name in value))
    return undefined;
  const wallMs = TIMES.map((name) => timeOfField(value[name])).find((at) => at !== undefined);
  if (wallMs === undefined) return undefined;
  const host = firstOf(value, HOSTS);
  const logged = { line, stamp: { wallMs, cutMs: 0 }, by, message, host };
  return { name: 'log as JSON', entries: [entryOfLog(logged)] };
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
  const digits = typeof value === 'number' ? String(value) : (stringOf(value) ?? '');
  if (/^\d{13}(?:\d{3}|\d{6})?$/.test(digits)) return Number(digits) / 10 ** (digits.length - 13);
  return timeOf(value);
}
