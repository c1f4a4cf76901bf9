import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestScenario } from '../../lab/plan/parameters/digest-scenario.ts';
import { DEFAULT_VARIANT } from '../../lab/model/axes/axes.ts';
import { listSchema, type CellResult } from '../../lab/model/saved/formats.ts';
import { formatDuration } from '../../lab/model/text/format-duration.ts';
import { createRunOf } from '../unit/report/made-run.ts';
import { configWith } from '../unit/project-files.ts';
import { runCli } from './support/run-cli.ts';

const { scenarios } = configWith();
const { source } = scenarios.find(({ scenario }) => scenario.name === 'plain-exit')!;
const OLD = { ...source, scenario: { ...(source.scenario as object), title: 'It was called otherwise.' } };

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-investigate-'));
  save('20250101-0900-good', 'default', 'passed', digestScenario(OLD));
  save('20250102-0900-same', 'containerd-1.7.27', 'passed', digestScenario(source));
  save('20250103-0900-bad', 'default', 'failed', digestScenario(source));
  write(join(home, 'scenarios', `${digestScenario(OLD)}.json`), OLD);
});
afterAll(() => rmSync(home, { recursive: true }));

function write(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(value));
}

function save(run: string, name: string, verdict: CellResult['verdict'], digest: string): void {
  const containerd = name === 'default' ? DEFAULT_VARIANT.containerd : '1.7.27';
  const cell: CellResult = {
    address: `${name}/plain-exit`,
    variant: { ...DEFAULT_VARIANT, containerd },
    scenario: 'plain-exit',
    verdict,
    expected: {},
    attribution: { killer: 'self-exit', victim: '', confidence: 'none', because: [] },
    claims: [],
    mismatches: [],
    timings: { restoreMs: 1, deployMs: 1, verdictMs: 1, totalMs: 3 },
    evidence: `cells/${name}/plain-exit`,
  };
  const dir = join(home, 'runs', run);
  write(
    join(dir, 'result.json'),
    createRunOf([cell], { run, startedAt: `${run.slice(0, 4)}-01-${run.slice(6, 8)}T09:00:00.000Z` }),
  );
  const scenario = { name: 'plain-exit', digest };
  write(join(dir, cell.evidence, 'origin.json'), { formatVersion: 1, scenario, components: [] });
}

describe('run --investigate --dry-run', () => {
  it('shows the ways in which a failure is looked into, from the saved runs, and starts nothing', async () => {
    const { status, stdout } = await runCli(home, [
      'run',
      'plain-exit',
      '--investigate',
      '--dry-run',
      '--json',
    ]);
    const { investigates } = listSchema.parse(JSON.parse(stdout));
    const { legs, estimateSeconds } = investigates![0]!;
    expect(status).toBe(0);
    expect(estimateSeconds).toBeGreaterThan(0);
    expect(legs).toEqual([
      { kind: 'alone', changes: [], address: 'default/plain-exit-again-alone' },
      { kind: 'world', changes: [], address: 'default/plain-exit-again-fresh-world' },
      {
        kind: 'versions',
        good: '20250102-0900-same',
        changes: [`containerd=${DEFAULT_VARIANT.containerd} is containerd=1.7.27`],
        address: 'containerd-1.7.27/plain-exit-again-last-build',
      },
      {
        kind: 'scenario',
        good: '20250101-0900-good',
        changes: ['as in run 20250101-0900-good'],
        address: 'default/plain-exit-again-last-scenario',
      },
    ]);
  });

  it('says what is left out where no saved run is good', async () => {
    const { status, stdout } = await runCli(home, ['run', 'exit-one', '--investigate', '--dry-run']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^only if the cell fails: these are run too, .+ at the most\n/);
    expect(stdout.match(/left out: no saved run has it as passed/g)).toHaveLength(2);
  });

  it('counts only as many failures as are investigated', async () => {
    const ask = (...flags: string[]) =>
      runCli(home, [
        'run',
        'plain-exit',
        'exit-*',
        'worker-*-then-exit',
        '--investigate',
        '--dry-run',
        ...flags,
      ]);
    const { investigates = [] } = listSchema.parse(JSON.parse((await ask('--json')).stdout));
    const seconds = investigates
      .map(({ estimateSeconds }) => estimateSeconds)
      .sort((one, other) => other - one);
    expect(seconds.length).toBeGreaterThan(4);
    const most = formatDuration(seconds.slice(0, 4).reduce((sum, one) => sum + one, 0) * 1000);
    expect((await ask()).stdout).toContain(
      `only if cells fail (for 4 of them at the most): each is run again, ${most} at the most\n`,
    );
  });
});
