import type { EvidenceSource, Lost } from '../model/evidence/observation.ts';
import { createBrokenLines, linesOf, type EvidenceText, type Line } from './lines.ts';

/** A file with one record a line. */
interface RecordLines {
  readonly source: EvidenceSource;
  /** What is said of a line that is not such a record. */
  readonly broken: string;
  /** Whether a line without a line break is lost as well; default: it was still being written. */
  readonly isCutLost?: boolean;
}

/**
 * Reads a file line by line, each line by itself.
 *
 * @param toObservation what a line says: undefined when it says nothing, `broken` when it is not a record.
 */
export function parseLines<Said extends object>(
  content: EvidenceText,
  file: string,
  { source, broken, isCutLost = false }: RecordLines,
  toObservation: (line: Line) => Said | 'broken' | undefined,
): (Said | Lost)[] {
  const observations: (Said | Lost)[] = [];
  const brokenLines = createBrokenLines(source, broken, file);
  for (const line of linesOf(content)) {
    const observation = toObservation(line);
    if (observation === undefined) continue;
    if (observation !== 'broken') observations.push(observation);
    else if (!line.cut || isCutLost) brokenLines.add(line);
  }
  return [...observations, ...brokenLines.lost()];
}
