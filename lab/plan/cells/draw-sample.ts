import { createHash } from 'node:crypto';

/** How a random sample was drawn. */
export interface Sample {
  /** How many cells it was drawn from. */
  readonly of: number;
  /** The same seed draws the same cells. */
  readonly seed: string;
}

/**
 * Draws `size` cells at random, without putting one back, and keeps them in the order in which they came. A cell's lot is
 * the digest of seed and address. So the lot is the same on every host, nobody can choose it, and a larger sample of the
 * same seed contains the smaller one.
 */
export function drawSample<T extends { readonly address: string }>(
  cells: readonly T[],
  size: number,
  seed: string,
): T[] {
  const lots = cells.map((cell) => ({ cell, lot: drawLot(seed, cell.address) }));
  lots.sort((one, other) => (one.lot < other.lot ? -1 : one.lot > other.lot ? 1 : 0));
  const drawn = new Set(lots.slice(0, size).map(({ cell }) => cell));
  return cells.filter((cell) => drawn.has(cell));
}

function drawLot(seed: string, address: string): string {
  return createHash('sha256').update(`sample\n${seed}\n${address}`).digest('hex');
}
