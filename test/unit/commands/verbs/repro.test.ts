import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Context } from '../../../../lab/commands/context/context.ts';
import type { Flags } from '../../../../lab/commands/context/flags.ts';
import { runPlan, type RunRequest } from '../../../../lab/commands/running/run-plan.ts';
import type { SavedRun } from '../../../../lab/commands/saved/find-run.ts';
import { runRepro } from '../../../../lab/commands/verbs/repro.ts';
import { writeJsonAtomic } from '../../../../lab/drivers/files/files.ts';
import { statePaths } from '../../../../lab/model/host/paths.ts';
import type { Killer } from '../../../../lab/model/killers/killers.ts';
import type { CellResult } from '../../../../lab/model/saved/formats.ts';
import { proveSchema } from '../../../../lab/model/saved/prove.ts';
import type { PlannedCell } from '../../../../lab/plan/cells/plan-cells.ts';
import type { Progress } from '../../../../lab/model/host/host.ts';
import { createQuietContext, quietProgress } from '../../../quiet-host.ts';
import { PROJECT } from '../../project-files.ts';
import { createCell, createRunOf } from '../../report/made-run.ts';

// Only this module boots machines.
vi.mock('../../../../lab/commands/running/run-plan.ts');

const BUG = 'driver-mismatch-kill-loop';
const AFFECTED = 'systemd+cgroupfs/minute-survivor';

let folder: string;
let context: Context;
let notes: string[];
/** Who kills the affected cell, as the judge says. */
let named: Killer;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-repro-'));
  notes = [];
  named = 'kubelet-cgroup-missing';
  const progress: Progress = { ...quietProgress, note: (text) => void notes.push(text) };
  context = createQuietContext(folder, { projectDir: PROJECT, progress });
  vi.mocked(runPlan).mockImplementation((_, request) => Promise.resolve(saveRun(request)));
});
afterEach(() => {
  vi.resetAllMocks();
  rmSync(folder, { recursive: true });
});

/** Saves a run in which cells with a mismatch of drivers die, and all others live. */
function saveRun({ plan }: RunRequest): SavedRun {
  const run = `20260412-100${vi.mocked(runPlan).mock.calls.length}-made`;
  const paths = statePaths(context.stateDir).run(run);
  const result = createRunOf(
    plan.cells.map((cell) => repeatResult(cell, paths.dir)),
    { run },
  );
  writeJsonAtomic(paths.result, result);
  return { paths, result };
}

function repeatResult(cell: PlannedCell, dir: string): CellResult {
  const { address, variant, loaded } = cell;
  const killer = variant.drivers === 'systemd+cgroupfs' ? named : 'none';
  const result = createCell(loaded.scenario.name, {
    address,
    variant: { ...variant },
    evidence: `cells/${address}`,
    attribution: { killer, victim: 'survivor', confidence: 'proven', because: [] },
    timings: { restoreMs: 1, deployMs: 1, observeMs: 60_000, verdictMs: 1, totalMs: 60_003 },
  });
  const attempts = Array.from({ length: loaded.scenario.repeat }, (_, index) => {
    const evidence = `cells/${address}/run-${index + 1}`;
    writeJsonAtomic(join(dir, evidence, 'result.json'), { ...result, evidence });
    return { verdict: result.verdict, killer, evidence };
  });
  return attempts.length === 1 ? result : { ...result, attempts };
}

const repro = async (flags: Flags): Promise<{ json: Record<string, unknown>; text: string }> => {
  const answer = await runRepro(context, [BUG], flags);
  const text = 'text' in answer ? answer.text : undefined;
  return { json: answer.json as Record<string, unknown>, text: text?.() ?? '' };
};

describe('repro --prove', () => {
  it('tests the verdict of the affected side after the reproduction, and only that', async () => {
    const { json, text } = await repro({ prove: true });
    const { of, conclusion, runs, arms } = proveSchema.parse(json.proof);
    expect({ of, conclusion, runs }).toEqual({
      of: { run: '20260412-1001-made', address: AFFECTED },
      conclusion: 'confirmed',
      runs: 9,
    });
    expect(arms.map(({ kind, address }) => [kind, address])).toEqual([
      ['as-it-was', AFFECTED],
      ['without-cause', 'default/minute-survivor-without-kubelet-cgroup-missing'],
      ['without-innocent', expect.stringContaining(`${AFFECTED}-without-innocent-`)],
    ]);
    expect(vi.mocked(runPlan)).toHaveBeenCalledTimes(2);
    expect(text).toContain('confirmed by experiment (N = 9)');
    expect(text).not.toMatch(/^prove /m);
  });

  it('names the killer that is unknown in place of an experiment', async () => {
    named = 'unknown';
    const { json, text } = await repro({ prove: true });
    expect(json.proof).toBeUndefined();
    expect(notes).toContainEqual(`${AFFECTED} names no killer to take away: its killer is unknown`);
    expect(text).not.toMatch(/^prove /m);
  });

  it.each<[string, Killer, Flags, string | undefined]>([
    [
      'is offered',
      'kubelet-cgroup-missing',
      {},
      `prove     npx whodunit prove ${AFFECTED} --run 20260412-1001-made`,
    ],
    ['is not offered where nobody killed it', 'none', {}, undefined],
  ])('without it an experiment %s, and not run', async (_, killer, flags, line) => {
    named = killer;
    const { json, text } = await repro(flags);
    expect([json.proof, /^prove .*$/m.exec(text)?.[0]]).toEqual([undefined, line]);
    expect(vi.mocked(runPlan)).toHaveBeenCalledTimes(1);
  });
});

describe('a path with nothing behind it', () => {
  it('is no bug name: what is missing is the file', async () => {
    const link = join(folder, 'report');
    symlinkSync('gone', link);
    const refusal = runRepro(context, [`test/../${relative('.', link)}`], {});
    await expect(refusal).rejects.toThrow(/^there is no file or folder .*report, and repro takes a bug/);
    await expect(runRepro(context, ['driver-mismatch-kill-lop'], {})).rejects.toThrow(/^there is no bug /);
  });
});
