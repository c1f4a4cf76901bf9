import { compareText } from '../../model/text/compare-text.ts';
import { drawLot } from './draw-lot.ts';

/** How a random sample was drawn. */
export interface Sample {
  /** How many cells it was drawn from. */
  readonly of: number;
  /** The same seed draws the same cells. */
  readonly seed: string;
}

/**
 * Draws `size` cells at random, without putting one back, and keeps them in the order in which they came. A larger
 * sample of the same seed contains the smaller one.
 */
export function drawSample<T extends { readonly address: string }>(
  cells: readonly T[],
  size: number,
  seed: string,
): T[] {
  const lots = cells.map((cell) => ({ cell, lot: drawLot(`sample\n${seed}`, cell.address) }));
  lots.sort((one, other) => compareText(one.lot, other.lot));
  const drawn = new Set(lots.slice(0, size).map(({ cell }) => cell));
  return cells.filter((cell) => drawn.has(cell));
}
