import type { EvidenceSource, Lost } from '../model/evidence/observation.ts';
import {
  createSpan,
  isObject,
  linesOf,
  lostOf,
  parseObject,
  stringOf,
  timeOf,
  type EvidenceText,
  ignoreCovered,
  type OnCovered,
} from './lines.ts';

/** One line written by an API watch: `{at, type, object}`. */
export interface WatchLine {
  readonly at: number | undefined;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Record<string, unknown>;
  readonly line: number;
}

/** Reads the lines of an API watch, without bookmarks. Broken lines go to `onLost`. */
export function* readWatchLines(
  content: EvidenceText,
  file: string,
  source: EvidenceSource,
  onLost: (lost: Lost) => void,
  onCovered: OnCovered = ignoreCovered,
): Generator<WatchLine> {
  const span = createSpan();
  for (const line of linesOf(content)) {
    const fields = parseObject(line.text);
    const type = stringOf(fields?.type);
    if (fields === undefined || !isObject(fields.object)) {
      onLost(lostOf(source, 'a line is not a watch event', file, undefined, line.number));
    } else if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') {
      const at = timeOf(fields.at);
      span.add(at);
      yield { at, type, object: fields.object, line: line.number };
    }
  }
  onCovered(span.covered(source, file));
}
