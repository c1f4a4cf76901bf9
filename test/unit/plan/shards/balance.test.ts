import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  balance,
  idealSeconds,
  type Balancing,
  type WorldWork,
} from '../../../../lab/plan/shards/balance.ts';

interface Cell {
  readonly name: string;
  readonly seconds: number;
}

const worldsOf = (cells: readonly (readonly number[])[], built = 100): WorldWork<Cell>[] =>
  cells.map((seconds, world) => ({
    name: `w${world}`,
    image: `i${world % 3}`,
    ...(world % 2 === 1 ? { parent: `w${world - 1}` } : {}),
    builtSeconds: built,
    derivedSeconds: built / 2,
    cells: seconds.map((length, cell) => ({ name: `w${world}/c${cell}`, seconds: length })),
  }));
const balancing = (shards: number): Balancing<Cell> => ({
  shards,
  secondsOf: ({ seconds }) => seconds,
  imageSeconds: 30,
});

describe('dividing worlds among shards', () => {
  it('runs every cell once, whatever the cells, the times and the number of shards', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.integer({ min: 0, max: 600 }), { minLength: 1, maxLength: 30 }), {
          maxLength: 20,
        }),
        fc.integer({ min: 1, max: 40 }),
        (times, shards) => {
          const worlds = worldsOf(times);
          const division = balance(worlds, balancing(shards));
          const names = division.shards.flatMap((pieces) => pieces.flatMap((piece) => piece.cells));
          expect(names.map(({ name }) => name).sort()).toEqual(
            worlds.flatMap(({ cells }) => cells.map(({ name }) => name)).sort(),
          );
          expect(division.shards).toHaveLength(shards);
          expect(division.longestSeconds).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });

  it('keeps the order of the cells of a world', () => {
    const [pieces = []] = balance(worldsOf([[5, 500, 7, 300]]), balancing(1)).shards;
    expect(pieces.flatMap((piece) => piece.cells.map(({ seconds }) => seconds))).toEqual([5, 500, 7, 300]);
  });

  it('splits a world that is longer than a shard, and only such a one', () => {
    const worlds = worldsOf([Array.from({ length: 40 }, () => 60), [60], [60]]);
    const { shards, longestSeconds } = balance(worlds, balancing(4));
    const partsOf = (name: string): number =>
      shards.filter((pieces) => pieces.some(({ world }) => world.name === name)).length;
    expect(partsOf('w0')).toBeGreaterThan(1);
    expect([partsOf('w1'), partsOf('w2')]).toEqual([1, 1]);
    expect(longestSeconds / idealSeconds(worlds, balancing(4))).toBeLessThan(1.3);
  });

  it('brings worlds of one image together', () => {
    const worlds = worldsOf(Array.from({ length: 6 }, () => [100])).map((world) => ({
      ...world,
      parent: undefined,
    }));
    const { shards } = balance(worlds, balancing(3));
    expect(shards.map((pieces) => new Set(pieces.map(({ world }) => world.image)).size)).toEqual([1, 1, 1]);
  });
});
