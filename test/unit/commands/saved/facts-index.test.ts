import {
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createContext } from '../../../../lab/commands/context/context.ts';
import { gatherReport } from '../../../../lab/commands/output/write-report.ts';
import { openFactsIndex } from '../../../../lab/commands/saved/facts-index.ts';
import { getRun, type SavedRun } from '../../../../lab/commands/saved/find-run.ts';
import type { CellResult } from '../../../../lab/model/saved/formats.ts';
import type { CellFacts } from '../../../../lab/report/page/run-report.ts';
import { SAMPLE_RUN, saveSampleRun } from '../../../report/sample-run.ts';

const OOM = 'oom-single-container';
const context = createContext(new AbortController().signal);

let stateDir: string;
let run: SavedRun;
let cell: CellResult;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'whodunit-facts-'));
  saveSampleRun(stateDir, [OOM]);
  run = getRun({ ...context, stateDir }, SAMPLE_RUN);
  cell = run.result.cells.find(({ scenario, verdict }) => scenario === OOM && verdict === 'passed')!;
});
afterEach(() => rmSync(stateDir, { recursive: true }));

/** The facts of a cell, and whether its evidence was judged for them. */
function ask(of: CellResult, now = Date.now() + 60_000): { facts: CellFacts; isJudged: boolean } {
  const index = openFactsIndex(run.paths.dir, now, join(stateDir, 'program'));
  let isJudged = false;
  const facts = index.factsOf(of, () => {
    isJudged = true;
    return gatherReport({ ...context, stateDir }, run).factsOf(of);
  });
  index.save();
  return { facts, isJudged };
}

const fileOf = (name: string): string => join(run.paths.dir, cell.evidence, name);

describe('a result whose evidence was judged for a report', () => {
  it('is not judged for the next one, which says the same', () => {
    const first = ask(cell);
    expect(first).toMatchObject({ isJudged: true, facts: { again: { state: 'same' } } });
    const next = ask(cell);
    expect(next.isJudged).toBe(false);
    expect(next.facts).toEqual(first.facts);
    expect(ask(cell).isJudged).toBe(false);
  });

  it.each<[string, () => void]>([
    ['a file is written', () => writeFileSync(fileOf('node-1/kmsg.log'), '')],
    [
      'a file is written with its old size and time',
      () => {
        const text = readFileSync(fileOf('node-1/kmsg.log'), 'utf8');
        writeFileSync(fileOf('node-1/kmsg.log'), text.replace('oom-kill', 'oom-hill'));
        utimesSync(fileOf('node-1/kmsg.log'), 1, 1);
      },
    ],
    [
      'a copy is put in place of a file',
      () => {
        writeFileSync(fileOf('copy'), readFileSync(fileOf('pods.jsonl')));
        renameSync(fileOf('copy'), fileOf('pods.jsonl'));
      },
    ],
    ['a file is added', () => writeFileSync(fileOf('node-1/more.log'), '')],
    ['a file is removed', () => rmSync(fileOf('node-1/kmsg.log'))],
    [
      'a link is put in place of a file',
      () => {
        renameSync(fileOf('pods.jsonl'), join(stateDir, 'pods.jsonl'));
        symlinkSync(join(stateDir, 'pods.jsonl'), fileOf('pods.jsonl'));
      },
    ],
  ])('is judged again after %s', (_, change) => {
    ask(cell);
    change();
    expect(ask(cell).isJudged).toBe(true);
  });

  it('is judged again when the result says something else', () => {
    ask(cell);
    const forged: CellResult = { ...cell, verdict: 'failed' };
    expect(ask(forged)).toMatchObject({ isJudged: true, facts: { again: { state: 'differs' } } });
    // What does not follow from the evidence is never kept.
    expect(ask(forged).isJudged).toBe(true);
  });

  it('is judged again while its files may still change', () => {
    ask(cell, statSync(fileOf('node-1/kmsg.log')).ctimeMs);
    expect(ask(cell).isJudged).toBe(true);
  });

  it('is judged again where somebody has broken what was kept', () => {
    ask(cell);
    const file = join(stateDir, 'program/facts.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"packed":"[^"]{20}/, '"packed":"'));
    expect(ask(cell).isJudged).toBe(true);
  });
});
