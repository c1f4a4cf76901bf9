import { ownValue } from '../../model/text/own-value.ts';
import { isObject } from '../../model/files/parse-json.ts';
import { numberOf, objectAt, objectsIn, stringOf, timeOf } from '../lines.ts';
import { readDockerEvent } from './docker-events.ts';
import type { Entry, ObjectEntry } from './entry.ts';
import type { ReadObject } from './format.ts';
import { withForgottenEnds } from './forgotten-ends.ts';
import { eventOfPart, podOfPart } from './loose-objects.ts';
import { isJournalEntry, readJournalEntry } from './journal-fields.ts';
import { isPrintedByContainer, isOutput } from './of-containers.ts';
import { entryOfLog, entryOfProgram } from './program-lines.ts';
import { isRuntimeObject, readRuntimeObject } from './runtime-objects.ts';
import { stampOfIso } from './stamps.ts';
import { unpackExport } from './unpack.ts';
import { readWrappedLine, TIMES } from './wrapped-lines.ts';

type Fields = Record<string, unknown>;

const KINDS: Readonly<Record<string, ObjectEntry['what']>> = {
  Pod: 'pod',
  Event: 'event',
  Node: 'node',
  Lease: 'lease',
};
/** Whether an object of the API may tell of an end, by its kind. */
export function mayTell(kind: string): boolean {
  return kind in KINDS || kind.endsWith('List');
}

/** Lists in lists are nobody's output. */
const MAX_DEPTH = 6;

/**
 * Reads what an object of JSON or YAML says, by its shape; undefined when it is of something else.
 *
 * @param listKind of the list that it is in, whose items may lack their kind.
 */
export function readObject(value: unknown, line: number, listKind = '', depth = 0): ReadObject | undefined {
  if (depth > MAX_DEPTH) return undefined;
  if (Array.isArray(value)) return readItems(value, line, listKind, depth);
  if (!isObject(value)) return undefined;
  if (isJournalEntry(value)) return { name: 'journalctl -o json', entries: readJournalEntry(value, line) };
  if (isObject(value['object']) && typeof value['type'] === 'string') return readWatched(value, line);
  const isNameless = value['kind'] === undefined && value['apiVersion'] === 'v1';
  const what =
    ownValue(KINDS, stringOf(value['kind']) ?? listKind.replace(/List$/, '')) ??
    (isNameless || isEvent(value) ? shapeOf(value) : undefined);
  // A manifest says what somebody wants, and nothing of what happened.
  if (what === 'pod' && !isObject(value['status'])) return undefined;
  if (what !== undefined && isObject(value['metadata'])) return ofApi(value, what, line, undefined, 'ADDED');
  const event = what === 'event' ? eventOfPart(value) : undefined;
  if (event !== undefined) return ofApi(event, 'event', line, undefined, 'ADDED');
  if (isRuntimeObject(value)) return readRuntimeObject(value, line);
  if (Array.isArray(value['items']) && (stringOf(value['kind']) ?? 'List').endsWith('List'))
    return readItems(value['items'], line, stringOf(value['kind']) ?? '', depth);
  const unpacked = unpackExport(value);
  if (unpacked !== undefined) return readObject(unpacked, line, listKind, depth + 1);
  return (
    readCloudEntry(value, line) ??
    readDockerEvent(value, line) ??
    readLogObject(value, line) ??
    readWrappedLine(value, line) ??
    readStatus(value, line) ??
    readEnvelope(value, line, depth)
  );
}

/** A part of a pod's status, as `-o jsonpath` prints it. */
function readStatus(value: Fields, line: number): ReadObject | undefined {
  if ('apiVersion' in value || 'kind' in value) return undefined;
  const pod = podOfPart(value);
  return pod && ofApi(pod, 'pod', line, undefined, 'ADDED');
}

/**
 * Objects in what collectors put around them: `{verb, event}` of event routers, `hits` of Elasticsearch, a table of Azure. An object of the
 * API is not an envelope.
 */
function readEnvelope(value: Fields, line: number, depth: number): ReadObject | undefined {
  if ('apiVersion' in value || 'spec' in value) return undefined;
  const time = TIMES.find((name) => name in value);
  const found = Object.values(value).flatMap((inner) => {
    if (Array.isArray(inner)) return inner.some(isObject) ? (readItems(inner, line, '', depth) ?? []) : [];
    if (!isObject(inner)) return [];
    // The time that a collector took is beside what it took.
    const timed =
      time === undefined || TIMES.some((name) => name in inner) ? inner : { ...inner, [time]: value[time] };
    return readObject(timed, line, '', depth + 1) ?? [];
  });
  // What a container printed is its own word, but what a router of events printed is of the API.
  if (
    isPrintedByContainer(value) &&
    found.some(({ entries }) => entries.some(({ kind }) => kind !== 'object'))
  )
    return undefined;
  const [first, ...others] = found;
  // `crictl events` has the sandbox and its containers beside each other.
  const isOne =
    others.length === 0 || (first?.name === 'CRI objects' && others.every(({ name }) => name === first.name));
  return first === undefined || !isOne
    ? undefined
    : { name: first.name, entries: found.flatMap(({ entries }) => entries) };
}

/** An entry of Google's Cloud Logging: the journal of a node is in its payload, the node in its resource. */
function readCloudEntry(value: Fields, line: number): ReadObject | undefined {
  const wallMs = timeOf(value['timestamp']);
  const payload = objectAt(value, 'jsonPayload');
  const labels = objectAt(value, 'resource', 'labels');
  // `logName` of events: the API object is the payload.
  if (isObject(value['resource']) && (payload['kind'] === 'Event' || isEvent(payload)))
    return ofApi(payload, 'event', line, undefined, 'ADDED');
  const text = stringOf(value['textPayload']) ?? stringOf(payload['MESSAGE']) ?? stringOf(payload['message']);
  if (wallMs === undefined || text === undefined || !isObject(value['resource'])) return undefined;
  // A container's own output: nothing that a node says.
  if (isPrintedByContainer(labels)) return undefined;
  const log =
    stringOf(value['logName'])
      ?.split(/\/|%2F/)
      .at(-1) ?? '';
  const by = stringOf(payload['_COMM']) ?? stringOf(payload['SYSLOG_IDENTIFIER']) ?? log;
  const isKernel = payload['_TRANSPORT'] === 'kernel' || (payload['_COMM'] === undefined && by === 'kernel');
  const host = stringOf(labels['node_name']) ?? stringOf(payload['_HOSTNAME']);
  const bootId = stringOf(payload['_BOOT_ID']);
  const logged = {
    line,
    stamp: { wallMs, cutMs: 0 },
    by: isKernel ? 'kernel' : by,
    message: text,
    host,
    bootId,
  };
  return { name: 'Cloud Logging', entries: [entryOfLog(logged)] };
}

function readItems(
  items: readonly unknown[],
  line: number,
  listKind: string,
  depth: number,
): ReadObject | undefined {
  const read = items.flatMap((item) => readObject(item, line, listKind, depth + 1) ?? []);
  const name = read[0]?.name;
  return name === undefined ? undefined : { name, entries: inOrder(read.flatMap((found) => found.entries)) };
}

/** Collectors give the newest line first: what the kernel says of one kill is read from its first line on. */
function inOrder(entries: readonly Entry[]): readonly Entry[] {
  const times = entries.map((entry) => ('stamp' in entry ? entry.stamp.wallMs : undefined));
  const [first, last] = [times[0], times.at(-1)];
  const isNewestFirst = first !== undefined && last !== undefined && first > last;
  return isNewestFirst ? entries.toReversed() : entries;
}

/** `{at, type, object}` of the lab, `{type, object}` of `kubectl get --watch --output-watch-events`. */
function readWatched(value: Fields, line: number): ReadObject | undefined {
  const object = objectAt(value, 'object');
  const what = ownValue(KINDS, stringOf(object['kind']) ?? '') ?? shapeOf(object);
  const type = stringOf(value['type']);
  if (what === undefined || (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED')) return undefined;
  return ofApi(object, what, line, timeOf(value['at']), type);
}

/** What an object without a kind is: a watch leaves it out. */
/** Routers of events leave out what an event is. */
function isEvent(value: Fields): boolean {
  return (
    value['kind'] === undefined && isObject(value['involvedObject']) && typeof value['reason'] === 'string'
  );
}

function shapeOf(object: Fields): ObjectEntry['what'] | undefined {
  if ('involvedObject' in object || 'regarding' in object) return 'event';
  const spec = objectAt(object, 'spec');
  if (Array.isArray(spec['containers'])) return 'pod';
  if ('renewTime' in spec) return 'lease';
  return 'nodeInfo' in objectAt(object, 'status') ? 'node' : undefined;
}

/** An object that nobody says the time of was seen when the newest time in it had come, or later. */
function ofApi(
  object: Fields,
  what: ObjectEntry['what'],
  line: number,
  at: number | undefined,
  type: ObjectEntry['type'],
): ReadObject {
  const seenAt = at ?? (what === 'event' ? undefined : newestTimeIn(object));
  const whole = what === 'pod' ? withForgottenEnds(object) : object;
  return { name: 'API objects', entries: [{ kind: 'object', what, at: seenAt, type, object: whole, line }] };
}

/** The newest time that the status of an object has, and those of its metadata. */
function newestTimeIn(object: Fields): number | undefined {
  const times: number[] = [];
  const walk = (value: unknown, depth: number): void => {
    if (depth > 8) return;
    if (Array.isArray(value)) for (const item of value as unknown[]) walk(item, depth + 1);
    else if (isObject(value))
      for (const [name, inner] of Object.entries(value)) {
        const at = /(?:At|Time|time)$/.test(name) ? timeOf(inner) : undefined;
        if (at !== undefined) times.push(at);
        else walk(inner, depth + 1);
      }
  };
  walk(object['status'], 0);
  const metadata = objectAt(object, 'metadata');
  const created = timeOf(metadata['creationTimestamp']);
  if (created !== undefined) times.push(created);
  for (const { time } of objectsIn(metadata['managedFields'])) {
    const at = timeOf(time);
    if (at !== undefined) times.push(at);
  }
  return times.length === 0 ? undefined : times.reduce((one, other) => Math.max(one, other));
}

/** Structured logs: klog with `--logging-format=json`, containerd and other programs of logrus. */
function readLogObject(value: Fields, line: number): ReadObject | undefined {
  const { ts, msg, level, time, caller, ...rest } = value;
  if (typeof msg !== 'string' || isOutput(value)) return undefined;
  const seconds = numberOf(ts);
  if (seconds !== undefined && (typeof caller === 'string' || 'v' in rest || 'err' in rest)) {
    // component-base/logs/json: milliseconds, with a part.
    const stamp = { wallMs: seconds, cutMs: 0 };
    return {
      name: 'klog JSON',
      entries: [entryOfProgram({ line, stamp, by: '', message: asKlog(caller, msg, rest) })],
    };
  }
  const stamp = stampOfIso(stringOf(time) ?? '');
  if (stamp?.wallMs === undefined || typeof level !== 'string') return undefined;
  const message = `time=${JSON.stringify(time)} level=${level} msg=${JSON.stringify(msg)}${asLogfmt(rest)}`;
  return { name: 'runtime JSON', entries: [entryOfProgram({ line, stamp, by: '', message })] };
}

/** A structured record as klog prints it as text. */
function asKlog(caller: unknown, msg: string, rest: Fields): string {
  const fields = Object.entries(rest).map(([name, value]) => {
    const pod = isObject(value) && typeof value['name'] === 'string' ? value : undefined;
    if (pod !== undefined && Object.keys(pod).length <= 2)
      return ` ${name}="${stringOf(pod['namespace']) ?? ''}/${String(pod['name'])}"`;
    return ` ${name}=${JSON.stringify(value)}`;
  });
  const source = /[^/]+\.go:\d+$/.exec(stringOf(caller) ?? '')?.[0];
  return `${source === undefined ? '' : `${source}] `}${JSON.stringify(msg)}${fields.join('')}`;
}

function asLogfmt(rest: Fields): string {
  return Object.entries(rest)
    .map(([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('');
}
