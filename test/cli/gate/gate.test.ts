import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CellResult, RunResult } from '../../../lab/model/saved/formats.ts';
import {
  baselineSchema,
  gatePlanSchema,
  gateSchema,
  type GatePlan,
  type GateResult,
} from '../../../lab/model/saved/gate.ts';
import { runCli } from '../support/run-cli.ts';
import { planCaptures, runShard } from '../support/shards.ts';

const SHARDS = 2;
const CELLS = 5;

let home: string;
/** Runs of both shards, and so many copies of each, as if each had been run so often. */
const before: string[] = [];
const changed: string[] = [];

/** Copies the run of a shard as another run, with other claims of the API if asked. */
function copyRun(shard: number, name: string, change: (cell: CellResult) => CellResult): string {
  const runs = join(home, 'shards', String(shard), 'runs');
  const copy = join(home, `${name}-${shard}`);
  cpSync(join(runs, readdirSync(runs)[0]!), copy, { recursive: true });
  const path = join(copy, 'result.json');
  const result = JSON.parse(readFileSync(path, 'utf8')) as RunResult;
  const cells = result.cells.map(change);
  writeFileSync(path, JSON.stringify({ ...result, run: `${result.run}-${name}`, cells }));
  return copy;
}

const same = (cell: CellResult): CellResult => cell;
const asExit3 = (cell: CellResult): CellResult => ({
  ...cell,
  claims: cell.claims.map((claim) => (claim.layer === 'api' ? { ...claim, says: 'Error, exit 3' } : claim)),
});

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-gate-'));
  const sharded = await planCaptures(home, SHARDS, CELLS);
  for (let shard = 1; shard <= SHARDS; shard += 1) {
    await runShard(sharded, shard);
    for (const trial of ['a', 'b', 'c']) before.push(copyRun(shard, `before-${trial}`, same));
    for (const trial of ['a', 'b', 'c', 'd']) changed.push(copyRun(shard, `changed-${trial}`, asExit3));
  }
});
afterAll(() => rmSync(home, { recursive: true }));

const ask = async (words: readonly string[]): Promise<{ answer: unknown; status: number }> => {
  const { stdout, stderr, status } = await runCli(home, ['gate', ...words, '--json']);
  expect(stderr).toBe('');
  return { answer: JSON.parse(stdout), status };
};
const gate = async (...words: string[]): Promise<GateResult & { status: number }> => {
  const { answer, status } = await ask(words);
  return { ...gateSchema.parse(answer), status };
};

describe('gate over saved runs', () => {
  it('is green where every cell ends as before, and red where deaths changed, with the proof of both sides', async () => {
    const good = await gate('--base', ...before, '--head', ...before);
    expect([good.status, good.same.length, good.changed.length]).toEqual([0, CELLS, 0]);
    const bad = await gate('--base', ...before, '--head', ...changed);
    expect(bad.status).toBe(1);
    expect(bad.changed.length).toBeGreaterThan(0);
    for (const { says, base, head } of bad.changed) {
      expect(says).toMatch(/this change turns .* in 4 of 4 \(base 0 of 4?3?\)/);
      expect(base.deaths[0]?.because.length).toBeGreaterThan(0);
      expect(head.deaths[0]?.because.length).toBeGreaterThan(0);
    }
  });

  it('writes a baseline, and compares with it', async () => {
    const file = join(home, 'base.json');
    const { status } = await runCli(home, ['gate', '--record', file, '--base', ...before, '--json']);
    expect(status).toBe(0);
    const baseline = baselineSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    expect(baseline.cells.map(({ of }) => of)).toEqual(Array(CELLS).fill(3));
    const folder = join(home, 'answer');
    const answer = await gate('--baseline', file, '--head', ...changed, '--save', folder);
    expect(answer.status).toBe(1);
    expect(readdirSync(folder).sort()).toEqual(['gate.json', 'gate.md', 'gate.xml']);
  });

  it('is not green when a shard is missing, and says so', async () => {
    const half = await gate('--base', ...before, '--head', before[0]!);
    expect(half.status).toBe(3);
    expect(half.notDecided.map(({ why }) => why)).toContain('it was not run with the change');
  });

  it('refuses the baseline of another program, and a file that is none', async () => {
    const file = join(home, 'runc.json');
    await runCli(home, ['gate', '--for', 'runc', '--record', file, '--base', ...before]);
    const other = await runCli(home, ['gate', '--for', 'kubelet', '--baseline', file, '--head', ...before]);
    expect([other.status, other.stderr]).toEqual([
      2,
      expect.stringContaining('the baseline is for runc, not for kubelet'),
    ]);
    const none = await runCli(home, [
      'gate',
      '--baseline',
      join(before[0]!, 'result.json'),
      '--head',
      ...before,
    ]);
    expect([none.status, none.stderr]).toEqual([2, expect.stringContaining('it is not a baseline')]);
  });
});

describe('gate --dry-run', () => {
  it('shows the cells that a diff may touch, and stays within the budget', async () => {
    const diff = join(home, 'change.diff');
    writeFileSync(diff, 'diff --git a/libcontainer/seccomp/patch.go b/libcontainer/seccomp/patch.go\n');
    const words = ['--for', 'runc', '--from', diff, '--minutes', '30', '--dry-run'];
    const { answer, status } = await ask(words);
    const plan = gatePlanSchema.parse(answer);
    expect(status).toBe(0);
    expect(plan.areas.map(({ id }) => id)).toEqual(['isolation']);
    expect(plan.cells.map(({ address }) => address).join()).toContain('seccomp');
    expect(plan.estimateSeconds).toBeLessThanOrEqual(30 * 60);
  });

  it('looks at no cell in whose world no pod starts, as declared', async () => {
    const planOf = async (...words: string[]): Promise<GatePlan> =>
      gatePlanSchema.parse((await ask(['--for', 'runsc', '--dry-run', ...words])).answer);
    const newest = await planOf('--minutes', '20');
    expect(newest.withoutPods).toBe(0);
    expect(newest.cells.length).toBeGreaterThan(0);
    for (const { address, seconds } of newest.cells) {
      expect(address).toMatch(/runsc@\d+\+systemd-cgroup\//);
      expect(seconds, address).toBeGreaterThan(0);
    }

    const mixed = await planOf('runtime=runsc@apt,runsc@20240916', 'scenario=sandbox-limit');
    expect(mixed.withoutPods).toBeGreaterThan(0);
    expect(mixed.cells.map(({ address }) => address).join()).not.toContain('runsc@apt');
    const debian = await runCli(home, ['gate', '--for', 'runsc', 'runtime=runsc@apt', '--dry-run']);
    expect([debian.status, debian.stderr]).toEqual([
      2,
      expect.stringContaining('no pod starts in its world, as declared (runsc-start-keeps-the-pipe)'),
    ]);
  });

  it('refuses a baseline whose runc ran the control plane too for one that runs only workloads', async () => {
    const file = join(home, 'everywhere.json');
    await runCli(home, ['gate', '--for', 'runc', '--record', file, '--base', ...before]);
    const baseline = baselineSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    const [cell] = baseline.cells.filter(({ address }) => address.startsWith('default/'));
    const old = {
      ...cell!,
      address: `runc@1.4.3/${cell!.scenario}`,
      variant: { ...cell!.variant, runtime: 'runc@1.4.3' },
      versions: { runc: '1.4.3' },
    };
    writeFileSync(file, JSON.stringify({ ...baseline, cells: [old] }));
    const gateOf = (build: string) =>
      runCli(home, ['gate', '--for', 'runc', '--baseline', file, `runtime=${build}`, '--dry-run']);
    const workloads = await gateOf('runc@1.5.2');
    expect([workloads.status, workloads.stderr]).toEqual([
      2,
      expect.stringContaining(
        `runc@1.5.2/${old.scenario} runs only workloads under its runc, and in the baseline runc@1.4.3+everywhere/${old.scenario} ran the control plane too`,
      ),
    ]);
    const everywhere = await gateOf('runc@1.5.2+everywhere');
    expect([everywhere.status, everywhere.stdout]).toEqual([
      0,
      expect.stringContaining(`runc@1.5.2+everywhere/${old.scenario}`),
    ]);
  });

  it('refuses a baseline of another text of the scenario before anything is run', async () => {
    const file = join(home, 'other-text.json');
    await runCli(home, ['gate', '--for', 'runc', '--record', file, '--base', ...before]);
    const baseline = baselineSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    const [cell] = baseline.cells.filter(({ address }) => address.startsWith('default/'));
    writeFileSync(file, JSON.stringify({ ...baseline, cells: [{ ...cell!, digest: 'f'.repeat(64) }] }));
    const words = ['gate', '--for', 'runc', '--baseline', file, 'runtime=runc@1.5.2', '--dry-run'];
    const { status, stderr } = await runCli(home, words);
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining(`the scenario ${cell!.scenario} is not the one that the baseline ran`),
    ]);
  });

  it('refuses a change that can change no death, and another program than the one named', async () => {
    const diff = join(home, 'docs.diff');
    writeFileSync(diff, 'diff --git a/README.md b/README.md\n');
    const docs = await runCli(home, ['gate', '--for', 'runc', '--from', diff, '--dry-run']);
    expect([docs.status, docs.stderr]).toEqual([
      2,
      expect.stringContaining('no changed path can change how a pod dies'),
    ]);
    const crun = await runCli(home, ['gate', '--for', 'crun', 'runtime=runc', '--dry-run']);
    expect([crun.status, crun.stderr]).toEqual([2, expect.stringContaining('runtime=runc is not crun')]);
  });
});
