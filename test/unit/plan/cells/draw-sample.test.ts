import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawSample } from '../../../../lab/plan/cells/draw-sample.ts';

const cells = Array.from({ length: 400 }, (_, index) => ({
  address: `world-${index % 20}/scenario-${index}`,
}));
const names = (drawn: readonly { address: string }[]): string[] => drawn.map(({ address }) => address);

describe('a random sample', () => {
  it('has as many cells as were asked for, none twice, in the order in which they came', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat({ max: 500 }), (seed, size) => {
        const drawn = drawSample(cells, size, seed);
        expect(drawn).toHaveLength(Math.min(size, cells.length));
        const places = drawn.map((cell) => cells.indexOf(cell));
        expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
      }),
    );
  });

  it('is the same for the same seed, whatever the order of the cells, and grows with its size', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat({ max: 200 }), fc.nat({ max: 200 }), (seed, size, more) => {
        const drawn = new Set(names(drawSample(cells, size, seed)));
        expect(new Set(names(drawSample([...cells].reverse(), size, seed)))).toEqual(drawn);
        const larger = new Set(names(drawSample(cells, size + more, seed)));
        for (const address of drawn) expect(larger).toContain(address);
      }),
    );
  });

  it('draws every cell about as often: over 2,000 seeds none is far from its share', () => {
    const times = new Map<string, number>();
    for (let seed = 0; seed < 2000; seed++)
      for (const { address } of drawSample(cells.slice(0, 40), 10, String(seed)))
        times.set(address, (times.get(address) ?? 0) + 1);
    // 500 expected; the standard deviation is 19.4.
    expect(Math.min(...times.values())).toBeGreaterThan(500 - 5 * 19.4);
    expect(Math.max(...times.values())).toBeLessThan(500 + 5 * 19.4);
  });
});
