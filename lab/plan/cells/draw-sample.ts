import { compareText } from '../../model/text/compare-text.ts';
import { groupBy } from '../../model/text/group-by.ts';
import { drawLot } from './draw-lot.ts';

/** What of the cells to draw. */
export interface SampleRequest {
  /** How many cells. */
  readonly size: number;
  /** From how many worlds, which are drawn first. Absent: from all. */
  readonly worlds?: number;
  /** The same seed draws the same worlds and cells. */
  readonly seed: string;
}

/** How a random sample was drawn. */
export interface Sample {
  /** How many cells it was drawn from. */
  readonly of: number;
  /** How many worlds these have, if worlds were drawn first. */
  readonly ofWorlds?: number;
  /** The same seed draws the same cells. */
  readonly seed: string;
}

interface DrawnCell {
  readonly address: string;
  /** Name of its variant. */
  readonly name: string;
}

/**
 * Draws `size` cells at random, without putting one back, and keeps them in the order in which they came. With `worlds` it
 * draws so many worlds first, and from each as many cells as from any other, as far as it has them: a world costs more than a
 * cell. A larger sample of the same seed and worlds contains the smaller one.
 */
export function drawSample<T extends DrawnCell>(
  cells: readonly T[],
  { size, worlds, seed }: SampleRequest,
): { readonly drawn: T[]; readonly sample: Sample } {
  const lotted = orderByLot(cells, (cell) => drawLot(`sample\n${seed}`, cell.address));
  const rounds =
    worlds === undefined
      ? undefined
      : drawRounds(lotted, (name) => drawLot(`sample worlds\n${seed}`, name), worlds);
  const drawn = new Set((rounds ?? lotted).slice(0, size));
  return {
    drawn: cells.filter((cell) => drawn.has(cell)),
    sample: {
      of: cells.length,
      ...(rounds === undefined ? {} : { ofWorlds: new Set(cells.map(({ name }) => name)).size }),
      seed,
    },
  };
}

/** The cells of `worlds` worlds in rounds: the first of each world, then the second of each, and so on. */
function drawRounds<T extends DrawnCell>(
  cells: readonly T[],
  lotOf: (name: string) => string,
  worlds: number,
): T[] {
  const byWorld = groupBy(cells, ({ name }) => name);
  const drawn = orderByLot([...byWorld.keys()], lotOf).slice(0, worlds);
  const ranked = drawn.flatMap((name) => (byWorld.get(name) ?? []).map((cell, round) => ({ cell, round })));
  return ranked.sort((one, other) => one.round - other.round).map(({ cell }) => cell);
}

function orderByLot<T>(items: readonly T[], lotOf: (item: T) => string): T[] {
  return items
    .map((item) => ({ item, lot: lotOf(item) }))
    .sort((one, other) => compareText(one.lot, other.lot))
    .map(({ item }) => item);
}
