import { DEFAULT_VARIANT } from '../../../lab/model/axes/axes.ts';
import type { CellResult, RunResult } from '../../../lab/model/saved/formats.ts';
import { VERDICTS, type Verdict } from '../../../lab/model/killers/killers.ts';

/** Makes a cell `default/<scenario>` whose container was killed by its memory limit, but for what is given. */
export function createCell(scenario: string, changes: Partial<CellResult> = {}): CellResult {
  return {
    address: `default/${scenario}`,
    variant: { ...DEFAULT_VARIANT },
    scenario,
    verdict: 'passed',
    expected: { killer: 'memcg-oom' },
    attribution: {
      killer: 'memcg-oom',
      level: 'pod',
      victim: 'eater/eater pid 812',
      confidence: 'proven',
      because: [{ source: 'kmsg', at: '', file: 'node-1/kmsg.log', line: 41, text: 'Killed process 812' }],
    },
    claims: [],
    mismatches: [],
    timings: { restoreMs: 1, deployMs: 1, verdictMs: 1, totalMs: 8_400 },
    evidence: `cells/default/${scenario}`,
    ...changes,
  };
}

/** Makes a run of cells. */
export function createRunOf(cells: CellResult[], changes: Partial<RunResult> = {}): RunResult {
  const totals = Object.fromEntries(
    VERDICTS.map((verdict) => [verdict, cells.filter((cell) => cell.verdict === verdict).length]),
  ) as RunResult['totals'];
  return {
    formatVersion: 1,
    run: '20260412-1000-a1',
    startedAt: '2026-04-12T10:00:00.000Z',
    host: {},
    accelerator: 'tcg',
    totals,
    cells,
    ...changes,
  };
}

/** Makes a run with a cell of each verdict that is given, named after it. */
export function createRun(cells: { readonly [V in Verdict]?: Partial<CellResult> }): RunResult {
  const made = Object.entries(cells).map(([verdict, changes]) =>
    createCell(`a-${verdict}`, { verdict: verdict as Verdict, ...changes }),
  );
  return createRunOf(made);
}
