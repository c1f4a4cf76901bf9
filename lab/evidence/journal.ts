import type { EvidenceSource, Lost } from '../model/observation.ts';
import {
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
  /** Name of the program that wrote it, as the journal knows it; empty when it does not. */
  readonly by: string;
  readonly line: number;
}

/** Reads the lines of `journalctl -o json`, one after the other; `onLost` gets the broken ones. */
export function* readJournal(
  content: EvidenceText,
  file: string,
  source: EvidenceSource,
  onLost: (lost: Lost) => void,
  onCovered: OnCovered = ignoreCovered,
): Generator<JournalEntry> {
  const span = createSpan();
  for (const line of linesOf(content)) {
    const fields = parseObject(line.text);
    if (fields === undefined) {
      onLost(lostOf(source, 'a line is not a journal entry', file, undefined, line.number));
      continue;
    }
    const micros = Number(fields.__REALTIME_TIMESTAMP);
    const at = Number.isFinite(micros) ? micros / 1000 : undefined;
    span.add(at);
    yield {
      at,
      message: messageOf(fields.MESSAGE),
      by: stringOf(fields._COMM) ?? stringOf(fields.SYSLOG_IDENTIFIER) ?? '',
      line: line.number,
    };
  }
  onCovered(span.covered(source, file));
}

/** A message with bytes that are no text is an array of numbers in the journal's JSON. */
function messageOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((each) => Number.isInteger(each))) {
    return Buffer.from(value as number[]).toString('utf8');
  }
  return '';
}
