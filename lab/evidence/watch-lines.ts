import { isObject } from '../model/files/parse-json.ts';
import type { EvidenceSource, Lost } from '../model/evidence/observation.ts';
import {
  createSpan,
  parseObject,
  stringOf,
  timeOf,
  type EvidenceText,
  ignoreCovered,
  type OnCovered,
} from './lines.ts';
import { parseLines } from './parse-lines.ts';

/** One line written by an API watch: `{at, type, object}`. */
export interface WatchLine {
  readonly at: number | undefined;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Record<string, unknown>;
  readonly line: number;
}

/**
 * Reads what an API watch delivered, without bookmarks. A broken line is a loss.
 *
 * @param toObservation what a line says; undefined when it says nothing.
 */
export function parseWatch<Seen extends object>(
  content: EvidenceText,
  file: string,
  source: EvidenceSource,
  toObservation: (line: WatchLine) => Seen | undefined,
  onCovered: OnCovered = ignoreCovered,
): (Seen | Lost)[] {
  const span = createSpan();
  const observations = parseLines(
    content,
    file,
    { source, broken: 'a line is not a watch event', isCutLost: true },
    (line) => {
      const fields = parseObject(line.text);
      const type = stringOf(fields?.type);
      if (fields === undefined || !isObject(fields.object)) return 'broken';
      if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') return undefined;
      const at = timeOf(fields.at);
      span.add(at);
      return toObservation({ at, type, object: fields.object, line: line.number });
    },
  );
  onCovered(span.covered(source, file));
  return observations;
}
