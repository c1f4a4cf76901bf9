import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlannedCell } from '../../../../lab/plan/cells/plan-cells.ts';
import { queueForLanes, queueInOrder, type CellQueue } from '../../../../lab/world/run/cell-queue.ts';

const cellOf = (address: string, estimateSeconds: number, brings = false): PlannedCell =>
  ({
    address,
    estimateSeconds,
    loaded: { scenario: { images: brings ? [{ component: 'x' }] : [] } },
  }) as unknown as PlannedCell;

const cellsOf = (seconds: readonly number[]): PlannedCell[] =>
  seconds.map((estimate, index) => cellOf(`default/${index}`, estimate));

const namesOf = (cells: readonly (PlannedCell | undefined)[]): (string | undefined)[] =>
  cells.map((cell) => cell?.address);

/** Lets lanes take cells by turns that `choices` draw. A lane that `dies` leaves as soon as it has taken so many. */
function spread(
  queue: CellQueue,
  lanes: number,
  choices: readonly number[],
  dies: ReadonlyMap<number, number>,
): { taken: PlannedCell[][]; ends: string[] } {
  const taken: PlannedCell[][] = Array.from({ length: lanes }, () => []);
  const ends: string[] = [];
  const open = new Set(taken.keys());
  for (let turn = 0; open.size > 0; turn += 1) {
    const lane = [...open][(choices[turn % choices.length] ?? 0) % open.size] ?? 0;
    const own = taken[lane] ?? [];
    if (own.length >= (dies.get(lane) ?? Infinity) && queue.leave() === 'left') {
      open.delete(lane);
      ends.push('left');
      continue;
    }
    const cell = queue.take();
    if (cell === undefined) open.delete(lane);
    else own.push(cell);
  }
  return { taken, ends };
}

describe('the cells that lanes share', () => {
  it('are all taken, none twice, whatever the lanes do and whichever die', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(300), { maxLength: 40 }),
        fc.integer({ min: 1, max: 6 }),
        fc.array(fc.nat(50), { minLength: 1, maxLength: 30 }),
        fc.array(fc.tuple(fc.nat(5), fc.nat(4)), { maxLength: 6 }),
        (seconds, lanes, choices, deaths) => {
          const cells = cellsOf(seconds);
          const { taken, ends } = spread(queueForLanes(cells, lanes), lanes, choices, new Map(deaths));
          expect(namesOf(taken.flat()).sort()).toEqual(namesOf(cells).sort());
          expect(ends.length).toBeLessThan(lanes);
        },
      ),
    );
  });

  it('are taken longest first, equal ones in their order', () => {
    const queue = queueForLanes(cellsOf([10, 40, 20, 40]), 2);
    expect(namesOf(queue.left())).toEqual(['default/1', 'default/3', 'default/2', 'default/0']);
  });

  it('are in their own order where the world runs them itself, and the next one is known', () => {
    const cells = [cellOf('a', 1), cellOf('b', 9), cellOf('c', 5, true)];
    const queue = queueInOrder(cells);
    expect(namesOf([queue.take(), queue.peek(), queue.take(), queue.peek()])).toEqual(['a', 'b', 'b', 'c']);
    expect(queue.leave()).toBe('last');
  });

  it('let no world be set back early while one that brings images is left: it may be the next', () => {
    const queue = queueForLanes([cellOf('a', 9), cellOf('b', 5), cellOf('c', 1, true)], 2);
    expect(namesOf([queue.take(), queue.peek(), queue.take(), queue.peek()])).toEqual(['a', 'c', 'b', 'c']);
  });

  it('are given up only by the last lane', () => {
    const queue = queueForLanes(cellsOf([1, 2, 3]), 3);
    expect([queue.leave(), queue.leave(), queue.leave(), queue.leave()]).toEqual([
      'left',
      'left',
      'last',
      'last',
    ]);
    expect(queue.takeAll()).toHaveLength(3);
    expect(queue.take()).toBeUndefined();
  });
});
