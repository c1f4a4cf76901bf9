import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runResultSchema, type CellResult } from '../../lab/model/saved/formats.ts';
import type { SavedPlan } from '../../lab/model/saved/replay.ts';
import { runPaths } from '../../lab/model/host/paths.ts';
import { createCell, createRunOf } from '../unit/report/made-run.ts';
import { runCli } from './support/run-cli.ts';

describe('a run that a kill left behind', () => {
  const RUN = '20250101-0900-kill';
  const LEGS = ['plain-exit-again-alone', 'plain-exit-again-fresh-world'];

  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'whodunit-resume-'));
  });
  afterEach(() => rmSync(home, { recursive: true }));

  const write = (path: string, value: unknown): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(value));
  };

  /** Saves a run that was about to run these scenarios, with the cells that it has judged. */
  function save(planned: readonly string[], cells: CellResult[], more: Partial<SavedPlan> = {}): void {
    const { result, plan } = runPaths(join(home, 'runs', RUN));
    write(result, createRunOf(cells, { run: RUN }));
    for (const cell of cells) write(join(dirname(result), cell.evidence, 'result.json'), cell);
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
    write(plan, saved);
  }

  it('is gone on with by the line that a dry run prints, with all that was asked for', async () => {
    save(['plain-exit', 'exit-one', 'exit-zero'], [createCell('plain-exit')]);
    const { stdout } = await runCli(home, ['run', '--resume', '--lanes', '2', '--cold', '--dry-run']);
    expect(stdout).toContain(`next: npx whodunit run ${RUN} --lanes 2 --cold --resume\n`);
  });

  it('says what its failures follow where it was killed before it did, and runs nothing again', async () => {
    const legs = LEGS.map((scenario) => {
      const attempts = [1, 2].map((number) => ({
        verdict: 'failed' as const,
        killer: 'memcg-oom' as const,
        evidence: `cells/default/${scenario}/run-${number}`,
      }));
      const leg = createCell(scenario, { verdict: 'failed' });
      for (const { evidence } of attempts)
        write(join(home, 'runs', RUN, evidence, 'result.json'), { ...leg, evidence });
      return { ...leg, attempts };
    });
    const kinds = ['alone', 'world'] as const;
    save(['plain-exit', ...LEGS], [createCell('plain-exit', { verdict: 'failed' }), ...legs], {
      investigates: [
        {
          address: 'default/plain-exit',
          legs: legs.map(({ address }, index) => ({ kind: kinds[index]!, changes: [], address })),
          estimateSeconds: 60,
        },
      ],
    });
    const { stdout, status } = await runCli(home, ['run', '--resume', '--json']);
    const { investigated } = runResultSchema.parse(JSON.parse(stdout));
    expect(
      investigated?.map(({ address, legs: seen }) => [address, seen[0]?.failed, seen[1]?.failed]),
    ).toEqual([['default/plain-exit', 2, 2]]);
    expect(status).toBe(1);
    const again = await runCli(home, ['run', '--resume']);
    expect(again.stdout).toContain(`run ${RUN} is already complete`);
  });
});
