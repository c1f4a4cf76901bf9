import { join, resolve } from 'node:path';
import { isFolder, listFolder, pathExists } from '../../drivers/files/files.ts';
import { findJsonInside } from '../../drivers/files/inside.ts';
import { isUnreadable, UsageError } from '../../model/errors/errors.ts';
import { tryAll } from '../../model/errors/usage-problems.ts';
import { runPaths } from '../../model/host/paths.ts';
import { runResultSchema, type CellResult, type RunResult } from '../../model/saved/formats.ts';
import { mergedRecordSchema } from '../../model/saved/merged.ts';
import type { ShardPlan } from '../../model/saved/shard-plan.ts';
import { shardRecordSchema, type ShardRecord } from '../../model/saved/shard-record.ts';
import type { Context } from '../context/context.ts';
import { findSavedFolder } from '../saved/find-cells.ts';
import { refuseOtherFormat, shortDigest } from './read-plan.ts';

/** A run folder that has results of a plan: the run of one shard, or an earlier merge of several. */
export interface PartFolder {
  readonly dir: string;
  /** The runs whose results are in the folder. */
  readonly records: readonly ShardRecord[];
  readonly isMerged: boolean;
}

/** The most levels of folders that are searched for runs. */
const MAX_LEVELS = 4;
/** Far more than the 300 MB of a result with a hundred thousand cells. */
const MAX_RESULT_BYTES = 1024 * 1024 * 1024;

/**
 * Finds the runs of a plan. A word is the folder of a run, the id of a saved run, or a folder above several runs. A run
 * of another plan is refused if a word names it, and left out with a note if it was only found below a folder.
 *
 * @throws UsageError when a word names nothing, or a run of another plan, version or format.
 */
export function findParts(context: Context, words: readonly string[], plan: ShardPlan): PartFolder[] {
  const found = tryAll(words, (word) => {
    const dir = findSavedFolder(context, word);
    if (!isFolder(dir)) throw new UsageError(`"${word}" is a file`, { tryNext: 'name the folder of a run' });
    if (isRunFolder(dir)) return [readPart(dir, plan)];
    const below = listRunFolders(resolve(dir), MAX_LEVELS);
    return below.flatMap((run) => readFound(context, run, plan));
  }).flat();
  const unique = new Map(found.map((part) => [resolve(part.dir), part]));
  return [...unique.values()];
}

function isRunFolder(dir: string): boolean {
  const { plan, shard, merged, result } = runPaths(dir);
  return [plan, shard, merged, result].some(pathExists);
}

function listRunFolders(dir: string, depth: number): string[] {
  if (isRunFolder(dir)) return [dir];
  if (depth === 0) return [];
  return listFolder(dir)
    .filter((name) => !name.startsWith('.'))
    .map((name) => join(dir, name))
    .filter(isFolder)
    .flatMap((below) => listRunFolders(below, depth - 1));
}

/** Reads a run that was found below a folder. Runs of other plans are noted and left out. */
function readFound({ progress }: Context, dir: string, plan: ShardPlan): PartFolder[] {
  try {
    return [readPart(dir, plan)];
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    progress.note(`left out: ${error.message}`);
    return [];
  }
}

function readPart(dir: string, plan: ShardPlan): PartFolder {
  const paths = runPaths(dir);
  const value = tryRead(dir, paths.shard);
  if (value !== undefined) {
    refuseOtherFormat(paths.shard, value);
    const parsed = shardRecordSchema.safeParse(value);
    if (!parsed.success) throw refusePart(dir, 'its shard.json is not of this version');
    return { dir, records: [requirePlan(dir, parsed.data, plan)], isMerged: false };
  }
  const parts = readMergedParts(dir);
  if (parts === undefined)
    throw refusePart(dir, 'it is not a run of a plan: it has neither shard.json nor the result of a merge');
  return { dir, records: parts.map((record) => requirePlan(dir, record, plan)), isMerged: true };
}

/** Returns the parts of a merged run; undefined for any other run, and when its record cannot be read. */
function readMergedParts(dir: string): ShardRecord[] | undefined {
  return mergedRecordSchema.safeParse(tryRead(dir, runPaths(dir).merged)).data?.parts;
}

function tryRead(dir: string, path: string): unknown {
  try {
    return findJsonInside(dir, path, MAX_RESULT_BYTES);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return undefined; // a killed process has cut it short
  }
}

function requirePlan(dir: string, record: ShardRecord, plan: ShardPlan): ShardRecord {
  if (record.version !== plan.version)
    throw refusePart(dir, `whodunit ${record.version} ran it, and the plan is of ${plan.version}`);
  if (record.plan !== plan.plan)
    throw refusePart(
      dir,
      `it belongs to the plan ${shortDigest(record.plan)}, and this one is ${shortDigest(plan.plan)}`,
    );
  if (record.shard > plan.shards.length)
    throw refusePart(dir, `it is shard ${record.shard}, and the plan has ${plan.shards.length}`);
  return record;
}

function refusePart(dir: string, why: string): UsageError {
  return new UsageError(`${dir}: ${why}`, {
    tryNext: 'name only runs of this plan, or the plan of these runs',
  });
}

/** Returns the cells in the result of a run, by address; none when the result is missing or cut short. */
export function readCells(dir: string): Map<string, CellResult> {
  const value = tryRead(dir, runPaths(dir).result);
  const result: RunResult | undefined = runResultSchema.safeParse(value).data;
  return new Map(result?.cells.map((cell) => [cell.address, cell]));
}
