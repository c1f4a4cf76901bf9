import type { EvidenceSource, Lost } from '../model/observation.ts';
import { lostOf, parseObject, splitLines } from './lines.ts';

/** One entry of `journalctl -o json`. */
export interface JournalEntry {
  /** Milliseconds since the epoch. */
  readonly at: number | undefined;
  readonly message: string;
  readonly line: number;
}

/** Reads the lines of `journalctl -o json`. A message with bytes that are no text is an array of numbers there. */
export function parseJournal(
  content: string,
  file: string,
  source: EvidenceSource,
): { entries: JournalEntry[]; lost: Lost[] } {
  const entries: JournalEntry[] = [];
  const lost: Lost[] = [];
  for (const line of splitLines(content).lines) {
    const fields = parseObject(line.text);
    if (fields === undefined) {
      lost.push(lostOf(source, 'a line is not a journal entry', file, undefined, line.number));
      continue;
    }
    const micros = Number(fields.__REALTIME_TIMESTAMP);
    entries.push({
      at: Number.isFinite(micros) ? micros / 1000 : undefined,
      message: messageOf(fields.MESSAGE),
      line: line.number,
    });
  }
  return { entries, lost };
}

function messageOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((each) => Number.isInteger(each))) {
    return Buffer.from(value as number[]).toString('utf8');
  }
  return '';
}
