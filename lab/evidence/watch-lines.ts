import type { EvidenceSource, Lost } from '../model/observation.ts';
import { isObject, lostOf, parseObject, splitLines, stringOf, timeOf } from './lines.ts';

/** One line written by an API watch: `{at, type, object}`. */
export interface WatchLine {
  readonly at: number | undefined;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Record<string, unknown>;
  readonly line: number;
}

/** Reads the lines of an API watch; broken ones become lost evidence, bookmarks are left out. */
export function parseWatchLines(
  content: string,
  file: string,
  source: EvidenceSource,
): { lines: WatchLine[]; lost: Lost[] } {
  const found: WatchLine[] = [];
  const lost: Lost[] = [];
  for (const line of splitLines(content).lines) {
    const fields = parseObject(line.text);
    const type = stringOf(fields?.type);
    if (fields === undefined || !isObject(fields.object)) {
      lost.push(lostOf(source, 'a line is not a watch event', file, undefined, line.number));
    } else if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') {
      found.push({ at: timeOf(fields.at), type, object: fields.object, line: line.number });
    }
  }
  return { lines: found, lost };
}
