import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CellResult, RunResult } from '../../lab/model/saved/formats.ts';
import { planCells } from '../../lab/plan/cells/plan-cells.ts';
import { openTestLab, PROJECT, type TestLab } from '../lab/lab-process.ts';
import { configWith } from '../unit/project-files.ts';

/** Runs stay here: docs/measured/results.md is written from the last one. */
const HOME = resolve(PROJECT, '.lab/nightly');

const { cells } = planCells(configWith(), ['set=nightly']);

describe('the set nightly on real clusters', () => {
  let lab: TestLab;
  let results: ReadonlyMap<string, CellResult>;

  beforeAll(async () => {
    lab = openTestLab(HOME);
    const finished = await lab.run('run', 'set=nightly', '--json');
    const run = JSON.parse(finished.stdout) as RunResult;
    results = new Map(run.cells.map((cell) => [cell.address, cell]));
    process.stdout.write(`write it down: npm run docs -- --nightly .lab/nightly/runs/${run.run}\n`);
  });

  afterAll(async () => {
    const down = await lab.run('down', '--all');
    expect(down.status, down.stderr).toBe(0);
  });

  it.each(cells.map(({ address }) => address))('%s ends as its scenario says', (address) => {
    const cell = results.get(address);
    expect(cell?.verdict, JSON.stringify(cell?.mismatches ?? cell?.note)).toBe('passed');
  });
});
