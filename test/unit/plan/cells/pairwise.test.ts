import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AXES, DEFAULT_VARIANT, variantName, type Variant } from '../../../../lab/model/axes/axes.ts';
import { cellAddress } from '../../../../lab/model/host/cell-address.ts';
import type { ParameterTexts } from '../../../../lab/model/declared/parameters.ts';
import type { LoadedScenario } from '../../../../lab/model/declared/scenario.ts';
import type { Candidate } from '../../../../lab/plan/cells/expand-cells.ts';
import { coverPairs } from '../../../../lab/plan/cells/pairwise.ts';
import { planCells } from '../../../../lab/plan/cells/plan-cells.ts';
import { configWith } from '../../project-files.ts';

const config = configWith();

/** Cells as the covering sees them: any strings on four of the axes, and on a parameter of some scenarios. */
const anyCells: fc.Arbitrary<Candidate[]> = fc.array(
  fc
    .tuple(...[4, 3, 3, 2, 4, 3].map((count) => fc.nat({ max: count - 1 })))
    .map(([os = 0, kernel = 0, cgroup = 0, nodes = 0, scenario = 0, limit = 0]) => {
      const variant: Variant = {
        ...DEFAULT_VARIANT,
        os: `os${os}`,
        kernel: `k${kernel}`,
        cgroup: `v${cgroup}`,
        nodes: `${nodes}`,
      };
      // Not every scenario has a parameter.
      return cellOf(variant, `s${scenario}`, scenario < 2 ? {} : { limit: `${limit}Mi` });
    }),
  { minLength: 20, maxLength: 200, size: 'max' },
);

function cellOf(variant: Variant, scenario: string, parameters: ParameterTexts = {}): Candidate {
  const name = variantName(variant);
  const loaded = { scenario: { name: scenario }, parameters } as unknown as LoadedScenario;
  return { address: cellAddress(name, scenario, parameters), name, variant, loaded };
}

/** The pairs of a cell, written out in another way than the code under test does it. */
function pairsOf({ variant, loaded }: Candidate): string[] {
  const values = [
    ...AXES.map((axis) => `${axis}=${variant[axis]}`),
    `scenario=${loaded.scenario.name}`,
    ...Object.entries(loaded.parameters).map(([name, value]) => `${name}=${value}`),
  ];
  return values.flatMap((a) => values.filter((b) => a < b).map((b) => `${a} & ${b}`));
}

const allPairs = (cells: readonly Candidate[]): string[] => [...new Set(cells.flatMap(pairsOf))].sort();

describe('pairwise covering', () => {
  it('has every pair of every candidate, whatever is allowed, and counts them right', () => {
    let most = { pairs: 0, chosen: 0, of: 0 };
    fc.assert(
      fc.property(anyCells, (cells) => {
        const { chosen, pairs, covered } = coverPairs(cells);
        expect(allPairs(chosen)).toEqual(allPairs(cells));
        expect({ pairs, covered }).toEqual({
          pairs: allPairs(cells).length,
          covered: allPairs(cells).length,
        });
        for (const cell of chosen) expect(cells).toContain(cell);
        if (pairs > most.pairs) most = { pairs, chosen: chosen.length, of: cells.length };
      }),
    );
    console.log(`covers ${most.pairs} of ${most.pairs} allowed pairs in ${most.chosen} of ${most.of} cells`);
    expect(most.chosen).toBeLessThan(most.of);
  });

  it('takes no cell that adds nothing', () => {
    fc.assert(
      fc.property(anyCells, (cells) => {
        // Each choice had a pair that no earlier choice has: there are no more choices than pairs, and no copies.
        const { chosen, pairs } = coverPairs(cells);
        expect(chosen.length).toBeLessThanOrEqual(pairs);
        expect(new Set(chosen.map(({ address }) => address)).size).toBe(chosen.length);
      }),
    );
  });

  it('covers with masked cells only what no other cell has', () => {
    fc.assert(
      fc.property(anyCells, (cells) => {
        const isMasked = ({ variant }: Candidate): boolean => variant.os === 'os0';
        const plain = cells.filter((cell) => !isMasked(cell));
        const { chosen } = coverPairs(cells, isMasked);
        expect(allPairs(chosen.filter((cell) => !isMasked(cell)))).toEqual(allPairs(plain));
        expect(allPairs(chosen)).toEqual(allPairs(cells));
      }),
    );
  });

  it('is far smaller than the product', () => {
    const values = ['a', 'b', 'c', 'd', 'e'];
    const cells = values.flatMap((os) =>
      values.flatMap((kernel) =>
        values.flatMap((nodes) => values.map((s) => cellOf({ ...DEFAULT_VARIANT, os, kernel, nodes }, s))),
      ),
    );
    // 25 is the least that any method can do with four columns of five values.
    expect(cells).toHaveLength(625);
    expect(coverPairs(cells).chosen.length).toBeLessThanOrEqual(40);
  });

  it('covers the real matrix under its rules, and leaves the rules alone', () => {
    const words = ['os=*', 'kubernetes=*', 'kernel=*', 'cgroup=*', 'drivers=*', 'tag=control', 'plain-exit'];
    const [all, few] = [planCells(config, words), planCells(config, words, { pairwise: true })];
    expect(few.pairwise?.covered).toBe(few.pairwise?.pairs);
    expect(few.pairwise?.of).toBe(all.cells.length);
    expect(few.cells.length).toBeLessThan(all.cells.length / 5);
    expect(few.skipped).toEqual(all.skipped);
    const runnable = new Set(all.cells.map(({ address }) => address));
    for (const { address } of few.cells) expect(runnable).toContain(address);
    console.log(
      `covers ${few.pairwise?.covered} of ${few.pairwise?.pairs} allowed pairs in ${few.cells.length} of ${all.cells.length} cells`,
    );
  });
});
