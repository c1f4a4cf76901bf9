import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { CellResult, RunResult } from '../../../lab/model/saved/formats.ts';
import type { MergeResult } from '../../../lab/model/saved/merged.ts';
import { PROJECT, runCli } from './run-cli.ts';
import { mergeShards, planCaptures, runShard, type Sharded } from './shards.ts';

/** A folder in which an engine runs the shards of a plan: its manifest calls `npx whodunit` there. */
export function makeWorkFolder(folder: string): string {
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  symlinkSync(join(PROJECT, 'bin/whodunit.mjs'), join(folder, 'node_modules/.bin/whodunit'));
  writeFileSync(join(folder, 'package.json'), '{}');
  return folder;
}

/** Writes the manifest of an engine for a plan, and returns its path. */
export async function writeManifest(
  engine: string,
  { plan, evidence }: Sharded,
  file: string,
): Promise<string> {
  const words = ['shard', 'manifest', '--engine', engine, '--plan', plan, '--evidence', evidence, '-o', file];
  const { status, stderr } = await runCli(join(file, '..'), words);
  expect(status, stderr).toBe(0);
  return file;
}

/** The cells of a merged run without the host that each ran on; nothing may be missing. */
export async function mergedCells(home: string, sharded: Sharded): Promise<Omit<CellResult, 'ranOn'>[]> {
  const { stdout } = await mergeShards(home, sharded, '--json');
  const { folder, lacking } = JSON.parse(stdout) as MergeResult;
  expect(lacking).toEqual([]);
  return cellsIn(folder);
}

/** The same cells, judged in one shard. */
export async function cellsOfOneShard(home: string, most: number): Promise<Omit<CellResult, 'ranOn'>[]> {
  const whole = await planCaptures(home, 1, most);
  await runShard(whole, 1);
  return mergedCells(home, whole);
}

function cellsIn(folder: string): Omit<CellResult, 'ranOn'>[] {
  const { cells } = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8')) as RunResult;
  return cells
    .map(({ ranOn: _, ...cell }) => cell)
    .sort((one, other) => (one.address < other.address ? -1 : 1));
}
