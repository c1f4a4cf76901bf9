import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupBy } from '../../../../lab/model/text/group-by.ts';
import { sum } from '../../../../lab/model/text/sum.ts';
import { drawSample } from '../../../../lab/plan/cells/draw-sample.ts';

const cells = Array.from({ length: 400 }, (_, index) => ({
  name: `world-${index % 20}`,
  address: `world-${index % 20}/scenario-${index}`,
}));
const draw = (from: readonly (typeof cells)[number][], size: number, seed: string): typeof cells =>
  drawSample(from, { size, seed }).drawn;
const names = (drawn: readonly { address: string }[]): string[] => drawn.map(({ address }) => address);

describe('a random sample', () => {
  it('has as many cells as were asked for, none twice, in the order in which they came', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat({ max: 500 }), (seed, size) => {
        const drawn = draw(cells, size, seed);
        expect(drawn).toHaveLength(Math.min(size, cells.length));
        const places = drawn.map((cell) => cells.indexOf(cell));
        expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
      }),
    );
  });

  it('is the same for the same seed, whatever the order of the cells, and grows with its size', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat({ max: 200 }), fc.nat({ max: 200 }), (seed, size, more) => {
        const drawn = new Set(names(draw(cells, size, seed)));
        expect(new Set(names(draw([...cells].reverse(), size, seed)))).toEqual(drawn);
        const larger = new Set(names(draw(cells, size + more, seed)));
        for (const address of drawn) expect(larger).toContain(address);
      }),
    );
  });

  it('draws every cell about as often: over 2,000 seeds none is far from its share', () => {
    const times = new Map<string, number>();
    for (let seed = 0; seed < 2000; seed++)
      for (const { address } of draw(cells.slice(0, 40), 10, String(seed)))
        times.set(address, (times.get(address) ?? 0) + 1);
    // 500 expected; the standard deviation is 19.4.
    expect(Math.min(...times.values())).toBeGreaterThan(500 - 5 * 19.4);
    expect(Math.max(...times.values())).toBeLessThan(500 + 5 * 19.4);
  });
});

describe('a random sample that draws worlds first', () => {
  const drawWorlds = (size: number, worlds: number, seed: string, from = cells): typeof cells =>
    drawSample(from, { size, worlds, seed }).drawn;
  const countByWorld = (drawn: typeof cells): number[] =>
    [...groupBy(drawn, ({ name }) => name).values()].map(({ length }) => length);

  it('has as many cells of each of its worlds as of any other, one more or less', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.integer({ min: 1, max: 20 }),
        fc.nat({ max: 100 }),
        (seed, worlds, size) => {
          const counts = countByWorld(drawWorlds(size, worlds, seed));
          expect(sum(counts)).toBe(Math.min(size, worlds * 20));
          expect(counts).toHaveLength(Math.min(worlds, size));
          expect(Math.max(0, ...counts) - Math.min(...counts, Math.max(0, ...counts))).toBeLessThanOrEqual(1);
        },
      ),
    );
  });

  it('grows with its size, and with its worlds where each gives as many', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 10 }), fc.nat({ max: 20 }), (seed, worlds, each) => {
        const drawn = names(drawWorlds(worlds * each, worlds, seed));
        expect(names(drawWorlds(worlds * each + 7, worlds, seed))).toEqual(expect.arrayContaining(drawn));
        expect(names(drawWorlds(2 * worlds * each, 2 * worlds, seed))).toEqual(expect.arrayContaining(drawn));
      }),
    );
  });

  it('takes more from the others where a world has few cells, and says from how many worlds it drew', () => {
    const few = [...cells.slice(0, 3), ...cells.filter(({ name }) => name === 'world-5')];
    const { drawn, sample } = drawSample(few, { size: 10, worlds: 4, seed: '1' });
    expect(countByWorld(drawn)).toEqual([1, 1, 1, 7]);
    expect(sample).toEqual({ of: 23, ofWorlds: 4, seed: '1' });
  });

  it('draws every world about as often: over 2,000 seeds none is far from its share', () => {
    const times = new Map<string, number>();
    for (let seed = 0; seed < 2000; seed++)
      for (const { name } of drawWorlds(5, 5, String(seed), cells.slice(0, 40)))
        times.set(name, (times.get(name) ?? 0) + 1);
    // 500 expected; the standard deviation is 19.4.
    expect(Math.min(...times.values())).toBeGreaterThan(500 - 5 * 19.4);
    expect(Math.max(...times.values())).toBeLessThan(500 + 5 * 19.4);
  });
});
