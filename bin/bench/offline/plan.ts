/**
 * How well and how fast cells are divided among shards and put together again: `npm run bench plan`. The times of cells and
 * worlds are those of docs/measured/results.jsonl. Nothing is started.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../../../lab/commands/context/context.ts';
import { readOwnVersion } from '../../../lab/commands/context/own-version.ts';
import { loadWholeConfig } from '../../../lab/commands/setup/config.ts';
import { makeShardPlan } from '../../../lab/commands/sharding/make-plan.ts';
import { getShard, readShardPlan } from '../../../lab/commands/sharding/read-plan.ts';
import { digestConfiguration } from '../../../lab/commands/sharding/digest-configuration.ts';
import { readLines } from '../../../lab/drivers/files/files.ts';
import type { CellResult } from '../../../lab/model/saved/formats.ts';
import type { ShardPlan } from '../../../lab/model/saved/shard-plan.ts';
import { runPaths } from '../../../lab/model/host/paths.ts';
import { groupBy } from '../../../lab/model/text/group-by.ts';
import { sum } from '../../../lab/model/text/sum.ts';
import type { Config } from '../../../lab/plan/config/parse-config.ts';
import { planCells } from '../../../lab/plan/cells/plan-cells.ts';
import { balance, idealSeconds } from '../../../lab/plan/shards/balance.ts';
import { planShards } from '../../../lab/plan/shards/plan-shards.ts';
import { createEstimator } from '../../../lab/plan/worlds/estimate.ts';
import { parseResultRows } from '../../docs/result-row.ts';

type Print = (line: string) => void;

const SHARDS = [2, 4, 8, 16];
const CELLS = 100_000;
const LARGE_SHARDS = 100;

/** Prints how near the longest shard comes to the ideal, then how long a plan and a merge of 100,000 cells take. */
export function benchmarkPlan(context: Context, print: Print): void {
  printMakespans(context.projectDir, print);
  const folder = mkdtempSync(join(tmpdir(), 'whodunit-bench-plan-'));
  try {
    const file = join(folder, 'plan.json');
    const plan = planLarge(context, print);
    writeFileSync(file, JSON.stringify(plan));
    printOverhead(context, folder, print);
    saveRuns(plan, join(folder, 'shards'));
    printMerge(context.projectDir, folder, file, print);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function printMakespans(projectDir: string, print: Print): void {
  const rows = parseResultRows(readLines(join(projectDir, 'docs/measured/results.jsonl')));
  const timed = rows.filter(({ cell }) => cell !== undefined);
  const works = [...groupBy(timed, ({ address }) => address.slice(0, address.lastIndexOf('/')))].map(
    ([name, cells]) => {
      const up = Math.max(...cells.map(({ world = '' }) => readSeconds(world)), MEAN_UP_SECONDS);
      return { name, image: name, builtSeconds: up, derivedSeconds: up, cells };
    },
  );
  for (const shards of SHARDS) {
    const balancing = { shards, secondsOf: ({ cell = '' }) => readSeconds(cell), imageSeconds: 0 };
    const ideal = idealSeconds(works, balancing);
    const share =
      sum(works.map(({ builtSeconds, cells }) => builtSeconds + sum(cells.map(balancing.secondsOf)))) /
      shards;
    const { longestSeconds } = balance(works, balancing);
    const minutes = (seconds: number): string => (seconds / 60).toFixed(1);
    print(
      `${timed.length} cells in ${works.length} worlds, ${shards} shards: ${minutes(longestSeconds)} min; ` +
        `shortest possible ${minutes(ideal)}, ratio ${(longestSeconds / ideal).toFixed(2)} (<= 1.15); of an even share ${(longestSeconds / share).toFixed(2)}`,
    );
  }
}

/** What a world takes to come up where its row says only that it was restored. */
const MEAN_UP_SECONDS = 90;

/** `1m 28s, built`, `24.4 s`, `1h 02m`. */
function readSeconds(text: string): number {
  const part = (unit: string): number => Number(new RegExp(`([\\d.]+) ?${unit}`).exec(text)?.[1] ?? 0);
  return part('h') * 3600 + part('m') * 60 + part('s');
}

/** All scenarios on so many patch releases that there are about 100,000 cells. */
function enlargeReleases(config: Config): Config {
  const values = Array.from(
    { length: Math.ceil(CELLS / (config.scenarios.length * VARIANTS)) },
    (_, patch) => `1.30.${patch}`,
  );
  const kubernetes = { ...config.matrix.axes.kubernetes, values };
  return { ...config, matrix: { ...config.matrix, axes: { ...config.matrix.axes, kubernetes } } };
}

const WORDS = ['kubernetes=*', 'drivers=systemd+systemd,cgroupfs+cgroupfs', 'cgroup=v2,v1'];
/** Variants of a release that these words choose. */
const VARIANTS = 4;

function planLarge({ projectDir }: Context, print: Print): ShardPlan {
  const config = enlargeReleases(loadWholeConfig({ projectDir }));
  const needsOf = () => ({ image: 'image', memoryMiB: 3072, cpus: 2 });
  const common = { words: WORDS, host: {}, version: readOwnVersion(), shards: LARGE_SHARDS };
  const configuration = digestConfiguration(projectDir);
  const startedAt = cpuMs();
  const plan = planCells(config, WORDS);
  const plannedAt = cpuMs();
  const file = planShards({
    ...common,
    plan,
    matrix: config.matrix,
    estimator: createEstimator([]),
    needsOf,
    configuration,
  });
  const endedAt = cpuMs();
  const { cells, skipped, worlds } = file.totals;
  print(
    `plan of ${cells} cells in ${worlds} worlds (and ${skipped} skipped) for ${LARGE_SHARDS} shards: ` +
      `${seconds(endedAt - startedAt)} (<= 2 s), of which dividing ${seconds(endedAt - plannedAt)}`,
  );
  return file;
}

/** CPU time of this process: what else runs on the host does not count. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

/** What `run --plan --shard 1` of the set `quick` does that `run` does not: it reads a plan and the configuration. */
function printOverhead(context: Context, folder: string, print: Print): void {
  const file = join(folder, 'quick.json');
  const plan = makeShardPlan(context, [], { shards: 1 });
  writeFileSync(file, JSON.stringify(plan));
  const startedAt = performance.now();
  getShard(readShardPlan(file), 1, undefined);
  digestConfiguration(context.projectDir);
  const ms = performance.now() - startedAt;
  const share = ms / 10 / plan.totals.estimateSeconds;
  print(
    `overhead of --plan --shard 1 for the set quick: ${ms.toFixed(0)} ms, ${share.toFixed(3)} % (<= 1 %)`,
  );
}

/** A run folder for each shard, with results as large as real ones. */
function saveRuns(plan: ShardPlan, folder: string): void {
  const text = 'x'.repeat(220);
  for (const { shard, worlds } of plan.shards) {
    const paths = runPaths(join(folder, String(shard)));
    mkdirSync(paths.dir, { recursive: true });
    const run = `20261127-080000-ab12-${shard}of${plan.shards.length}`;
    const head = {
      formatVersion: 1 as const,
      run,
      startedAt: '2026-11-27T08:00:00.000Z',
      host: { kernel: '6.1' },
      accelerator: 'kvm' as const,
    };
    writeFileSync(
      paths.shard,
      JSON.stringify({ ...head, plan: plan.plan, shard, of: plan.shards.length, version: plan.version }),
    );
    const events: string[] = [];
    const cells = worlds.flatMap(({ variant, cells: planned }) =>
      planned.map(({ address, scenario }): CellResult => {
        const own = paths.cell(address);
        mkdirSync(own.dir, { recursive: true });
        writeFileSync(own.record, '{}');
        const ref = { source: 'kmsg', at: head.startedAt, file: 'node-1/kmsg.log', line: 41, text };
        events.push(JSON.stringify({ at: head.startedAt, event: 'cell-judged', address, verdict: 'passed' }));
        return {
          address,
          variant: { ...variant },
          scenario,
          verdict: 'passed',
          expected: { killer: 'memcg-oom' },
          attribution: {
            killer: 'memcg-oom',
            victim: 'a/b pid 1',
            confidence: 'proven',
            because: Array.from({ length: 6 }, () => ref),
          },
          claims: [{ layer: 'kernel', says: text, agrees: true }],
          mismatches: [],
          timings: { restoreMs: 1, deployMs: 1, verdictMs: 1, totalMs: 1 },
          evidence: paths.cellRelative(address),
        };
      }),
    );
    const totals = { passed: cells.length, failed: 0, inconclusive: 0, skipped: 0, interrupted: 0 };
    writeFileSync(paths.result, JSON.stringify({ ...head, totals, cells }));
    writeFileSync(paths.events, events.map((line) => `${line}\n`).join(''));
  }
}

/** In a process of its own: its memory counts. */
function printMerge(projectDir: string, folder: string, file: string, print: Print): void {
  const peak = join(folder, 'peak');
  const measured = `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(peak)}, String(process.resourceUsage().maxRSS)));`;
  writeFileSync(join(folder, 'measure.cjs'), measured);
  const startedAt = performance.now();
  execFileSync(
    process.execPath,
    [
      '--require',
      join(folder, 'measure.cjs'),
      join(projectDir, 'bin/whodunit.mjs'),
      'merge',
      join(folder, 'shards'),
      '--plan',
      file,
    ],
    { env: { ...process.env, WHODUNIT_HOME: join(folder, 'home') }, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const ms = performance.now() - startedAt;
  const [kib = '0'] = readLines(peak);
  print(`merge of it: ${seconds(ms)} (<= 60 s), ${(Number(kib) / 1024).toFixed(0)} MiB (<= 1024)`);
}
