import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readRun } from '../../../../lab/commands/saved/find-run.ts';
import {
  findUnfinishedRun,
  refuseChanged,
  refuseResumedMeanwhile,
  refuseOtherHost,
} from '../../../../lab/commands/saved/resume-run.ts';
import type { Variant } from '../../../../lab/model/axes/axes.ts';
import type { CellResult, RunResult } from '../../../../lab/model/saved/formats.ts';
import { statePaths } from '../../../../lab/model/host/paths.ts';
import type { SavedPlan } from '../../../../lab/model/saved/replay.ts';
import type { Plan } from '../../../../lab/plan/cells/plan-cells.ts';
import { PROJECT } from '../../../cli/support/run-cli.ts';

const RUN = '20250101-0900-before';
const DONE = 'default/sigkill-beside-an-oom';

let stateDir: string;
let saved: RunResult;
let judged: CellResult;
let isAlive: boolean;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'whodunit-resume-'));
  cpSync(join(PROJECT, 'test/fixtures/run-from-before'), join(stateDir, 'runs'), { recursive: true });
  saved = readRun(stateDir, RUN).result;
  judged = saved.cells[0] as CellResult;
  isAlive = false;
});
afterEach(() => rmSync(stateDir, { recursive: true }));

/** Saves a plan of these cells for the run. */
function plan(addresses: readonly string[], more: Partial<SavedPlan> = {}): void {
  const { variant, scenario } = judged;
  const value: SavedPlan = {
    formatVersion: 1,
    cells: addresses.map((address) => ({ address, variant, scenario, set: [], estimateSeconds: 1 })),
    skipped: [],
    worlds: [],
    estimates: 'defaults',
    notes: [],
    totals: { cells: addresses.length, skipped: 0, worlds: 0, estimateSeconds: 1, memoryMiB: 1 },
    ...more,
  };
  writeFileSync(statePaths(stateDir).run(RUN).plan, JSON.stringify(value));
}

const find = (...words: string[]) => findUnfinishedRun({ stateDir, isProcessAlive: () => isAlive }, words);
const listLeft = (...words: string[]): string[] => find(...words).left.map(({ address }) => address);

describe('an unfinished run', () => {
  it('has left what nobody judged; a cell that was interrupted has no judgement', () => {
    plan([DONE, 'default/plain-exit', 'default/exit-zero']);
    const cut: CellResult = {
      ...judged,
      address: 'default/plain-exit',
      scenario: 'plain-exit',
      verdict: 'interrupted',
    };
    const result: RunResult = {
      ...saved,
      totals: { ...saved.totals, interrupted: 1 },
      cells: [judged, cut],
    };
    writeFileSync(statePaths(stateDir).run(RUN).result, JSON.stringify(result));
    expect(listLeft()).toEqual(['default/plain-exit', 'default/exit-zero']);
    expect(find('2025').done).toEqual([judged]);
  });

  it('counts a judgement that only the folder of its cell has: the run was killed between two files', () => {
    const address = 'default/exit-zero';
    plan([DONE, address]);
    const folder = statePaths(stateDir).run(RUN).cell(address);
    mkdirSync(folder.dir, { recursive: true });
    writeFileSync(folder.result, JSON.stringify({ ...judged, address }));
    expect(find()).toMatchObject({ left: [], done: [{ address: DONE }, { address }] });
  });

  it('is refused by name: none, another word, several words, a living one, a question about a bug', () => {
    expect(() => find()).toThrow('there is no run to resume');
    plan([DONE]);
    expect(() => find('2024')).toThrow('there is no run "2024"');
    expect(() => find('oom-*', 'plain-exit')).toThrow('--resume takes one run and no selectors');
    expect(() => find('latest', 'runc@git:..%2Frunc/oom-*')).toThrow(
      '--resume takes one run and no selectors',
    );
    expect(find('latest', 'runtime=runc@git:../runc').result.run).toBe(RUN);
    const started = { at: saved.startedAt, event: 'run-started', pid: 4711, startTicks: '1' };
    appendFileSync(statePaths(stateDir).run(RUN).events, `${JSON.stringify(started)}\n`);
    isAlive = true;
    expect(() => find()).toThrow(`run ${RUN} is still running, as process 4711`);
    appendFileSync(statePaths(stateDir).run(RUN).events, `{"at":"${saved.startedAt}","event":"run-ended"}\n`);
    expect(find().left).toEqual([]);
    const asked = { bug: 'a-bug', digest: '', affected: {}, fixed: {}, repeat: 1, addresses: ['a', 'b'] };
    plan([DONE], { asked: { ...asked, overrides: { affected: {}, fixed: {} } } });
    expect(() => find()).toThrow('belongs to a bug, and such a run cannot be resumed');
  });

  it('is not gone on with when a cell would be another one', () => {
    plan([DONE, 'default/exit-zero']);
    const run = find();
    const planOf = (variant: Record<string, string>): Plan =>
      ({ cells: [{ address: 'default/exit-zero', variant: variant as Variant }] }) as unknown as Plan;
    expect(() => refuseChanged(run, planOf(judged.variant))).not.toThrow();
    expect(() => refuseChanged(run, planOf({ ...judged.variant, os: 'trixie' }))).toThrow(
      `1 cell of run ${RUN} would differ from what was planned: default/exit-zero`,
    );
  });

  it('is not gone on with twice, when two labs waited for the lock at once', () => {
    const address = 'default/exit-zero';
    plan([DONE, address, 'default/plain-exit']);
    const run = find();
    const refuse = (): void => refuseResumedMeanwhile({ stateDir, isProcessAlive: () => isAlive }, run);
    expect(refuse).not.toThrow();
    const folder = statePaths(stateDir).run(RUN).cell(address);
    mkdirSync(folder.dir, { recursive: true });
    writeFileSync(folder.result, JSON.stringify({ ...judged, address }));
    expect(refuse).toThrow(`another lab has resumed run ${RUN} in the meantime: 1 cell of it is left`);
  });

  it('is not gone on with on another host: its result names one', () => {
    expect(() => refuseOtherHost(saved, { ...saved, host: { ...saved.host, memoryMiB: 1 } })).not.toThrow();
    expect(() =>
      refuseOtherHost(saved, { accelerator: 'kvm', host: { ...saved.host, kernel: '6.99' } }),
    ).toThrow(/on another host: kernel was \S+ and is 6\.99, accelerator was tcg and is kvm/);
  });
});
