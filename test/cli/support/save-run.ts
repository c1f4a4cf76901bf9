import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CellResult } from '../../../lab/model/saved/formats.ts';
import type { SavedPlan } from '../../../lab/model/saved/replay.ts';
import { runPaths } from '../../../lab/model/host/paths.ts';
import { createCell, createRunOf } from '../../unit/report/made-run.ts';

/** Writes a value as a file of JSON, in a folder that is made for it. */
export function writeJsonFile(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(value));
}

/** Saves a run that was about to run some scenarios, with the cells that it has judged. */
export function saveRun(
  { home, run }: { readonly home: string; readonly run: string },
  planned: readonly string[],
  cells: CellResult[],
  more: Partial<SavedPlan> = {},
): void {
  const { result, plan } = runPaths(join(home, 'runs', run));
  writeJsonFile(result, createRunOf(cells, { run }));
  for (const cell of cells) writeJsonFile(join(dirname(result), cell.evidence, 'result.json'), cell);
  const saved: SavedPlan = {
    formatVersion: 1,
    cells: planned.map((scenario) => {
      const { address, variant } = createCell(scenario);
      return { address, variant, scenario, set: [], estimateSeconds: 30 };
    }),
    skipped: [],
    worlds: [],
    totals: { cells: planned.length, skipped: 0, worlds: 1, estimateSeconds: 60, memoryMiB: 3072 },
    estimates: 'defaults',
    notes: [],
    ...more,
  };
  writeJsonFile(plan, saved);
}
