import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunResult } from '../../../lab/model/saved/formats.ts';
import type { MergeResult } from '../../../lab/model/saved/merged.ts';
import { createRandom } from '../../random.ts';
import { PROJECT } from '../support/run-cli.ts';
import { mergeShards, planCaptures, runShard, type Sharded } from '../support/shards.ts';
import { mergedCells } from '../support/work-folder.ts';

const SHARDS = 3;
const CELLS = 6;
const SEED = 44;
/** Each kills a shard and a merge, at random moments. `WHODUNIT_KILLS=50` for 100 moments. */
const ROUNDS = Number(process.env.WHODUNIT_KILLS ?? '2');

let folder: string;
/** What nobody kills, and how long its programs take. */
let whole: Awaited<ReturnType<typeof mergedCells>>;
let shardMs: number;
let mergeMs: number;
let sharded: Sharded;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-shard-kills-'));
  sharded = await planCaptures(folder, SHARDS, CELLS);
  const startedAt = performance.now();
  for (let shard = 1; shard <= SHARDS; shard += 1) await runShard(sharded, shard);
  shardMs = (performance.now() - startedAt) / SHARDS;
  const mergedAt = performance.now();
  whole = await mergedCells(join(folder, 'whole'), sharded);
  mergeMs = performance.now() - mergedAt;
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts a command, ends it by SIGKILL after a while, and returns whether it was still running. */
function killAfter(home: string, words: readonly string[], ms: number): Promise<boolean> {
  const child = spawn(process.execPath, [join(PROJECT, 'bin/whodunit.mjs'), ...words], {
    cwd: PROJECT,
    env: { ...process.env, npm_lifecycle_event: undefined, WHODUNIT_HOME: home, WHODUNIT_CACHE: undefined },
    stdio: 'ignore',
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), ms);
  return new Promise((done) => {
    child.once('exit', () => {
      clearTimeout(timer);
      done(child.signalCode === 'SIGKILL');
    });
  });
}

/** Merges, and checks that what it says fits its exit code: never 0 with a cell missing. Returns whether all are there. */
async function isWholeMerge(home: string): Promise<boolean> {
  const { status, stdout } = await mergeShards(home, sharded, '--json');
  const { folder: run, lacking } = JSON.parse(stdout) as MergeResult;
  const { cells } = JSON.parse(readFileSync(join(run, 'result.json'), 'utf8')) as RunResult;
  const judged = cells.filter(({ verdict }) => verdict !== 'interrupted').length;
  expect(status).toBe(judged === CELLS ? 0 : 3);
  expect(lacking.length === 0).toBe(judged === CELLS);
  return judged === CELLS;
}

it.each(Array.from({ length: ROUNDS }, (_, round) => round))(
  'a plan whose shard and merge are killed is never whole by mistake, and whole after that index ran again: round %i',
  async (round) => {
    const random = createRandom(SEED + round);
    const shard = 1 + Math.floor(random() * SHARDS);
    const home = join(sharded.shards, String(shard));
    rmSync(home, { recursive: true, force: true });
    const words = ['run', '--plan', sharded.plan, '--shard', String(shard), '--evidence', sharded.evidence];
    const merged = join(folder, `merged-${round}`);
    const wasKilled = await killAfter(home, words, random() * shardMs);
    if (!(await isWholeMerge(merged))) expect(wasKilled).toBe(true);
    await runShard(sharded, shard);
    const merge = ['merge', sharded.shards, '--plan', sharded.plan];
    await killAfter(merged, merge, random() * mergeMs);
    expect(await isWholeMerge(merged)).toBe(true);
    expect(await mergedCells(merged, sharded)).toEqual(whole);
  },
);
