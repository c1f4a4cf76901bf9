import type { EvidenceRef } from '../model/saved/formats.ts';
import { siftLines, type LineSieve } from './line-sieve.ts';
import { isObject, tryParseJson } from '../model/files/parse-json.ts';
import type { Base, Covered, EvidenceSource, Lost } from '../model/evidence/observation.ts';

/** One line of an evidence file; `number` counts from 1. */
export interface Line {
  readonly number: number;
  readonly text: string;
  /** Whether the line has no line break: the file ends in the middle of it, unless its writer closed it so. */
  readonly cut: boolean;
  /** Its end was dropped, because it is longer than any line that a tool writes. */
  readonly isLong?: true;
}

/**
 * The content of an evidence file: its text, or its bytes piece by piece, so that memory never holds a big log as a
 * whole.
 */
export type EvidenceText = string | { readonly chunks: () => Iterable<Uint8Array> };

/** Longest text kept in a reference; the file has the rest. An OOM summary with two full cgroup paths fits. */
const MAX_TEXT = 1000;
/** Longest line that is read. The rest of a longer one is dropped, and no parser takes its beginning for a record. */
export const MAX_LINE_BYTES = 4 * 1024 * 1024;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const NO_BYTES = Buffer.alloc(0);

/** The non-empty lines of a file, one after the other. */
export function* linesOf(content: EvidenceText): Generator<Line> {
  const splitter = createLineSplitter();
  for (const chunk of chunksOf(content)) yield* splitter.add(chunk);
  yield* splitter.end();
}

/** The same of a stream. With a sieve, of lines that do not fit only the first one of each piece and the last one are given. */
export async function* linesOfStream(
  chunks: AsyncIterable<Uint8Array>,
  sieve: LineSieve = { pattern: undefined },
): AsyncGenerator<Line> {
  const splitter = createLineSplitter(sieve);
  for await (const chunk of chunks) yield* splitter.add(chunk);
  yield* splitter.end();
}

function chunksOf(content: EvidenceText): Iterable<Uint8Array> {
  return typeof content === 'string' ? [Buffer.from(content)] : content.chunks();
}

/** Splits bytes into lines, without the empty ones; a line too long is cut, so that memory never holds more. */
function createLineSplitter(sieve?: LineSieve): {
  readonly add: (chunk: Uint8Array) => Generator<Line>;
  readonly end: () => Generator<Line>;
} {
  let begun: Buffer[] = [];
  let size = 0;
  let number = 0;
  const keep = (part: Buffer): void => {
    // Copied: a part of a chunk would keep all of it in memory.
    if (size < MAX_LINE_BYTES && part.length > 0)
      begun.push(Buffer.from(part.subarray(0, MAX_LINE_BYTES - size)));
    size += part.length;
  };
  /** The line that ends with this part of a piece; undefined when it is empty. */
  const close = (piece: Buffer, from: number, to: number, cut: boolean): Line | undefined => {
    if (size > 0) keep(piece.subarray(from, to));
    const isLong = Math.max(size, to - from) > MAX_LINE_BYTES;
    const text = size > 0 ? textOf(Buffer.concat(begun)) : textOf(piece, from, to);
    if (size > 0) [begun, size] = [[], 0];
    number += 1;
    if (text === '') return undefined;
    return isLong ? { number, text, cut, isLong } : { number, text, cut };
  };
  /** The last line that did not fit, and its number. */
  let skipped: { readonly bytes: Buffer; readonly number: number } | undefined;
  function* sift(bytes: Buffer, pattern: RegExp): Generator<Line> {
    const before = number;
    const { fitting, lines, last } = siftLines(bytes.toString('latin1'), pattern);
    for (const { from, to, index } of fitting) {
      number = before + index;
      const line = close(bytes, from, to, false);
      if (line !== undefined) yield line;
    }
    number = before + lines;
    skipped = last === undefined ? undefined : { bytes: bytes.subarray(last, -1), number };
  }
  return {
    *add(bytes) {
      const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      let from = 0;
      const [firstEnd, lastEnd] = [chunk.indexOf(LINE_FEED), chunk.lastIndexOf(LINE_FEED)];
      if (sieve?.pattern !== undefined && lastEnd > firstEnd) {
        const line = close(chunk, 0, firstEnd, false);
        if (line !== undefined) yield line;
        yield* sift(chunk.subarray(firstEnd + 1, lastEnd + 1), sieve.pattern);
        from = lastEnd + 1;
      }
      for (let end = chunk.indexOf(LINE_FEED, from); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
        const line = close(chunk, from, end, false);
        if (line !== undefined) yield line;
        from = end + 1;
      }
      keep(chunk.subarray(from));
    },
    *end() {
      const isCut = size > 0;
      if (skipped !== undefined && !isCut) number = skipped.number - 1;
      const bytes = isCut || skipped === undefined ? NO_BYTES : skipped.bytes;
      const line = close(bytes, 0, bytes.length, isCut);
      if (line !== undefined) yield line;
    },
  };
}

/** The text of a line of which only so much is read; `\r` is part of a line break. */
function textOf(bytes: Buffer, from = 0, to = bytes.length): string {
  const end = Math.min(to, from + MAX_LINE_BYTES);
  const hasReturn = end > from && bytes[end - 1] === CARRIAGE_RETURN;
  return bytes.toString('utf8', from, hasReturn ? end - 1 : end);
}

/** Parses one line as a JSON object; undefined when it is anything else. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  // Broken lines are reported as lost evidence by the caller.
  const value = tryParseJson(text);
  return isObject(value) ? value : undefined;
}

/** The value as an object; empty when it is not one. It walks into optional parts of an API object. */
export function objectAt(value: unknown, ...path: readonly string[]): Record<string, unknown> {
  let current: unknown = value;
  for (const name of path) current = isObject(current) ? current[name] : undefined;
  return isObject(current) ? current : {};
}

/** The objects of a list; empty when the value is not a list. */
export function objectsIn(value: unknown): Record<string, unknown>[] {
  return (Array.isArray(value) ? (value as unknown[]) : []).filter(isObject);
}

/** The value as a string, undefined when it is not one. */
export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The value as a finite number, undefined when it is not one. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** ISO 8601 text as milliseconds since the epoch, undefined when it is not a date. */
export function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(time) ? time : undefined;
}

/** Builds a pointer into an evidence file. `at` is in milliseconds since the epoch. */
function refOf(
  source: string,
  at: number | undefined,
  file: string,
  line: number | undefined,
  text: string,
): EvidenceRef {
  const iso = isoOf(at);
  const short = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  return line === undefined
    ? { source, at: iso, file, text: short }
    : { source, at: iso, file, line, text: short };
}

/** A file whose path does not say of which node and boot it is. */
export type FilePlace = Pick<Base, 'node' | 'boot'> & { readonly file: string };

/** The path of a file in the folder of a cell, which says of which node and boot it is, or a place. */
export type Where = string | FilePlace;

/** Builds the common part of every observation: time, place in the evidence, node, and boot of that node. */
export function baseOf(
  source: string,
  at: number | undefined,
  where: Where,
  line: number | undefined,
  text: string,
): Base {
  const file = typeof where === 'string' ? where : where.file;
  const { node, boot } = typeof where === 'string' ? nodeAndBootOf(where) : where;
  return { at, ref: refOf(source, at, file, line, text), node, boot };
}

type Place = Pick<Base, 'node' | 'boot'>;

/** A file's lines follow one another: only the last file is kept. */
let last: { readonly file: string; readonly place: Place } | undefined;

function nodeAndBootOf(file: string): Place {
  if (last?.file !== file) last = { file, place: placeOf(file) };
  return last.place;
}

/** Node and boot of a file: `node-1/witness.2.jsonl` is of the second boot of node-1. */
function placeOf(file: string): Place {
  const slash = file.indexOf('/');
  const node = slash < 0 ? undefined : file.slice(0, slash);
  return { node, boot: `${node ?? ''} ${/\.(\d+)\.\w+$/.exec(file)?.[1] ?? '1'}` };
}

/** Builds the observation that evidence is missing. `refSource` may be narrower than the file: `trace` or `cgroup`. */
export function lostOf(
  source: EvidenceSource,
  why: string,
  where: Where,
  at?: number,
  line?: number,
  refSource: string = source,
): Lost {
  return { kind: 'lost', source, why, ...baseOf(refSource, at, where, line, why) };
}

/** Counts lines of a file that are not what they should be. */
export interface BrokenLines {
  add(line: Line): void;
  /** One loss for all of them, at the first; none when all could be read. */
  lost(): Lost[];
}

/** Builds a counter: of a file of other bytes every line is broken, and one sentence says so. */
export function createBrokenLines(source: EvidenceSource, why: string, file: string): BrokenLines {
  let first: Line | undefined;
  let count = 0;
  return {
    add: (line) => {
      first ??= line;
      count += 1;
    },
    lost: () => {
      if (first === undefined) return [];
      const text = count === 1 ? why : `${why}, ${count} times`;
      return [lostOf(source, text, file, undefined, first.number)];
    },
  };
}

/** Makes a loss last from its time on, also for containers that lived only later. */
export function toTheEnd(lost: Lost): Lost {
  return { ...lost, until: Number.POSITIVE_INFINITY };
}

/** Milliseconds as ISO 8601 UTC; empty when unknown or not representable. */
function isoOf(at: number | undefined): string {
  return at === undefined || !Number.isFinite(at) || Math.abs(at) > 8.64e15 ? '' : new Date(at).toISOString();
}

/** Receives what a stream covers, after the whole of it was read. */
export type OnCovered = (covered: Covered) => void;

/** A receiver that ignores it, for readers that need only the records. */
export const ignoreCovered: OnCovered = () => undefined;

/** Follows the times of a stream's records, to know from when to when it was read. */
export interface Span {
  add(at: number | undefined): void;
  covered(source: EvidenceSource, where: Where): Covered;
}

/** Builds a span without any record. */
export function createSpan(): Span {
  let from: number | undefined;
  let to: number | undefined;
  let records = 0;
  return {
    add: (at) => {
      records += 1;
      if (at === undefined) return;
      if (from === undefined || at < from) from = at;
      if (to === undefined || at > to) to = at;
    },
    covered: (source, where) => {
      const text = `${records} records from ${isoOf(from) || '?'} to ${isoOf(to) || '?'}`;
      return {
        kind: 'covered',
        ...baseOf(source, undefined, where, undefined, text),
        source,
        from,
        to,
        records,
      };
    },
  };
}
