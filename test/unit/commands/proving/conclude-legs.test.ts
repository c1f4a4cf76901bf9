import { describe, expect, it } from 'vitest';
import { concludeInvestigation } from '../../../../lab/commands/proving/conclude-legs.ts';
import type { Investigation, LegKind } from '../../../../lab/model/saved/investigate.ts';
import type { CellResult } from '../../../../lab/model/saved/formats.ts';
import { renderInvestigated } from '../../../../lab/report/terminal/render-investigation.ts';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';

const ADDRESS = 'default/plain-exit';
const KINDS: readonly LegKind[] = ['alone', 'world', 'versions', 'scenario'];
const legAddress = (kind: LegKind): string => `${ADDRESS}-${kind}`;

function cellOf(address: string, verdict: CellResult['verdict']): CellResult {
  return {
    address,
    variant: { ...DEFAULT_VARIANT },
    scenario: 'plain-exit',
    verdict,
    expected: {},
    attribution: { killer: 'self-exit', victim: '', confidence: 'none', because: [] },
    claims: [],
    mismatches: [],
    timings: { restoreMs: 1, deployMs: 1, verdictMs: 1, totalMs: 3 },
    evidence: '',
  };
}

/** Concludes of runs of each leg; a leg without runs is left out. */
function conclude(
  told: Partial<Record<LegKind, readonly CellResult['verdict'][]>>,
  isRated = false,
): ReturnType<typeof concludeInvestigation> {
  const legs: Investigation['legs'] = KINDS.map((kind) => {
    if (told[kind] === undefined) return { kind, changes: [], leftOut: 'no saved run has it as passed' };
    return { kind, changes: [], address: legAddress(kind), ...(isRated && { isRated: true as const }) };
  });
  const runs = KINDS.flatMap((kind) =>
    (told[kind] ?? []).map((verdict) => cellOf(legAddress(kind), verdict)),
  );
  return concludeInvestigation(
    { address: ADDRESS, legs, estimateSeconds: 1 },
    // Cells of other investigations are in the same run.
    {
      cells: isRated ? runs : [],
      trials: [...runs, cellOf('default/other-alone', 'passed')].map((cell) => ({ cell })),
    },
  );
}

describe('what saved legs say of a failure', () => {
  it.each<[Parameters<typeof conclude>[0], string | undefined]>([
    [{ alone: ['failed', 'failed'], world: ['passed', 'passed'] }, 'world'],
    [{ alone: ['failed', 'failed'], world: ['passed', 'inconclusive'] }, undefined],
    [
      { alone: ['failed', 'interrupted'], world: ['failed', 'failed'], versions: ['passed', 'passed'] },
      'versions',
    ],
    [{ alone: ['failed', 'failed'], world: [], scenario: ['passed', 'passed'] }, 'scenario'],
    [{ alone: ['inconclusive', 'passed'] }, 'chance'],
    [{ alone: ['inconclusive', 'inconclusive'], world: ['passed', 'passed'] }, undefined],
    [{}, undefined],
  ])('%o', (told, follows) => {
    const investigated = conclude(told);
    expect(investigated.follows).toBe(follows);
    const text = renderInvestigated([investigated]).join('\n');
    expect(text).toContain(investigated.says);
    for (const kind of KINDS)
      if (told[kind] === undefined) expect(text).toContain('left out: no saved run has it as passed');
  });

  it('counts the verdict of a scenario that is repeated by itself, and not each of its runs', () => {
    expect(conclude({ alone: ['failed'], world: ['passed'] }, true).follows).toBe('world');
    expect(conclude({ alone: ['failed'], world: ['passed'] }).follows).toBeUndefined();
  });
});
