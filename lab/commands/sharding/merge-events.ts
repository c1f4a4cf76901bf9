import { findTextInside } from '../../drivers/files/inside.ts';
import { writeDraftText } from '../../drivers/files/link-folder.ts';
import { runPaths } from '../../model/host/paths.ts';
import type { PartFolder } from './find-parts.ts';

/** The most bytes of events in one part. Those of a thousand cells have some MB. */
const MAX_EVENTS_BYTES = 400 * 1024 * 1024;
/** The time at the beginning of an event. */
const AT = /^\{"at":"([^"]*)"/;

/** Writes the events of all parts in the order of time, each once. A line that a crash has cut short is kept as it is. */
export function mergeEvents(parts: readonly PartFolder[], file: string): void {
  const lines = new Set<string>();
  for (const { dir } of parts) {
    const text = findTextInside(dir, runPaths(dir).events, MAX_EVENTS_BYTES) ?? '';
    for (const line of text.split('\n')) if (line !== '') lines.add(line);
  }
  const sorted = [...lines].sort((a, b) => compare(timeOf(a), timeOf(b)) || compare(a, b));
  writeDraftText(file, sorted.map((line) => `${line}\n`).join(''));
}

function timeOf(line: string): string {
  return AT.exec(line)?.[1] ?? '';
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
