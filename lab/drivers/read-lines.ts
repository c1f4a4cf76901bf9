import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/**
 * Calls back for each line that a stream carries, as it comes, however its bytes are cut into chunks; the last one also
 * when no newline ends it.
 */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  createInterface({ input: stream, crlfDelay: Infinity }).on('line', onLine);
}
