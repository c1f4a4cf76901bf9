import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Context } from '../../../../lab/commands/context/context.ts';
import { recordRun } from '../../../../lab/commands/running/record-run.ts';
import { runPlan, type RunRequest } from '../../../../lab/commands/running/run-plan.ts';
import { findShardRecord, nameRun, saveShardRecord } from '../../../../lab/commands/running/shard-record.ts';
import type { SavedRun } from '../../../../lab/commands/saved/find-run.ts';
import { runPlanFile } from '../../../../lab/commands/verbs/plan.ts';
import { runRun } from '../../../../lab/commands/verbs/run.ts';
import { writeJsonAtomic } from '../../../../lab/drivers/files/files.ts';
import { statePaths } from '../../../../lab/model/host/paths.ts';
import type { RunResult } from '../../../../lab/model/saved/formats.ts';
import { createQuietContext } from '../../../quiet-host.ts';
import { PROJECT } from '../../project-files.ts';
import { createCell } from '../../report/made-run.ts';

vi.mock('../../../../lab/world/host/accelerator.ts', () => ({
  proveAccelerator: () => Promise.resolve({ accelerator: 'tcg' }),
}));
// Only this module boots machines.
vi.mock('../../../../lab/commands/running/run-plan.ts');

const CELLS = ['default/oom-single-container', 'default/plain-exit', 'default/exit-zero'];

let folder: string;
let context: Context;
/** So many cells are judged before the run breaks off. */
let most: number;
/** The cells that each call was to run. */
let ran: string[][];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-run-'));
  context = createQuietContext(folder, { projectDir: PROJECT });
  most = Infinity;
  ran = [];
  vi.mocked(runPlan).mockImplementation((_, request) => Promise.resolve(run(request)));
});
afterEach(() => {
  vi.resetAllMocks();
  rmSync(folder, { recursive: true });
});

/** Does what a run does, but for the machines. */
function run({ plan, asked = {}, begun, shard }: RunRequest): SavedRun {
  const id = begun?.result.run ?? nameRun(Date.parse('2026-04-12T10:00:00Z'), shard);
  const paths = statePaths(context.stateDir).run(id);
  const head = {
    formatVersion: 1 as const,
    run: id,
    startedAt: '2026-04-12T10:00:00.000Z',
    host: {},
    accelerator: 'tcg' as const,
  };
  if (shard !== undefined) saveShardRecord(paths.dir, head, shard);
  const recorder = recordRun(paths.dir, { head, plan, asked, begun });
  ran.push(plan.cells.map(({ address }) => address));
  for (const { address, variant, loaded } of plan.cells.slice(0, most)) {
    const cell = createCell(loaded.scenario.name, {
      address,
      variant: { ...variant },
      evidence: `cells/${address}`,
    });
    writeJsonAtomic(join(paths.dir, cell.evidence, 'result.json'), cell);
    recorder.add(cell);
  }
  return { paths, result: recorder.result() };
}

describe('run --plan --shard', () => {
  it('that broke off goes on with --resume as the same shard, and runs only what is left', async () => {
    const file = join(folder, 'plan.json');
    await runPlanFile(context, CELLS, { shards: 1, out: file });
    most = 1;
    const broken = (await runRun(context, [], { plan: file, shard: '1' })).json as RunResult;
    expect(broken.cells).toHaveLength(1);
    most = Infinity;
    const resumed = (await runRun(context, [], { resume: true })).json as RunResult;
    expect(resumed.run).toBe(broken.run);
    expect(ran[1]).toEqual(ran[0]?.slice(1));
    expect(resumed.cells.map(({ address }) => address).sort()).toEqual([...CELLS].sort());
    const { dir } = statePaths(context.stateDir).run(resumed.run);
    expect(findShardRecord(dir)).toMatchObject({ run: broken.run, shard: 1, of: 1 });
  });
});
