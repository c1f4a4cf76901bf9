import type { Base, KernelObservation, Lost } from '../model/evidence/observation.ts';
import { createGapFinder, createOrder } from './gaps.ts';
import { findOwnBoot, type OwnBoot } from './kernel-boots.ts';
import type { KernelRecord } from './kernel-record.ts';
import { isOfInterest, readKernelRecords } from './kernel-records.ts';
import {
  createBrokenLines,
  linesOf,
  lostOf,
  baseOf,
  toTheEnd,
  type EvidenceText,
  type Line,
} from './lines.ts';
import type { ToWall } from './wall-time.ts';

interface RawRecord extends KernelRecord {
  readonly facility: number;
  /** It continues the line of the record before it. */
  readonly isFragment: boolean;
}

/** What a whole kernel log must hold. */
export interface KmsgLimits {
  /** When the cell began, in ms: a ring whose oldest record is younger has lost records. */
  readonly from?: number | undefined;
  /** Text of the record that the lab writes when the cell is over. */
  readonly end?: string | undefined;
  /** When that record was written, at the earliest and at the latest, in ms. */
  readonly endedBetween?: Base['between'];
}

/**
 * Reads raw /dev/kmsg records (`prefix,sequence,microseconds,flags;text`, continuation lines start with a space;
 * Documentation/ABI/testing/dev-kmsg).
 *
 * Only records of facility 0 are the kernel's own. What a program writes into /dev/kmsg has another facility, so a
 * program cannot fake an OOM line.
 *
 * @param toWall undefined when the clocks of the node are not known; the times then stay unknown.
 * @param limits what the log must hold; undefined parts are not checked.
 */
export function parseKmsg(
  content: EvidenceText,
  file: string,
  toWall: ToWall | undefined,
  limits: KmsgLimits = {},
): (KernelObservation | Lost)[] {
  const { observations, isInOrder } = parseBoot(content, file, toWall, limits, undefined);
  if (isInOrder) return observations;
  // Logs are long: only one that is out of order is read again, for the boot that counts.
  const own = findOwnBoot(content, limits.end);
  return own === undefined ? observations : parseBoot(content, file, toWall, limits, own).observations;
}

/** What the records of one boot say, and whether their numbers rise all the way. */
function parseBoot(
  content: EvidenceText,
  file: string,
  toWall: ToWall | undefined,
  limits: KmsgLimits,
  own: OwnBoot,
): { readonly observations: (KernelObservation | Lost)[]; readonly isInOrder: boolean } {
  const observations: (KernelObservation | Lost)[] = [];
  const kept = createKeeper();
  const numbers = createGapFinder();
  const broken = createBrokenLines('kmsg', 'a line is not a kernel record', file);
  const order = createOrder('kmsg', 'the kernel log', file);
  if (own === 'mixed')
    observations.push(
      lostOf('kmsg', 'the kernel log has records of several boots, which cannot be told apart', file),
    );
  let cut = false;
  let ended = limits.end === undefined;
  let endMicros: number | undefined;
  for (const line of linesOf(content)) {
    cut = line.cut;
    if (line.cut || line.text.startsWith(' ') || !isOwn(line, own)) continue;
    const record = parseRecord(line, toWall);
    if (record === undefined) {
      broken.add(line);
      continue;
    }
    numbers.add({ seq: record.seq, at: record.at, line: record.line });
    order.add(record);
    if (record.text === limits.end) {
      ended = true;
      endMicros = record.micros;
      const base = baseOf('kmsg', record.at, file, record.line, record.text);
      observations.push({ kind: 'kernel-log-ended', ...base });
    }
    if (record.facility === 0) kept.add(record);
  }
  const first = numbers.first();
  const last = numbers.last();
  if (cut)
    observations.push(lostOf('kmsg', 'the file ends in the middle of a record', file, last?.at, last?.line));
  if (first === undefined) observations.push(lostOf('kmsg', 'there are no kernel records', file));
  else if (first.at !== undefined && limits.from !== undefined && first.at > limits.from) {
    const why = 'the kernel log begins after the cell began: older records were overwritten';
    observations.push({ ...lostOf('kmsg', why, file, limits.from, first.line), until: first.at });
  }
  if (first !== undefined && !ended)
    observations.push(
      toTheEnd(lostOf('kmsg', 'the kernel log was not read to its end', file, last?.at, last?.line)),
    );
  const disorder = order.lost();
  for (const lost of [broken.lost(), disorder, numbers.findGaps('kmsg', file)])
    for (const gap of lost) observations.push(gap);
  const records = kept.inOrder();
  for (const observation of readKernelRecords(records, file)) observations.push(observation);
  const micros = new Map(records.map(({ line, micros: own }) => [line, own]));
  const isInOrder = disorder.length === 0;
  if (toWall !== undefined || endMicros === undefined) return { observations, isInOrder };
  return { observations: dateByEnd(observations, micros, endMicros, limits.endedBetween), isInOrder };
}

/** Whether a line is of the boot that is read; all are where the records are of one boot, or mixed. */
function isOwn({ number }: Line, own: OwnBoot): boolean {
  return own === undefined || own === 'mixed' || (number >= own.from && number <= own.to);
}

/** Dates each record by how long it was before the last one, where the clocks of the node are not known. */
function dateByEnd(
  observations: readonly (KernelObservation | Lost)[],
  micros: ReadonlyMap<number, number>,
  endMicros: number,
  end: KmsgLimits['endedBetween'],
): (KernelObservation | Lost)[] {
  return observations.map((observation) => {
    const own = micros.get(observation.ref.line ?? 0);
    if (observation.kind === 'lost' || own === undefined || end === undefined) return observation;
    const beforeMs = (endMicros - own) / 1000;
    return { ...observation, between: { from: end.from - beforeMs, to: end.to - beforeMs } };
  });
}

const RECORD = /^(\d+),(\d+),(\d+),([^;]*);(.*)$/;

function parseRecord(line: Line, toWall: ToWall | undefined): RawRecord | undefined {
  const found = RECORD.exec(line.text);
  if (found === null) return undefined;
  const [, prefix = '', seq = '', micros = '', flags = '', text = ''] = found;
  return {
    facility: Number(prefix) >> 3,
    seq: Number(seq),
    micros: Number(micros),
    at: toWall?.(Number(micros)),
    line: line.number,
    text,
    // Linux 3.5 to 4.9 mark the first fragment of a line `c` and the others `+`; later ones mark these `c`.
    isFragment: flags.startsWith('+') || (flags.startsWith('c') && text.startsWith(',')),
  };
}

/** Keeps the records of interest. It joins a line that the kernel printed in pieces. */
function createKeeper(): { add: (record: RawRecord) => void; inOrder: () => readonly KernelRecord[] } {
  const kept: KernelRecord[] = [];
  let begun: RawRecord | undefined;
  let text = '';
  let seq = 0;
  const close = (): void => {
    if (begun !== undefined && isOfInterest(text)) kept.push({ ...begun, text });
  };
  return {
    add: (record) => {
      if (begun !== undefined && record.isFragment && record.seq === seq + 1) text += record.text;
      else {
        close();
        begun = record;
        text = record.text;
      }
      seq = record.seq;
    },
    inOrder: () => {
      close();
      begun = undefined;
      return kept.sort((a, b) => a.seq - b.seq);
    },
  };
}
