import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Context } from '../../../../lab/commands/context/context.ts';
import { runPlan, type RunRequest } from '../../../../lab/commands/running/run-plan.ts';
import { planCase, stageCase } from '../../../../lab/commands/running/stage-case.ts';
import type { SavedRun } from '../../../../lab/commands/saved/find-run.ts';
import { loadWholeConfig } from '../../../../lab/commands/setup/config.ts';
import { judgeCell } from '../../../../lab/judge/verdict/judge-cell.ts';
import { statePaths } from '../../../../lab/model/host/paths.ts';
import type { CaseCandidate, CaseTrace, TriedCandidate } from '../../../../lab/model/saved/case.ts';
import type { CellResult } from '../../../../lab/model/saved/formats.ts';
import type { PlannedCell } from '../../../../lab/plan/cells/plan-cells.ts';
import { judgeFolder } from '../../../../lab/world/cell/judge-folder.ts';
import { CAPTURES_FOLDER, loadCapture } from '../../../fixtures/evidence/load-capture.ts';
import { createQuietContext } from '../../../quiet-host.ts';
import { PROJECT } from '../../project-files.ts';
import { createCell, createRunOf } from '../../report/made-run.ts';

// Only this module boots machines.
vi.mock('../../../../lab/commands/running/run-plan.ts');

const CONFIG = loadWholeConfig({ projectDir: PROJECT });
const SLOW_PULL = 'https://github.com/kubernetes/kubernetes/issues/112044';
const ZOMBIES = 'https://github.com/aptible/supercronic/issues/88';
const MESSAGE: CaseTrace = { layer: 'runtime', what: 'message', value: 'nobody ever printed this' };
const FORK_REJECTED: CaseTrace = { layer: 'kernel', what: 'kernel', value: 'fork-rejected' };
/** Both sides show it. */
const ENFORCED: CaseTrace = { layer: 'api', what: 'reason', value: 'NodeAllocatableEnforced' };
const COMPLETED: CaseTrace = { layer: 'api', what: 'reason', value: 'Completed' };
const OOM: CaseTrace[] = [
  { layer: 'api', what: 'exit code', value: '137' },
  { layer: 'api', what: 'reason', value: 'OOMKilled' },
];

/** What the cells left behind when they were run. */
const OWN: Readonly<Record<string, string>> = {
  'default/slow-pull': 'slow-pull',
  'parallel-pulls/slow-pull': 'slow-pull--parallel-pulls',
  'max-1-pull/slow-pull': 'slow-pull',
  'default/supercronic-zombies': 'supercronic-zombies',
  'default/supercronic-zombies[supercronic=0.2.33]': 'supercronic-zombies--0.2.33',
  'default/oom-single-container': 'oom-single-container',
  'default/within-limits': 'within-limits',
};

let folder: string;
let context: Context;
/** Which capture is what a cell left behind; a cell without one lives, and was not looked at. */
let captures: Record<string, string>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-stage-case-'));
  context = createQuietContext(folder, { projectDir: PROJECT });
  captures = { ...OWN };
  vi.mocked(runPlan).mockImplementation((_, request) => Promise.resolve(saveRun(request)));
});
afterEach(() => {
  vi.resetAllMocks();
  rmSync(folder, { recursive: true });
});

function saveRun({ plan }: RunRequest): SavedRun {
  const run = `20260412-100${vi.mocked(runPlan).mock.calls.length}-made`;
  const paths = statePaths(context.stateDir).run(run);
  const cells = plan.cells.map((cell) => resultOf(cell, paths.dir));
  return { paths, result: createRunOf(cells, { run }) };
}

/** A run in which no cell was looked at. */
function saveUnseen(request: RunRequest, verdict: 'inconclusive' | 'interrupted'): SavedRun {
  captures = {};
  const { paths, result } = saveRun(request);
  const cells = result.cells.map((cell) => ({
    ...cell,
    verdict,
    note: 'no world',
    evidence: `cells/${cell.address}`,
  }));
  return { paths, result: { ...result, cells } };
}

function resultOf({ address, variant, loaded }: PlannedCell, dir: string): CellResult {
  const capture = captures[address];
  const base = createCell(loaded.scenario.name, { address, variant: { ...variant } });
  if (capture === undefined)
    return { ...base, attribution: { ...base.attribution, killer: 'none' }, evidence: '' };
  const { record } = loadCapture(capture);
  // It is held against what its own side has to show, whoever's evidence it has.
  const { expected } = loadCapture(OWN[address] ?? capture).record;
  const evidence = `cells/${address}`;
  const copy = join(dir, evidence);
  cpSync(join(CAPTURES_FOLDER, capture), copy, { recursive: true });
  const { observations } = judgeFolder(copy, record);
  const {
    verdict,
    attribution,
    mismatches,
    measures = [],
  } = judgeCell({ ...record, expected }, observations);
  return { ...base, verdict, attribution, mismatches, measures, expected, evidence };
}

interface Staged {
  readonly candidates: readonly string[];
  readonly traces: readonly CaseTrace[];
  readonly own?: string;
}

async function stage({ candidates, traces, own }: Staged): Promise<TriedCandidate[]> {
  const named = candidates.map((name): CaseCandidate => {
    const kind = CONFIG.bugs.some(({ id }) => id === name) ? 'bug' : 'scenario';
    return { kind, name, title: '', why: '', command: '' };
  });
  const report = { title: '', links: [], facts: [], traces: [...traces], deaths: [], distances: [] };
  const plans = planCase(context, CONFIG, {
    ...report,
    formatVersion: 1,
    variant: { name: 'default', words: [] },
    candidates: named,
    problems: [],
    next: '',
  });
  return stageCase(context, CONFIG, {}, { traces, killer: undefined, own }, plans);
}

describe('a bug that kills nobody, staged for a report', () => {
  it.each<[what: string, staged: Staged, outcome: TriedCandidate['outcome'], because: RegExp]>([
    [
      'is reproduced for its own report when its bounds hold',
      { candidates: ['supercronic-zombies'], traces: [FORK_REJECTED], own: ZOMBIES },
      'reproduced',
      /max of zombies 53 beside 0, .*; the one trace of the report is there/,
    ],
    [
      'is reproduced for its own report when the wait is another one',
      { candidates: ['slow-image-blocks-pulls'], traces: [COMPLETED], own: SLOW_PULL },
      'reproduced',
      /pull-wait-s/,
    ],
    [
      'is reproduced for another report by traces that the fixed side does not show',
      { candidates: ['supercronic-zombies'], traces: [FORK_REJECTED, ENFORCED] },
      'reproduced',
      /max of zombies/,
    ],
    [
      'is not that of another report whose traces the fixed side shows too',
      { candidates: ['slow-image-blocks-pulls'], traces: [COMPLETED, ENFORCED] },
      'not-reproduced',
      /its neighbour parallel-pulls\/slow-pull shows the same/,
    ],
    [
      'is not that of another report with one trace',
      { candidates: ['supercronic-zombies'], traces: [FORK_REJECTED] },
      'not-reproduced',
      /too little/,
    ],
    [
      'leaves a report without a death open',
      { candidates: ['supercronic-zombies'], traces: [] },
      'not-reproduced',
      /this report has no death to compare/,
    ],
    [
      'leaves its own report open when that says nothing',
      { candidates: ['supercronic-zombies'], traces: [], own: ZOMBIES },
      'not-reproduced',
      /this report has no death to compare/,
    ],
    [
      'is not reproduced without an error of the report, although its bounds hold',
      { candidates: ['supercronic-zombies'], traces: [FORK_REJECTED, MESSAGE], own: ZOMBIES },
      'not-reproduced',
      /^runtime: message nobody ever printed this is missing$/,
    ],
    [
      'is not reproduced when something is there that its own report denies',
      { candidates: ['supercronic-zombies'], traces: [{ ...FORK_REJECTED, absent: true }], own: ZOMBIES },
      'not-reproduced',
      /fork-rejected is here, and the report says that it was not/,
    ],
  ])('%s', async (_, staged, outcome, because) => {
    const [tried] = await stage(staged);
    expect(tried).toMatchObject({
      outcome,
      because: expect.stringMatching(because) as string,
      bugShown: expect.stringContaining('none on default/') as string,
    });
  });

  it.each<[what: string, changed: Record<string, string>, because: RegExp]>([
    [
      'the affected side does not show it',
      { 'default/slow-pull': 'slow-pull--parallel-pulls' },
      /default\/slow-pull does not show it/,
    ],
    [
      'the fixed side shows it too',
      { 'parallel-pulls/slow-pull': 'slow-pull' },
      /parallel-pulls\/slow-pull is not as it should be/,
    ],
    [
      'a control does not behave',
      { 'max-1-pull/slow-pull': 'slow-pull--parallel-pulls' },
      /the control max-1-pull\/slow-pull does not behave/,
    ],
  ])('is not reproduced when %s', async (_, changed, because) => {
    captures = { ...captures, ...changed };
    const [tried] = await stage({
      candidates: ['slow-image-blocks-pulls'],
      traces: [COMPLETED],
      own: SLOW_PULL,
    });
    expect(tried).toMatchObject({
      outcome: 'not-reproduced',
      because: expect.stringMatching(because) as string,
    });
    expect(tried?.bugShown).toBeUndefined();
  });
});

describe('candidates of a report', () => {
  it('are staged cheapest first, until one shows its death', async () => {
    const tried = await stage({ candidates: ['supercronic-zombies', 'oom-single-container'], traces: OOM });
    expect(tried.map(({ candidate, outcome }) => [candidate, outcome])).toEqual([
      ['oom-single-container', 'reproduced'],
    ]);
    expect(vi.mocked(runPlan)).toHaveBeenCalledTimes(1);
  });

  it('are all staged when none shows it', async () => {
    const tried = await stage({
      candidates: ['supercronic-zombies', 'oom-single-container'],
      traces: [...OOM, MESSAGE],
    });
    expect(tried.map(({ candidate, outcome }) => [candidate, outcome])).toEqual([
      ['oom-single-container', 'not-reproduced'],
      ['supercronic-zombies', 'not-reproduced'],
    ]);
  });

  it('are those before an interrupt', async () => {
    const interrupt = new AbortController();
    context = createQuietContext(folder, { projectDir: PROJECT, signal: interrupt.signal });
    vi.mocked(runPlan).mockImplementation((_, request) => {
      if (vi.mocked(runPlan).mock.calls.length === 1) return Promise.resolve(saveRun(request));
      interrupt.abort();
      return Promise.resolve(saveUnseen(request, 'interrupted'));
    });
    const tried = await stage({
      candidates: ['supercronic-zombies', 'oom-single-container'],
      traces: [...OOM, MESSAGE],
    });
    expect(tried.map(({ candidate }) => candidate)).toEqual(['oom-single-container']);
  });

  it('are not compared when their world did not come up', async () => {
    vi.mocked(runPlan).mockImplementation((_, request) =>
      Promise.resolve(saveUnseen(request, 'inconclusive')),
    );
    const [tried] = await stage({ candidates: ['oom-single-container'], traces: OOM });
    expect(tried).toMatchObject({
      outcome: 'not-reproduced',
      because: 'default/oom-single-container is inconclusive: no world',
    });
  });
});
