import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/**
 * Calls back for each line of a stream as soon as it is whole, however the bytes are cut into chunks. The last line
 * counts also without a newline.
 */
export function readStreamLines(stream: Readable, onLine: (line: string) => void): void {
  createInterface({ input: stream, crlfDelay: Infinity }).on('line', onLine);
}
