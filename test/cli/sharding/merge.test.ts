import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CellResult, RunResult } from '../../../lab/model/saved/formats.ts';
import type { MergeResult } from '../../../lab/model/saved/merged.ts';
import type { ShardPlan } from '../../../lab/model/saved/shard-plan.ts';
import { digestPlan } from '../../../lab/plan/shards/plan-shards.ts';
import { runCli } from '../support/run-cli.ts';
import { mergeShards, planCaptures, runShard, type Sharded } from '../support/shards.ts';

const SHARDS = 3;
const CELLS = 7;

let made: string;
let home: string;
let sharded: Sharded;
beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), 'whodunit-merge-'));
  sharded = await planCaptures(made, SHARDS, CELLS);
  for (let shard = 1; shard <= SHARDS; shard += 1) await runShard(sharded, shard);
});
afterAll(() => rmSync(made, { recursive: true }));

let copies = 0;
/** What the shards returned, to be changed; a state folder beside it. */
beforeEach(() => {
  copies += 1;
  home = join(made, `home-${copies}`);
  cpSync(join(made, 'shards'), join(home, 'shards'), { recursive: true });
  sharded = { ...sharded, shards: join(home, 'shards') };
});

const runOf = (shard: number): string => {
  const runs = join(home, 'shards', String(shard), 'runs');
  return join(runs, readdirSync(runs)[0]!);
};
const merge = async (...words: string[]): Promise<MergeResult & { status: number }> => {
  const { stdout, status } = await runCli(home, ['merge', ...words, '--plan', sharded.plan, '--json']);
  return { ...(JSON.parse(stdout) as MergeResult), status };
};
const resultIn = (folder: string): RunResult =>
  JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8')) as RunResult;
/** Everything that does not depend on the state folder: its history is on the page. */
const filesOf = (folder: string): Map<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/^report\.html$|facts/.test(entry.name))
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()
      .map((path) => [path.slice(folder.length), readFileSync(path, 'utf8')]),
  );
/** Changes the result of a cell in both of its files. */
function changeCell(shard: number, change: (cell: CellResult) => CellResult): string {
  const result = resultIn(runOf(shard));
  const [first, ...others] = result.cells;
  const changed = change(first!);
  const cells = [changed, ...others];
  const count = (verdict: string): number => cells.filter((cell) => cell.verdict === verdict).length;
  const totals = Object.fromEntries(Object.keys(result.totals).map((verdict) => [verdict, count(verdict)]));
  writeFileSync(join(runOf(shard), 'result.json'), JSON.stringify({ ...result, totals, cells }));
  writeFileSync(join(runOf(shard), first!.evidence, 'result.json'), JSON.stringify(changed));
  return first!.address;
}

describe('what shards returned', () => {
  it('is merged into an ordinary run with every planned cell once, and where each ran', async () => {
    const merged = await merge(sharded.shards);
    expect(merged.lacking).toEqual([]);
    const { cells, parts, plan } = resultIn(merged.folder);
    const planned = JSON.parse(readFileSync(sharded.plan, 'utf8')) as ShardPlan;
    const addresses = planned.shards.flatMap(({ worlds }) => worlds.flatMap((world) => world.cells));
    expect(cells.map(({ address }) => address)).toEqual(addresses.map(({ address }) => address));
    expect(cells).toHaveLength(CELLS);
    expect(plan).toBe(planned.plan);
    const runs = new Map(parts?.map((part) => [part.run, part]));
    for (const cell of cells) expect(runs.get(cell.ranOn ?? '')?.host.kernel).toBeTruthy();
    for (const file of ['report.html', 'junit.xml', 'plan.json', 'merged.json'])
      expect(existsSync(join(merged.folder, file))).toBe(true);
    const again = await runCli(home, ['judge', merged.run, '--json']);
    expect(again.status).toBe(0);
    const exported = await runCli(home, ['export', merged.run, '--out', join(home, 'merged.tar.gz')]);
    expect(exported.status).toBe(0);
    const { stdout } = await runCli(home, ['history', cells[0]!.address]);
    expect(stdout).toContain(merged.run);
    // No word selected its cells, and no set either.
    const listed = await runCli(home, ['runs', '--json']);
    expect(listed.stdout).toContain(merged.run);
    expect(listed.stdout).not.toContain('"words"');
  });

  it('makes the same files in any order and in any steps', async () => {
    const whole = await merge(runOf(3), runOf(1), runOf(2));
    const files = filesOf(whole.folder);
    const first = await merge(runOf(1), runOf(2));
    expect(first.status).toBe(3);
    const stepwise = await merge(runOf(3), first.folder);
    expect(stepwise.run).toBe(whole.run);
    expect(filesOf(stepwise.folder)).toEqual(files);
    const itself = await merge(stepwise.run, stepwise.run);
    expect(filesOf(itself.folder)).toEqual(files);
  });

  it('is not whole while a shard is missing: named, with exit code 3 and the line that runs it again', async () => {
    rmSync(join(home, 'shards/2'), { recursive: true });
    const { status, stdout } = await mergeShards(home, sharded);
    expect(status).toBe(3);
    expect(stdout).toContain('shard 2 returned nothing: 2 cells missing');
    expect(stdout).toContain(`npx whodunit run --plan ${sharded.plan} --shard 2`);
    cpSync(join(made, 'shards/2'), join(home, 'shards/2'), { recursive: true });
    expect((await merge(sharded.shards)).lacking).toEqual([]);
  });

  it.each<[string, (run: string) => void]>([
    ['cut short', (run) => writeFileSync(join(run, 'result.json'), '{"formatVersion":1,"run":"2')],
    ['not there', (run) => rmSync(join(run, 'result.json'))],
    ['empty', (run) => writeFileSync(join(run, 'result.json'), '')],
  ])('is rebuilt from the cells where a result is %s', async (_, damage) => {
    const before = resultIn((await merge(sharded.shards)).folder);
    damage(runOf(2));
    const merged = await merge(sharded.shards);
    expect(merged.lacking).toEqual([]);
    expect(resultIn(merged.folder)).toEqual(before);
  });

  it('lacks a cell that was interrupted', async () => {
    const address = changeCell(2, (cell) => ({ ...cell, verdict: 'interrupted' }));
    const merged = await merge(sharded.shards);
    expect(merged.status).toBe(3);
    expect(merged.lacking).toMatchObject([{ shard: 2, missing: [address] }]);
  });

  it('is inconclusive where two hosts disagree, with both as attempts, and agrees in any order', async () => {
    const other = join(home, 'shards/2b/runs/20990101-000000-ffff-2of3');
    cpSync(runOf(2), other, { recursive: true });
    const record = JSON.parse(readFileSync(join(other, 'shard.json'), 'utf8')) as object;
    const later = { ...record, run: '20990101-000000-ffff-2of3', startedAt: '2099-01-01T00:00:00.000Z' };
    writeFileSync(join(other, 'shard.json'), JSON.stringify(later));
    expect((await merge(sharded.shards)).disagreeing).toEqual([]);
    const address = changeCell(2, (cell) => ({
      ...cell,
      verdict: 'failed',
      attribution: { ...cell.attribution, killer: 'global-oom' },
    }));
    const merged = await merge(other, runOf(1), runOf(2), runOf(3));
    expect(merged.disagreeing).toEqual([address]);
    expect(merged.status).not.toBe(0);
    const files = filesOf(merged.folder);
    const cell = resultIn(merged.folder).cells.find((one) => one.address === address);
    expect(cell?.verdict).toBe('inconclusive');
    expect(cell?.attempts?.map(({ verdict }) => verdict)).toEqual(['failed', 'passed']);
    const partly = await merge(runOf(2), other);
    const stepwise = await merge(runOf(3), partly.folder, runOf(1));
    expect(filesOf(stepwise.folder)).toEqual(files);
  });

  it('of another plan, version or format is refused by its name', async () => {
    const record = join(runOf(2), 'shard.json');
    const saved = JSON.parse(readFileSync(record, 'utf8')) as Record<string, unknown>;
    for (const [change, message] of [
      [{ plan: '0'.repeat(64) }, 'it belongs to the plan 000000000000'],
      [{ version: '9.9.9' }, 'whodunit 9.9.9 ran it'],
      [{ formatVersion: 7 }, 'has format version 7'],
    ] as const) {
      writeFileSync(record, JSON.stringify({ ...saved, ...change }));
      const named = await runCli(home, ['merge', runOf(1), runOf(2), '--plan', sharded.plan]);
      expect(named.status).toBe(2);
      expect(named.stderr).toContain(message);
      const found = await mergeShards(home, sharded);
      expect(found.status).toBe(3);
      expect(found.stderr).toContain(message);
    }
  });

  it('keeps the evidence that is wanted, and every result', async () => {
    const merged = await runCli(home, [
      'merge',
      sharded.shards,
      '--plan',
      sharded.plan,
      '--keep-evidence',
      'failed',
      '--json',
    ]);
    const { folder } = JSON.parse(merged.stdout) as MergeResult;
    for (const { verdict, evidence } of resultIn(folder).cells) {
      expect(existsSync(join(folder, evidence, 'cell.json'))).toBe(verdict !== 'passed');
      expect(existsSync(join(folder, evidence, 'result.json'))).toBe(true);
    }
  });
});

describe('a shard', () => {
  it.each<[string, (plan: ShardPlan) => object, string[], string]>([
    [
      'a plan that was changed',
      (plan) => ({ ...plan, words: ['x'] }),
      ['1'],
      'was changed after it was written',
    ],
    [
      'of another version',
      (plan) => digestPlan({ ...plan, version: '9.9.9' }),
      ['1'],
      'a plan of whodunit 9.9.9',
    ],
    ['of another format', (plan) => ({ ...plan, formatVersion: 7 }), ['1'], 'has format version 7'],
    ['an index out of range', (plan) => plan, ['4'], 'there is no shard 4: the plan has shards 1 to 3'],
    [
      'another number of tasks',
      (plan) => plan,
      ['1/4'],
      'the engine runs 4 tasks, and the plan has 3 shards',
    ],
    [
      'another configuration',
      (plan) => digestPlan({ ...plan, work: 'run', configuration: '0'.repeat(64) }),
      ['1'],
      'the plan is of another configuration: 000000000000',
    ],
  ])('is refused: %s', async (_, change, [shard = ''], message) => {
    const file = join(home, 'changed.json');
    const plan = JSON.parse(readFileSync(sharded.plan, 'utf8')) as ShardPlan;
    writeFileSync(file, JSON.stringify(change(plan)));
    const { status, stderr } = await runCli(home, [
      'run',
      '--plan',
      file,
      '--shard',
      shard,
      '--evidence',
      sharded.evidence,
    ]);
    expect(stderr).toContain(message);
    expect(status).toBe(2);
  });

  it('is refused where the evidence is not what was planned', async () => {
    const evidence = join(home, 'less');
    const [one = ''] = readdirSync(sharded.evidence);
    cpSync(join(sharded.evidence, one), join(evidence, one), { recursive: true });
    const words = ['run', '--plan', sharded.plan, '--shard', '1', '--evidence', evidence];
    const { status, stderr } = await runCli(home, words);
    expect(stderr).toContain('the plan is of other evidence');
    expect(status).toBe(2);
  });
});
