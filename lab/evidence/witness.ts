import type {
  Base,
  CgroupLife,
  CgroupValues,
  EndsWatched,
  Lost,
  NodeBeat,
  OomVictim,
  OutsiderExited,
  ProcessExited,
  ProcessSeen,
  SignalSent,
} from '../model/evidence/observation.ts';
import { createGapFinder, createOrder, type Numbered } from './gaps.ts';
import {
  linesOf,
  lostOf,
  numberOf,
  parseObject,
  baseOf,
  stringOf,
  toTheEnd,
  type EvidenceText,
} from './lines.ts';
import { isStepped, wallOf, type ToWall } from './wall-time.ts';
import { describeExits, describeRecord, isIgnoredSignal, senderCgroupOf, valuesOf } from './witness-text.ts';

/** What the witness of one node saw, and how that node's clocks relate. */
export interface WitnessReport {
  readonly observations: readonly (
    | CgroupLife
    | CgroupValues
    | ProcessSeen
    | SignalSent
    | ProcessExited
    | OutsiderExited
    | EndsWatched
    | OomVictim
    | NodeBeat
    | Lost
  )[];
  /** Undefined when there is no `start` record. */
  readonly toWall: ToWall | undefined;
  /** Boot id of the watched boot; empty when there is no `start` record. */
  readonly bootId: string;
  readonly startedAt: number | undefined;
  /** When it was asked to stop; undefined when its stream has no `stop`. */
  readonly stoppedAt: number | undefined;
  /**
   * When somebody was first seen to have stepped its wall clock, by the clock before the step; undefined when nobody
   * was.
   */
  readonly steppedAt: number | undefined;
  /** Set when the stream has no `stop`. It is one of the observations. */
  readonly cutShort: Lost | undefined;
}

interface WitnessRecord extends Numbered {
  readonly at: number;
  readonly mono: number;
  readonly kind: string;
  readonly fields: Record<string, unknown>;
  readonly text: string;
}

type Seen = WitnessReport['observations'][number];

/** Reads the records of `provision/guest/witness`. A stream without its `stop` is lost from its last record on. */
export function parseWitness(content: EvidenceText, file: string): WitnessReport {
  const observations: Seen[] = [];
  const records: WitnessRecord[] = [];
  const numbers = createGapFinder();
  const order = createOrder('witness', 'the record of the witness', file);
  for (const line of linesOf(content)) {
    const record = parseRecord(line.text, line.number);
    if (record !== undefined) {
      records.push(record);
      numbers.add(record);
      order.add(record);
    } else if (!line.cut) {
      observations.push(lostOf('witness', 'a line is not a witness record', file, undefined, line.number));
    }
  }
  records.sort((a, b) => a.seq - b.seq);
  const start = records.find((record) => record.kind === 'start');
  const last = records.at(-1);
  if (start === undefined)
    observations.push({ ...lostOf('witness', 'the start record is missing', file), isHole: true });
  const why = 'the stop record is missing: the witness was cut short';
  const cutShort =
    last === undefined || last.kind === 'stop'
      ? undefined
      : toTheEnd(lostOf('witness', why, file, last.at, last.line));
  if (cutShort !== undefined) observations.push(cutShort);
  for (const gap of [...order.lost(), ...numbers.findGaps('witness', file)]) observations.push(gap);
  const toWall = start && wallOf({ wallMs: start.at, monoMicros: start.mono });
  const stepped =
    toWall && records.find((record) => isStepped({ wallMs: record.at, monoMicros: record.mono }, toWall));
  const exits = describeExits(records);
  const sameText = createSameTexts();
  for (const record of records) {
    // The trace counts microseconds and the witness milliseconds: a signal must not seem to follow its exit.
    const at = toWall?.(record.mono) ?? record.at;
    const found = observe(record, at, exits.get(record) ?? describeRecord(record), file, sameText);
    if (found !== undefined) observations.push(found);
  }
  const bootId = stringOf(start?.fields.bootId) ?? '';
  const steppedAt = stepped && toWall?.(stepped.mono);
  const stoppedAt = last?.kind === 'stop' ? (toWall?.(last.mono) ?? last.at) : undefined;
  return { observations, toWall, bootId, startedAt: start?.at, stoppedAt, steppedAt, cutShort };
}

function parseRecord(text: string, line: number): WitnessRecord | undefined {
  const fields = parseObject(text);
  const seq = numberOf(fields?.seq);
  const at = numberOf(fields?.at);
  const mono = numberOf(fields?.mono);
  const kind = stringOf(fields?.kind);
  if (
    fields === undefined ||
    seq === undefined ||
    at === undefined ||
    mono === undefined ||
    kind === undefined
  ) {
    return undefined;
  }
  return { seq, at, mono, kind, line, fields, text };
}

/** Which part of the witness tells of each kind of record. */
const TELLERS: ReadonlyMap<string, string> = new Map([
  ['cgroup-created', 'cgroup'],
  ['cgroup-removed', 'cgroup'],
  ['cgroup-values', 'cgroup'],
  ['process', 'cgroup'],
  ['signal', 'trace'],
  ['exit', 'trace'],
  ['node-exit', 'trace'],
  ['ends-watched', 'trace'],
  ['oom-victim', 'trace'],
  ['node', 'node'],
]);

type SameText = (text: string) => string;

/**
 * Gives of equal texts always the first one. The paths of cgroups occur again and again: together they take less memory, and
 * whoever looks one up compares no letters.
 */
function createSameTexts(): SameText {
  const known = new Map<string, string>();
  return (text) => {
    const first = known.get(text);
    if (first === undefined) known.set(text, text);
    return first ?? text;
  };
}

function observe(
  record: WitnessRecord,
  at: number,
  said: string,
  file: string,
  sameText: SameText,
): Seen | undefined {
  const { fields } = record;
  // The spread comes last: V8 takes fifty times as long to add properties to a copy.
  const base = baseOf(TELLERS.get(record.kind) ?? 'witness', at, file, record.line, said);
  switch (record.kind) {
    case 'cgroup-created':
    case 'cgroup-removed':
      return { kind: record.kind, path: sameText(textAt(fields.path)), ...base };
    case 'cgroup-values':
      return {
        kind: 'cgroup-values',
        path: sameText(textAt(fields.path)),
        file: sameText(textAt(fields.file)),
        values: valuesOf(fields.values),
        ...base,
      };
    case 'process':
      return processOf(fields, base, sameText);
    case 'signal':
      return isIgnoredSignal(record) ? undefined : signalOf(fields, base);
    case 'exit':
      return {
        kind: 'process-exited',
        pid: numberAt(fields.pid),
        comm: textAt(fields.comm),
        isGroup: fields.groupDead === true ? true : undefined,
        ...base,
      };
    case 'node-exit':
      return {
        kind: 'outsider-exited',
        pid: numberAt(fields.pid),
        comm: textAt(fields.comm),
        cgroup: stringOf(fields.cgroup) || undefined,
        ...base,
      };
    case 'ends-watched':
      return { kind: 'ends-watched', names: stringsOf(fields.names), ...base };
    case 'oom-victim':
      return { kind: 'oom-victim', pid: numberAt(fields.pid), tid: numberOf(fields.tid), ...base };
    case 'node':
      return beatOf(fields, base);
    case 'lost':
      return lossOf(record, file, textAt(fields.source) || 'witness');
    case 'start':
    case 'stop':
      return undefined;
    default:
      return lostOf('witness', `a record of the unknown kind "${record.kind}"`, file, undefined, record.line);
  }
}

function processOf(fields: WitnessRecord['fields'], base: Base, sameText: SameText): ProcessSeen {
  return {
    kind: 'process-seen',
    pid: numberAt(fields.pid),
    ppid: numberAt(fields.ppid),
    nsPid: numberAt(fields.nspid),
    comm: textAt(fields.comm),
    cgroup: sameText(textAt(fields.cgroup)),
    start: stringOf(fields.start),
    args: stringOf(fields.args),
    ...base,
  };
}

function signalOf(fields: WitnessRecord['fields'], base: Base): SignalSent {
  return {
    kind: 'signal-sent',
    signal: numberAt(fields.sig),
    senderPid: numberAt(fields.senderPid),
    senderComm: textAt(fields.senderComm),
    pid: numberAt(fields.pid),
    tid: numberOf(fields.tid),
    comm: textAt(fields.comm),
    code: numberOf(fields.code) ?? 0,
    senderCgroup: senderCgroupOf(fields),
    senderParents: numbersOf(fields.senderParents),
    targetCgroup: stringOf(fields.targetCgroup) || undefined,
    ...base,
  };
}

function numberAt(value: unknown): number {
  return numberOf(value) ?? -1;
}

function textAt(value: unknown): string {
  return stringOf(value) ?? '';
}

function numbersOf(value: unknown): number[] | undefined {
  return Array.isArray(value) ? value.filter((element) => typeof element === 'number') : undefined;
}

function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((element) => typeof element === 'string') : [];
}

function beatOf(fields: WitnessRecord['fields'], base: Base): NodeBeat {
  return {
    kind: 'node-beat',
    oomKills: numberOf(fields.oomKills),
    memoryFullMicros: numberOf(fields.memoryFullMicros),
    stealMs: numberOf(fields.stealMs),
    cpus: numberOf(fields.cpus),
    ...base,
  };
}

/**
 * How long before its mark an event may have been lost. The kernel's ring drops the oldest events, and the witness
 * reads the mark at the gap; by then ring and queue hold newer events. A node that stalls for longer makes the cell
 * void.
 */
const LOST_LATE_MS = 10_000;

/** A trace that never started is missing for the whole cell; events lost on the way are missing before their mark. */
function lossOf(record: WitnessRecord, file: string, source: string): Lost {
  const why = stringOf(record.fields.why) ?? '';
  const onTheWay = record.at !== undefined && /LOST|unreadable/.test(why);
  const at = onTheWay ? record.at - LOST_LATE_MS : undefined;
  const lost = lostOf('witness', why, file, at, record.line, source);
  return onTheWay ? { ...lost, until: record.at } : lost;
}
