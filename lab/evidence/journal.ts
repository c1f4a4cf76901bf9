import type { EvidenceSource, Lost } from '../model/evidence/observation.ts';
import {
  createBrokenLines,
  createSpan,
  ignoreCovered,
  linesOf,
  lostOf,
  parseObject,
  stringOf,
  type EvidenceText,
  type OnCovered,
} from './lines.ts';

/** One entry of `journalctl -o json`. */
export interface JournalEntry {
  /** Milliseconds since the epoch. */
  readonly at: number | undefined;
  readonly message: string;
  /** Name of the program that wrote it; empty when the journal does not know it. */
  readonly by: string;
  readonly line: number;
}

/** The times of an entry. */
export interface EntryTimes {
  /** The time by the wall clock, milliseconds since the epoch. */
  readonly at: number | undefined;
  /** The time by the monotonic clock of the boot; older captures lack it. */
  readonly monoMicros: number | undefined;
  /** 32 hexadecimal digits; empty when older captures lack it. */
  readonly bootId: string;
}

/** Tells when an entry was written, milliseconds since the epoch. */
export type DateEntry = (times: EntryTimes) => number | undefined;

/** What the reader of a journal needs in addition to the journal, and who receives what it covers. */
export interface JournalContext {
  readonly onCovered: OnCovered;
  readonly dateEntry: DateEntry;
}

/** The context of a reader that has only one journal. */
export const ALONE: JournalContext = { onCovered: ignoreCovered, dateEntry: ({ at }) => at };

/**
 * journald drops what a unit writes too fast, and logs that as the unit (server_dispatch_message of journald-server.c).
 */
const SUPPRESSED = /^Suppressed \d+ messages from /;
const JOURNALD = 'systemd-journal';

/** Reads the lines of `journalctl -o json`, one after the other; `onLost` gets the broken ones, and what journald dropped. */
export function* readJournal(
  content: EvidenceText,
  file: string,
  source: EvidenceSource,
  onLost: (lost: Lost) => void,
  { onCovered, dateEntry }: JournalContext = ALONE,
): Generator<JournalEntry> {
  const span = createSpan();
  const broken = createBrokenLines(source, 'a line is not a journal entry', file);
  let before: number | undefined;
  for (const line of linesOf(content)) {
    const fields = parseObject(line.text);
    if (fields === undefined) {
      broken.add(line);
      continue;
    }
    const at = dateEntry({
      at: microsIn(fields.__REALTIME_TIMESTAMP, 1000),
      monoMicros: microsIn(fields.__MONOTONIC_TIMESTAMP),
      bootId: stringOf(fields._BOOT_ID) ?? '',
    });
    span.add(at);
    const message = messageOf(fields.MESSAGE);
    const by = stringOf(fields._COMM) ?? stringOf(fields.SYSLOG_IDENTIFIER) ?? '';
    if (by.startsWith(JOURNALD) && SUPPRESSED.test(message)) {
      onLost({ ...lostOf(source, `journald: ${message}`, file, before ?? at, line.number), until: at });
    } else yield { at, message, by, line: line.number };
    before = at;
  }
  for (const lost of broken.lost()) onLost(lost);
  onCovered(span.covered(source, file));
}

/** The journal prints times as text. */
function microsIn(value: unknown, per = 1): number | undefined {
  const micros = value === undefined ? Number.NaN : Number(value);
  return Number.isFinite(micros) ? micros / per : undefined;
}

/** The journal's JSON has a message with other bytes than text as an array of numbers. */
export function messageOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((byte) => Number.isInteger(byte))) {
    return Buffer.from(value as number[]).toString('utf8');
  }
  return '';
}
