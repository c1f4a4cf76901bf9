import { placeOf } from '../../model/saved/place-of.ts';
import { timeOfDay } from '../../model/evidence/source-clocks.ts';
import type { EvidenceRef } from '../../model/saved/formats.ts';
import { wrapLine } from './text-table.ts';
import { KLOG_HEAD } from '../../model/evidence/log-heads.ts';

/** The layout of `whodunit why`. */

/** Width of the names in the left column. */
const LABEL = 10;
const MAX_TEXT = 160;

/** A named line: `victim    eater/eater`. */
export function row(name: string, text: string): string {
  return `${name.padEnd(LABEL)}${text}`;
}

/** Several records, each once, with a file's name only where it changes: `node-1/kmsg.log:41, :44`. */
export function listPlaces(refs: readonly Pick<EvidenceRef, 'file' | 'line'>[]): string {
  const places = [...new Map(refs.map((ref) => [placeOf(ref), ref])).values()];
  return places
    .map((ref, index) => (ref.file === places[index - 1]?.file ? `:${ref.line ?? ''}` : placeOf(ref)))
    .join(', ');
}

/** A record of the evidence as columns: place, time of day (UTC), source, text. */
export function refColumns(ref: EvidenceRef): string[] {
  return [placeOf(ref), timeOfDay(ref), ref.source, quote(ref.text)];
}

const KLOG = new RegExp(`^${KLOG_HEAD}`);

/** The message of a record. Its time and place are said in columns of their own. */
export function messageOfRecord(text: string): string {
  return text.replace(KLOG, '');
}

/** What a record or a layer says, as short as a page has room for; the file has the whole line. */
export function quote(text: string): string {
  return shortenPaths(messageOfRecord(text));
}

/** Rows that are copied, or that name a place: they stay whole. */
const WHOLE = /^(open|evidence|try|run|next:|html:|junit:|folder:|report:) /;
/** A record of the evidence: its place and time, or behind its text its place. */
const RECORD = / {2}\d\d:\d\d:\d\d(?:\.\d{3})? {2}|^ {4}.* {3}\S+\/\S+:\d+$/;
/** What is before the text of a record: step and place, time, source; or only the step. */
const COLUMNS = /^.*? {2}\d\d:\d\d:\d\d(?:\.\d{3})? {2,}\S+ +|^ {4}.{8} {2}/;
/** The part of a record that says whom it was about, or who did it: of an OOM kill, the end of a container, a signal. */
const TELLING = [
  /task=[^,]*,pid=\d+/,
  /Killed process \d+ \([^)]*\)/,
  /terminated \w+, exit \d+/,
  /from pid \d+ \([^)]*\)/,
];
/** The place at the end of a record, or nothing. */
const PLACE = /( {3}\S+:\d+)?$/;
/**
 * The head of a line, before its text: the name of a row, the verdict of a cell, columns of a table, or only blanks.
 */
const HEADS = [/^( {4})?[a-z][a-z ]{8} (?=\S)/, /^\S [a-z]+ {2,}(?=\S)/, /^ {2}\S.{0,40} {2,}(?=\S)/, /^ */];

/**
 * Fits a line of a page into a terminal. Prose is broken at blanks and continues below its beginning. A text of the evidence
 * moves below its place if there is no room beside it, and loses its middle, because the file has all of it. A line that
 * people copy stays whole.
 */
export function fitLine(line: string, width: number): string[] {
  if (line.length <= width || WHOLE.test(line)) return [line];
  if (RECORD.test(line)) return cutRecord(line, width);
  const heads = HEADS.map((head) => head.exec(line)?.[0].length ?? width);
  const below = heads.find((head) => head <= width / 2) ?? 0;
  // A word as wide as the page, such as the path of a cgroup, goes on farther to the left.
  const longest = Math.max(...line.split(' ').map((word) => word.length));
  return wrapLine(line, width, Math.max(0, Math.min(below, width - longest)));
}

/** Least room for the text of a record, on however narrow a terminal. */
const MIN_RECORD = 12;

/** With less room than this beside its place and time, the text of a record is below them. */
const MIN_BESIDE = 40;

/** Keeps what is before the text of a record (place, time, source) and the place behind it. */
function cutRecord(line: string, width: number): string[] {
  const head = COLUMNS.exec(line)?.[0] ?? '';
  const place = PLACE.exec(line)?.[0] ?? '';
  const room = width - head.length - place.length;
  if (place !== '' && room < 1) return [line];
  const text = line.slice(head.length, line.length - place.length);
  if (place === '' && room < MIN_BESIDE && width - LABEL > MIN_BESIDE)
    return [head.trimEnd(), `${' '.repeat(LABEL)}${cutText(text, width - LABEL)}`];
  return [`${head}${cutText(text, place === '' ? Math.max(MIN_RECORD, room) : room)}${place}`];
}

/**
 * Shortens a text to `room` characters. It keeps the part that matters, or else the beginning and the end, with a mark where
 * something is missing.
 */
export function cutText(text: string, room: number): string {
  if (text.length <= room) return text;
  const telling = TELLING.map((pattern) => pattern.exec(text)).find((match) => match !== null);
  if (telling === undefined)
    return `${text.slice(0, Math.ceil((room - 1) / 2))}…${endOf(text, Math.floor((room - 1) / 2))}`;
  const start = telling.index;
  const end = start + telling[0].length;
  const after = end < text.length ? '…' : '';
  const before = room - telling[0].length - 1 - after.length;
  // Not even this fits. The end is kept, because it has the name and the number.
  if (before < 0 && end > room - 1) return `…${endOf(telling[0], room - 1 - after.length)}${after}`;
  if (end + after.length <= room) return `${text.slice(0, room - 1)}…`;
  return `${text.slice(0, before)}…${telling[0]}${after}`;
}

/** The last letters; `slice(-0)` would be all of them. */
function endOf(text: string, count: number): string {
  return text.slice(text.length - count);
}

/** Container ids, slices and the kernel's list of memory nodes are long and say little; the file has them in full. */
export function shortenPaths(text: string): string {
  const short = text.length < SHORTENED_LENGTH ? text : withoutIds(text);
  return cutLong(/\s\s|[^\S ]/.test(short) ? short.replace(/\s+/g, ' ') : short);
}

/** Letters of the shortest thing that is shortened: a page has many texts that are shorter. */
const SHORTENED_LENGTH = 24;

function withoutIds(text: string): string {
  let short = text.replace(/([0-9a-f]{12})[0-9a-f]{52}/g, '$1');
  if (short.includes('kubepods'))
    short = short
      .replace(/\/kubepods\.slice\/(?:kubepods-\w+\.slice\/)?(?=kubepods)/g, '…/')
      .replace(/\/kubepods\/(?:\w+\/)?(pod[0-9a-f]{8})[0-9a-f-]{28}/g, '…/$1…')
      .replace(/kubepods-(?:burstable-|besteffort-)?(pod[0-9a-f]{8})[0-9a-f_]{28}\.slice/g, '$1….slice');
  return short.includes(',nodemask=')
    ? short.replace(/,nodemask=[^,]*,cpuset=[^,]*,mems_allowed=[^,]*,/, ', …, ')
    : short;
}

function cutLong(short: string): string {
  if (short.length <= MAX_TEXT) return short;
  // A long line loses its middle, because an OOM summary ends with the victim.
  const end = /(?:,task=[^,]*)?,pid=\d+(?:,uid=\d+)?$/.exec(short)?.[0] ?? '';
  return `${short.slice(0, MAX_TEXT - end.length)}…${end}`;
}
