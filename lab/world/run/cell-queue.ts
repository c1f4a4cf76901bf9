import type { PlannedCell } from '../../plan/cells/plan-cells.ts';
import { bringsImages } from './judge-attempt.ts';

/** The cells of one world, and who takes them. */
export interface CellQueue {
  /** Takes the next cell; undefined when none is left. */
  take(): PlannedCell | undefined;
  /** Takes all that are left. */
  takeAll(): PlannedCell[];
  /** The cells that nobody has taken. */
  left(): readonly PlannedCell[];
  /** What is to be known now of the cell that comes next: whether the world may be set back for it before it is taken. */
  peek(): PlannedCell | undefined;
  /**
   * A lane that can run no cell leaves, so that the others get what it would have taken. The last one may not: somebody has
   * to say of each cell what became of it.
   */
  leave(): 'left' | 'last';
}

/** The cells of a world that runs them itself, in their order. */
export function queueInOrder(cells: readonly PlannedCell[]): CellQueue {
  return createQueue(cells, 1, ([first]) => first);
}

/**
 * The cells that lanes of one world share. The longest comes first, so that no lane begins a long one when the others are
 * done: at most a third more than the best order takes (Graham 1969).
 *
 * @param lanes how many take from it.
 */
export function queueForLanes(cells: readonly PlannedCell[], lanes: number): CellQueue {
  const longestFirst = cells.toSorted((a, b) => b.estimateSeconds - a.estimateSeconds);
  // Another lane may take the first one meanwhile: no world is set back early while any cell has to wait for its images.
  return createQueue(
    longestFirst,
    lanes,
    (left) => left.find(({ loaded }) => bringsImages(loaded.scenario)) ?? left[0],
  );
}

function createQueue(
  cells: readonly PlannedCell[],
  lanes: number,
  choose: (left: readonly PlannedCell[]) => PlannedCell | undefined,
): CellQueue {
  const left = [...cells];
  let open = lanes;
  return {
    take: () => left.shift(),
    takeAll: () => left.splice(0),
    left: () => left,
    peek: () => choose(left),
    leave: () => {
      if (open === 1) return 'last';
      open -= 1;
      return 'left';
    },
  };
}
