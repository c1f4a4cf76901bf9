import { createHash } from 'node:crypto';

/** The lot of a text under a seed, 64 hex digits: the same on every host, and nobody can choose it. */
export function drawLot(seed: string, text: string): string {
  return createHash('sha256').update(`${seed}\n${text}`).digest('hex');
}
