import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runResultSchema, type CellResult } from '../../lab/model/saved/formats.ts';
import type { SavedPlan } from '../../lab/model/saved/replay.ts';
import { createCell } from '../unit/report/made-run.ts';
import { runCli } from './support/run-cli.ts';
import { saveRun, writeJsonFile } from './support/save-run.ts';

describe('a run that a kill left behind', () => {
  const RUN = '20250101-0900-kill';
  const LEGS = ['plain-exit-again-alone', 'plain-exit-again-fresh-world'];

  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'whodunit-resume-'));
  });
  afterEach(() => rmSync(home, { recursive: true }));

  const save = (planned: readonly string[], cells: CellResult[], more?: Partial<SavedPlan>): void =>
    saveRun({ home, run: RUN }, planned, cells, more);

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
        writeJsonFile(join(home, 'runs', RUN, evidence, 'result.json'), { ...leg, evidence });
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
