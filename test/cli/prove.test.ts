import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireLock } from '../../lab/drivers/claims/lock.ts';
import { systemClock } from '../../lab/drivers/clock.ts';
import { DEFAULT_VARIANT } from '../../lab/model/axes/axes.ts';
import { statePaths } from '../../lab/model/host/paths.ts';
import type { Killer } from '../../lab/model/killers/killers.ts';
import { whySchema } from '../../lab/model/saved/answers.ts';
import type { Attribution, CellResult } from '../../lab/model/saved/formats.ts';
import {
  provePlanSchema,
  proveSchema,
  type ProvedVerdict,
  type ProveResult,
} from '../../lab/model/saved/prove.ts';
import type { SavedPlan } from '../../lab/model/saved/replay.ts';
import { createRunOf } from '../unit/report/made-run.ts';
import { PROJECT, runCli } from './support/run-cli.ts';

const ADDRESS = 'default/oom-single-container';
const WITHOUT_CAUSE = `${ADDRESS}-without-memcg-oom`;
const WITHOUT_INNOCENT = `${ADDRESS}-without-innocent-seccomp`;
const VERDICT = '20250101-0900-once';
const EXPERIMENT = '20250102-0900-prove';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-prove-'));
  save(VERDICT, [cellOf(ADDRESS, 'memcg-oom')]);
});
afterEach(() => rmSync(home, { recursive: true }));

function cellOf(address: string, killer: Killer, verdict: CellResult['verdict'] = 'passed'): CellResult {
  const attribution: Attribution = {
    killer,
    victim: 'eater/eater',
    confidence: 'proven',
    because: [],
    chain: [
      {
        step: 'end',
        source: 'pod',
        at: '2025-01-01T09:00:07.000Z',
        file: 'pods.jsonl',
        text: `${killer} was it`,
      },
    ],
  };
  if (killer === 'memcg-oom') attribution.level = 'container';
  return {
    address,
    variant: { ...DEFAULT_VARIANT },
    scenario: address.slice(address.indexOf('/') + 1),
    verdict,
    expected: {},
    attribution,
    claims: [{ layer: 'api', says: killer === 'none' ? 'Running' : 'OOMKilled, exit 137', agrees: true }],
    mismatches: [],
    timings: { restoreMs: 1000, deployMs: 1000, observeMs: 8000, verdictMs: 1000, totalMs: 12000 },
    evidence: `cells/${address}`,
  };
}

function write(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(value));
}

function save(run: string, cells: CellResult[]): void {
  write(
    join(home, 'runs', run, 'result.json'),
    createRunOf(cells, { run, startedAt: '2025-01-01T09:00:00.000Z' }),
  );
}

/** Saves an experiment in which each cell was run three times, with these ends. */
function saveExperiment(
  named: Killer,
  ends: Readonly<Record<string, Killer>>,
  planned = Object.keys(ends),
  { run = EXPERIMENT, earlier }: { readonly run?: string; readonly earlier?: string[] } = {},
): void {
  const proves: ProvedVerdict = {
    run: VERDICT,
    address: ADDRESS,
    named: { killer: named },
    cause: { state: 'taken', isPartial: false },
    accepted: ['memcg-oom'],
    watchSeconds: 20,
    repeat: 3,
    ...(earlier === undefined ? {} : { earlier }),
    arms: [
      { kind: 'as-it-was', made: [], address: ADDRESS },
      {
        kind: 'without-cause',
        killer: named,
        takes: 'it',
        made: ['it is taken out'],
        address: WITHOUT_CAUSE,
      },
      {
        kind: 'without-innocent',
        killer: 'seccomp',
        takes: 'that',
        made: ['that is set'],
        address: WITHOUT_INNOCENT,
      },
    ],
  };
  const cells = Object.entries(ends).map(([address, killer]): CellResult => {
    const attempts = [1, 2, 3].map((index) => {
      const evidence = `cells/${address}/run-${index}`;
      const attempt = { ...cellOf(address, killer), evidence };
      write(join(home, 'runs', run, evidence, 'result.json'), attempt);
      return { verdict: attempt.verdict, killer, evidence };
    });
    return { ...cellOf(address, killer), attempts };
  });
  save(run, cells);
  const plan: SavedPlan = {
    formatVersion: 1,
    cells: planned.map((address) => ({
      address,
      variant: { ...DEFAULT_VARIANT },
      scenario: 'oom-single-container',
      set: [],
      estimateSeconds: 30,
    })),
    skipped: [],
    worlds: [],
    totals: { cells: planned.length, skipped: 0, worlds: 1, estimateSeconds: 90, memoryMiB: 3072 },
    estimates: 'defaults',
    notes: [],
    proves,
  };
  write(join(home, 'runs', run, 'plan.json'), plan);
}

async function concludeAgain(): Promise<{ result: ProveResult; status: number }> {
  const { stdout, stderr, status } = await runCli(home, ['prove', EXPERIMENT, '--json']);
  expect(stderr).toBe('');
  return { result: proveSchema.parse(JSON.parse(stdout)), status };
}

describe('whodunit prove', () => {
  it('plans the cell as it was, without its cause and without an innocent, and starts nothing', async () => {
    const { stdout, status } = await runCli(home, ['prove', 'oom-single-container', '--dry-run', '--json']);
    const { arms, cause, repeat } = provePlanSchema.parse(JSON.parse(stdout));
    expect(arms.map(({ address, made }) => [address, ...made])).toEqual([
      [ADDRESS],
      [WITHOUT_CAUSE, 'limits.memory 128Mi of eater is lifted'],
      [WITHOUT_INNOCENT, 'securityContext.seccompProfile.type of the pod is Unconfined'],
    ]);
    expect({ cause, repeat, status }).toEqual({
      cause: { state: 'taken', isPartial: false },
      repeat: 3,
      status: 0,
    });
  });

  it('stages the cell that it was: the runc of a saved one may have run the control plane too', async () => {
    const address = 'runc@1.5.2/oom-single-container';
    const variant = { ...DEFAULT_VARIANT, runtime: 'runc@1.5.2' };
    save(VERDICT, [{ ...cellOf(address, 'memcg-oom'), variant, scenario: 'oom-single-container' }]);
    const capture = 'test/fixtures/evidence/oom-single-container--runc@1.5.2/effective.json';
    const effective: unknown = JSON.parse(readFileSync(join(PROJECT, capture), 'utf8'));
    write(join(home, 'runs', VERDICT, 'cells', address, 'effective.json'), effective);
    const { stdout, status } = await runCli(home, ['prove', address, '--dry-run', '--json']);
    const { arms, of } = provePlanSchema.parse(JSON.parse(stdout));
    expect({ of, status }).toEqual({ of: { run: VERDICT, address }, status: 0 });
    for (const arm of arms) expect(arm.address).toMatch(/^runc@1\.5\.2\+everywhere\//);
  });

  it('plans while another lab has the lock: a dry run waits for nobody', async () => {
    const lock = await acquireLock(statePaths(home).lock, systemClock, 'whodunit run');
    try {
      const { stdout, stderr, status } = await runCli(home, ['prove', 'oom-single-container', '--dry-run']);
      expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
      expect(stdout).toContain(WITHOUT_CAUSE);
    } finally {
      lock.release();
    }
  });

  it('confirms a verdict from saved runs, prints where both ends part, and saves the page', async () => {
    saveExperiment('memcg-oom', {
      [ADDRESS]: 'memcg-oom',
      [WITHOUT_CAUSE]: 'none',
      [WITHOUT_INNOCENT]: 'memcg-oom',
    });
    const { result, status } = await concludeAgain();
    expect([result.conclusion, result.runs, status]).toEqual(['confirmed', 9, 0]);
    expect(result.timeline?.map(({ before, now }) => [before?.text, now?.text])).toEqual([
      ['memcg-oom was it', undefined],
      [undefined, 'none was it'],
    ]);
    const { stdout } = await runCli(home, ['prove', EXPERIMENT]);
    expect(stdout).toContain(`${ADDRESS}: memcg-oom, confirmed by experiment (N = 9)`);
    expect(stdout).toMatch(/without memcg-oom +3 +3 of 3 survived +it is taken out/);
    const again = await runCli(home, ['why', EXPERIMENT, '--json']);
    expect(proveSchema.safeParse(JSON.parse(again.stdout)).success).toBe(true);
    expect((await runCli(home, ['why', EXPERIMENT])).stdout.trim()).toBe(
      stdout.split('\nfolder:')[0]?.trim(),
    );
    const page = readFileSync(join(home, 'runs', EXPERIMENT, 'prove.md'), 'utf8');
    expect((await runCli(home, ['prove', EXPERIMENT, '--markdown'])).stdout).toBe(page);
    expect(page).toContain('confirmed by experiment (N = 9)');
  });

  it('refutes a verdict in which another killer was written', async () => {
    saveExperiment('earlyoom', {
      [ADDRESS]: 'memcg-oom',
      [WITHOUT_CAUSE]: 'memcg-oom',
      [WITHOUT_INNOCENT]: 'memcg-oom',
    });
    const { result, status } = await concludeAgain();
    expect([result.conclusion, status]).toEqual(['refuted', 1]);
  });

  it('counts no run without a verdict', async () => {
    saveExperiment('memcg-oom', {
      [ADDRESS]: 'memcg-oom',
      [WITHOUT_CAUSE]: 'unknown',
      [WITHOUT_INNOCENT]: 'memcg-oom',
    });
    const { result, status } = await concludeAgain();
    expect([result.conclusion, result.arms[1]?.of, status]).toEqual(['not-settled', 0, 3]);
  });

  it('counts the rounds before a run, and says of the first one that it is open', async () => {
    const seen = { [ADDRESS]: 'memcg-oom', [WITHOUT_CAUSE]: 'none' } as const;
    saveExperiment('memcg-oom', { ...seen, [WITHOUT_INNOCENT]: 'unknown' });
    const first = await concludeAgain();
    expect([first.result.conclusion, first.result.isOpen, first.status]).toEqual(['not-settled', true, 3]);
    const next = { run: '20250103-0900-more', earlier: [EXPERIMENT] };
    saveExperiment('memcg-oom', { ...seen, [WITHOUT_INNOCENT]: 'memcg-oom' }, undefined, next);
    const { stdout, status } = await runCli(home, ['prove', next.run, '--json']);
    const { conclusion, runs, isOpen } = proveSchema.parse(JSON.parse(stdout));
    expect({ conclusion, runs, isOpen, status }).toEqual({
      conclusion: 'confirmed',
      runs: 15,
      isOpen: undefined,
      status: 0,
    });
    expect((await runCli(home, ['why', next.run])).stdout).toContain('confirmed by experiment (N = 15)');
  });

  it('tells `why` of a verdict which experiments tested it: each by its last round, and no other cell', async () => {
    const seen = { [ADDRESS]: 'memcg-oom', [WITHOUT_CAUSE]: 'none' } as const;
    const rowOf = async (...words: string[]): Promise<string | undefined> =>
      /^tested .*$/m.exec((await runCli(home, ['why', ...words])).stdout)?.[0];
    expect(await rowOf(ADDRESS)).toBeUndefined();
    saveExperiment('memcg-oom', { ...seen, [WITHOUT_INNOCENT]: 'unknown' });
    await concludeAgain();
    const open = 'tested    not settled by experiment (N = 6), run 20250102-0900-prove';
    expect(await rowOf(VERDICT)).toBe(open);
    const next = { run: '20250103-0900-more', earlier: [EXPERIMENT] };
    saveExperiment('memcg-oom', { ...seen, [WITHOUT_INNOCENT]: 'memcg-oom' }, undefined, next);
    await runCli(home, ['prove', next.run]);
    const confirmed = 'tested    confirmed by experiment (N = 15), run 20250103-0900-more';
    // The cell as it was is part of the experiment: it is the newest run with this address.
    for (const words of [[VERDICT], [ADDRESS], [ADDRESS, '--run', VERDICT], [ADDRESS, '--run', EXPERIMENT]])
      expect(await rowOf(...words)).toBe(confirmed);
    expect(await rowOf(WITHOUT_INNOCENT)).toBeUndefined();
    const { stdout } = await runCli(home, ['why', ADDRESS, '--run', VERDICT, '--json']);
    const { experiments, cell } = whySchema.parse(JSON.parse(stdout));
    expect(experiments).toEqual([{ run: next.run, conclusion: 'confirmed', runs: 15 }]);
    expect(cell.attribution.confidence).toBe('proven');
  });

  it('tells `why` nothing of an experiment about another killer, and of a refuted verdict that it is', async () => {
    const ends = {
      [ADDRESS]: 'memcg-oom',
      [WITHOUT_CAUSE]: 'memcg-oom',
      [WITHOUT_INNOCENT]: 'memcg-oom',
    } as const;
    saveExperiment('earlyoom', ends);
    await concludeAgain();
    expect((await runCli(home, ['why', VERDICT])).stdout).not.toContain('experiment');
    save(VERDICT, [cellOf(ADDRESS, 'earlyoom', 'failed')]);
    expect((await runCli(home, ['why', VERDICT])).stdout).toMatch(
      /^tested {4}refuted by experiment \(N = 9\), run /m,
    );
  });

  it('plans only what is left of one that broke off, and `run --resume` leaves it to prove', async () => {
    saveExperiment('memcg-oom', { [ADDRESS]: 'memcg-oom' }, [ADDRESS, WITHOUT_CAUSE, WITHOUT_INNOCENT]);
    const { stdout, status } = await runCli(home, ['prove', EXPERIMENT, '--dry-run']);
    expect([stdout, status]).toEqual([expect.stringContaining(WITHOUT_CAUSE), 0]);
    expect(stdout).toContain(`next: npx whodunit prove ${EXPERIMENT}\n`);
    const resumed = await runCli(home, ['run', '--resume', EXPERIMENT]);
    expect(resumed.stderr).toContain(`try: npx whodunit prove ${EXPERIMENT}`);
  });

  it.each([
    ['a cell that no run has', ['default/nobody'], /no saved run has a cell called/],
    [
      'a budget without a place for two runs',
      [ADDRESS, '--budget', '1m'],
      /is too small for 2 runs of each cell/,
    ],
    ['a number of runs that is none', [ADDRESS, '--repeat', '0'], /--repeat takes a whole number/],
    ['two forms at once', [EXPERIMENT, '--json', '--markdown'], /--json is not used here/],
  ])('refuses %s with one message', async (_, words, message) => {
    const { stderr, status } = await runCli(home, ['prove', ...words]);
    expect(stderr).toMatch(message);
    expect(stderr.match(/error LAB_/g)).toHaveLength(1);
    expect(status).toBe(2);
  });

  it.each<[string, CellResult, RegExp]>([
    ['nobody killed it', cellOf(ADDRESS, 'none'), /nobody killed it/],
    ['its killer is unknown', cellOf(ADDRESS, 'unknown', 'failed'), /its killer is unknown/],
    ['it was inconclusive', cellOf(ADDRESS, 'memcg-oom', 'inconclusive'), /verdict is inconclusive/],
  ])('refuses a verdict that names nobody: %s', async (_, cell, message) => {
    save(VERDICT, [cell]);
    const { stderr, status } = await runCli(home, ['prove', ADDRESS]);
    expect([stderr, status]).toEqual([expect.stringMatching(message), 2]);
  });

  it('says of a killer that nothing takes away that no experiment can tell', async () => {
    save(VERDICT, [cellOf(ADDRESS, 'self-exit')]);
    const { stdout, status } = await runCli(home, ['prove', ADDRESS]);
    expect([stdout, status]).toEqual([expect.stringContaining('no experiment can tell'), 3]);
  });
});
