import { AXES, DEFAULT_VARIANT, type Variant } from '../../model/axes/axes.ts';
import { drawLot } from './draw-lot.ts';
import type { Candidate } from './expand-cells.ts';
import { compareText } from '../../model/text/compare-text.ts';

/** What decides the order of a plan. */
export interface Ordering {
  /** Shuffles worlds of the same cost, and the cells of a world. The same seed means the same order. */
  readonly seed?: string | undefined;
  /** Names of worlds that are saved on this host and come back in seconds. */
  readonly savedWorlds: ReadonlySet<string>;
}

/**
 * Orders cells: those of one world follow each other, so that each world comes up once; saved worlds first, then the
 * default one, then the others. Without a seed worlds nearest to the default come first (they share most of the
 * cache), and names decide the rest. The place of a cell under a seed does not depend on what else is selected.
 */
export function orderCells<T extends Candidate>(cells: readonly T[], ordering: Ordering): T[] {
  const worlds = new Map<string, T[]>();
  for (const cell of cells) {
    const others = worlds.get(cell.name);
    if (others === undefined) worlds.set(cell.name, [cell]);
    else others.push(cell);
  }
  const keyOf = (text: string): string => (ordering.seed === undefined ? text : drawLot(ordering.seed, text));
  const ranked = [...worlds].map(([name, members]) => ({
    rank: ordering.savedWorlds.has(name) ? 0 : name === 'default' ? 1 : 2,
    changes: ordering.seed === undefined ? countChanges(members[0]?.variant ?? DEFAULT_VARIANT) : 0,
    key: keyOf(name),
    members: members
      .map((cell) => ({ cell, key: keyOf(cell.address) }))
      .sort((a, b) => compareText(a.key, b.key)),
  }));
  ranked.sort((a, b) => a.rank - b.rank || a.changes - b.changes || compareText(a.key, b.key));
  return ranked.flatMap(({ members }) => members.map(({ cell }) => cell));
}

/** How many axes of a variant are not at their default. */
export function countChanges(variant: Variant): number {
  return AXES.filter((axis) => variant[axis] !== DEFAULT_VARIANT[axis]).length;
}
