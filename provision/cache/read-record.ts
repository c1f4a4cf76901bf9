import { existsSync, readFileSync } from 'node:fs';

/**
 * Reads the record of a cache entry, whose shape the caller checks; undefined when there is none. One cut short by a
 * full disk is none: the entry is made again.
 */
export function readRecord(path: string): unknown {
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
