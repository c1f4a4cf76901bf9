import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findLastGood } from '../../../../lab/commands/proving/last-good.ts';
import { findEarlierCells, readRun } from '../../../../lab/commands/saved/find-run.ts';
import { findUnfinishedRun } from '../../../../lab/commands/saved/resume-run.ts';
import { readPastRuns } from '../../../../lab/commands/saved/run-index.ts';
import { refuseSpelledOtherwise } from '../../../../lab/commands/saved/spell-cell.ts';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import { statePaths } from '../../../../lab/model/host/paths.ts';
import type { Effective } from '../../../../lab/model/saved/effective.ts';
import { PROJECT } from '../../../cli/support/run-cli.ts';
import { createCell, createRunOf } from '../../report/made-run.ts';
import { configWith } from '../../project-files.ts';

/** The runc of the variant ran everything in the first run, and only workloads in the others. */
const [OLD, NEW, NEWEST] = ['20260101-0900-old', '20260102-0900-new', '20260103-0900-newest'] as const;
const ADDRESS = 'runc@1.5.2/oom-single-container';
const OLD_ADDRESS = 'runc@1.5.2+everywhere/oom-single-container';
const CELL = createCell('oom-single-container', {
  address: ADDRESS,
  variant: { ...DEFAULT_VARIANT, runtime: 'runc@1.5.2' },
  evidence: `cells/${ADDRESS}`,
});
const readBack = JSON.parse(
  readFileSync(
    join(PROJECT, 'test/fixtures/evidence/oom-single-container--runc@1.5.2/effective.json'),
    'utf8',
  ),
) as Effective;
const BESIDE = { ...readBack.versions, runc: '1.1.5+ds1', 'runc-under-test': '1.5.2' };

let stateDir: string;
const context = () => ({ stateDir, progress: { note: (text: string) => expect.fail(text) } }) as never;

function save(run: string, versions: Effective['versions']): void {
  const paths = statePaths(stateDir).run(run);
  const { effective } = paths.cell(ADDRESS);
  mkdirSync(dirname(effective), { recursive: true });
  writeFileSync(effective, JSON.stringify({ ...readBack, versions }));
  const startedAt = `${run.slice(0, 4)}-${run.slice(4, 6)}-${run.slice(6, 8)}T09:00:00.000Z`;
  writeFileSync(paths.result, JSON.stringify(createRunOf([CELL], { run, startedAt })));
}

beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'whodunit-spell-'));
  save(OLD, readBack.versions);
  save(NEW, BESIDE);
  save(NEWEST, BESIDE);
});
afterEach(() => rmSync(stateDir, { recursive: true }));

describe('a run from before a named runc had a handler of its own', () => {
  it('has a history of its own, though its cell had the same address', () => {
    const past = readPastRuns(context());
    expect(past.map(({ run, cells }) => [run, cells.map(({ address }) => address)])).toEqual([
      [OLD, [OLD_ADDRESS]],
      [NEW, [ADDRESS]],
      [NEWEST, [ADDRESS]],
    ]);
  });

  it('is read again where an index has it by its old address', () => {
    readPastRuns(context());
    const { history } = statePaths(stateDir);
    const index = readFileSync(history, 'utf8');
    writeFileSync(history, index.replace('"reading":2,', '').replaceAll('+everywhere', ''));
    readPastRuns(context());
    expect(readFileSync(history, 'utf8')).toBe(index);
  });

  it('is not the last result of a cell of today, and is that of one whose runc runs everything', () => {
    const newest = readRun(stateDir, NEWEST);
    const runOf = (address: string): string | undefined =>
      findEarlierCells(context(), newest, [address]).get(address)?.run.result.run;
    expect(runOf(ADDRESS)).toBe(NEW);
    expect(runOf(OLD_ADDRESS)).toBe(OLD);
  });

  it('is the last good run of a cell only with another build', () => {
    rmSync(statePaths(stateDir).run(NEW).dir, { recursive: true });
    rmSync(statePaths(stateDir).run(NEWEST).dir, { recursive: true });
    const config = configWith();
    const loaded = config.scenarios.find(({ scenario }) => scenario.name === CELL.scenario)!;
    const cell = { address: ADDRESS, variant: CELL.variant, loaded };
    const find = (anyBuild: boolean) =>
      findLastGood(context(), config, readPastRuns(context()), { cell, anyBuild });
    expect(find(false)).toBeUndefined();
    expect(find(true)).toMatchObject({ run: OLD, variant: { runtime: 'runc@1.5.2+everywhere' } });
  });

  it('gets no more cells of that address', () => {
    const left = { address: 'runc@1.5.2/exit-one', variant: CELL.variant, scenario: 'exit-one' };
    for (const run of [OLD, NEW]) {
      const cells = [left, { ...left, address: ADDRESS, scenario: CELL.scenario }].map((cell) => ({
        ...cell,
        set: [],
        estimateSeconds: 1,
      }));
      const totals = { cells: 2, skipped: 0, worlds: 1, estimateSeconds: 2, memoryMiB: 1 };
      const plan = {
        formatVersion: 1,
        cells,
        skipped: [],
        worlds: [],
        estimates: 'defaults',
        notes: [],
        totals,
      };
      writeFileSync(statePaths(stateDir).run(run).plan, JSON.stringify(plan));
    }
    const find = (run: string) => findUnfinishedRun({ stateDir, isProcessAlive: () => false }, [run]);
    expect(() => find(OLD)).toThrow(
      `${ADDRESS} of run ${OLD} has the address ${OLD_ADDRESS} today; under its old one another cell would run`,
    );
    expect(find(NEW).left.map(({ address }) => address)).toEqual([left.address]);
    const { paths } = readRun(stateDir, NEW);
    expect(() => refuseSpelledOtherwise({ dir: paths.dir, id: NEW }, [CELL])).not.toThrow();
  });
});
