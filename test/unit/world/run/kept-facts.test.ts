import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContext } from '../../../../lab/commands/context/context.ts';
import { getRun, type SavedRun } from '../../../../lab/commands/saved/find-run.ts';
import { gatherReport } from '../../../../lab/commands/output/write-report.ts';
import { systemClock } from '../../../../lab/drivers/clock.ts';
import type { CellResult } from '../../../../lab/model/saved/formats.ts';
import { runPaths } from '../../../../lab/model/host/paths.ts';
import type { PlannedCell } from '../../../../lab/plan/cells/plan-cells.ts';
import type { CellRun } from '../../../../lab/world/cell/cell.ts';
import { judgeAttempt } from '../../../../lab/world/run/judge-attempt.ts';
import { createKeptFacts, type KeptFacts } from '../../../../lab/world/run/kept-facts.ts';
import { SAMPLE_RUN, saveSampleRun } from '../../../report/sample-run.ts';
import { loadCapture } from '../../../fixtures/evidence/load-capture.ts';

const CAPTURES = ['oom-single-container', 'node-reboot'];
const context = createContext(new AbortController().signal);
let stateDir: string;
let run: SavedRun;

beforeAll(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'whodunit-kept-facts-'));
  saveSampleRun(stateDir, CAPTURES);
  run = getRun({ ...context, stateDir }, SAMPLE_RUN);
});
afterAll(() => rmSync(stateDir, { recursive: true }));

/** Judges the evidence of a capture as a run does. */
async function judge(name: string, facts: KeptFacts): Promise<CellResult> {
  const { record } = loadCapture(name);
  const paths = runPaths(run.paths.dir);
  const loaded = { parameters: {}, scenario: { name: record.scenario, images: [] } };
  const cell = { ...record, loaded } as unknown as PlannedCell;
  const folder = { dir: paths.cell(record.address).dir, relative: paths.cellRelative(record.address) };
  const ran = { record, deliverMs: 0, deployMs: 0, observeMs: 0, collectMs: 0 } as unknown as CellRun;
  const { signal } = new AbortController();
  const spent = { startedAt: systemClock.now(), restoreMs: 0 };
  const result = await judgeAttempt(
    { host: { clock: systemClock, signal }, facts },
    cell,
    ran,
    folder,
    spent,
  );
  if (result === undefined) throw new Error('nobody interrupted it');
  return result;
}

describe('what a run keeps for its report', () => {
  it.each(CAPTURES)('is what the evidence of %s tells when it is read again', async (name) => {
    const facts = createKeptFacts();
    const cell = await judge(name, facts);
    const kept = facts.find(cell.attribution);
    expect(kept?.story?.events.length).toBeGreaterThan(0);
    expect(kept?.excerpts.length).toBeGreaterThan(0);
    // Who reads it again judges it again as well, and says that it is the same.
    const again = gatherReport({ ...context, stateDir }, run).factsOf(cell);
    expect(again).toEqual({ ...kept, again: { state: 'same' } });
  });

  it('is used in place of the evidence, for the very judgement alone', async () => {
    const facts = createKeptFacts();
    const cell = await judge('oom-single-container', facts);
    const nowhere = { ...cell, evidence: 'cells/nowhere' };
    const report = gatherReport({ ...context, stateDir }, run, { kept: facts });
    expect(report.factsOf(nowhere).story).toBeDefined();
    const other = { ...nowhere, attribution: { ...cell.attribution } };
    expect(report.factsOf(other)).toMatchObject({
      story: undefined,
      excerpts: [],
      again: { state: 'unjudged' },
    });
  });

  it('is not more than there is room for', async () => {
    const facts = createKeptFacts(1);
    const first = await judge('oom-single-container', facts);
    const second = await judge('node-reboot', facts);
    expect(facts.find(first.attribution)).toBeDefined();
    expect(facts.find(second.attribution)).toBeUndefined();
  });

  it('is nothing where the evidence cannot be told', async () => {
    const facts = createKeptFacts();
    const { attribution } = await judge('oom-single-container', createKeptFacts());
    facts.keep(attribution, undefined);
    expect(facts.find(attribution)).toBeUndefined();
  });
});
