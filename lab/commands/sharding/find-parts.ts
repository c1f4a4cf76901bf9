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
  /** The runs whose results it has. */
  readonly records: readonly ShardRecord[];
  readonly isMerged: boolean;
}

/** Levels of folders that are looked into: of state folders in a folder, the runs. */
const MAX_LEVELS = 4;
/** A result of a hundred thousand cells has some 300 MB, and its head is all that is needed of it. */
const MAX_RESULT_BYTES = 1024 * 1024 * 1024;

/**
 * Finds the runs of a plan that words name: folders of runs, ids of saved runs, or folders above them. A run of another plan is refused where
 * it was named itself, and left out with a note where it was only found.
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

/** A run that nobody named by itself: a state folder may have others. */
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

/** The parts of a merged run; undefined when it is none, or cannot be read. */
function readMergedParts(dir: string): ShardRecord[] | undefined {
  return mergedRecordSchema.safeParse(tryRead(dir, runPaths(dir).merged)).data?.parts;
}

function tryRead(dir: string, path: string): unknown {
  try {
    return findJsonInside(dir, path, MAX_RESULT_BYTES);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return undefined; // cut short
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

/** The cells of a run, as its result has them; none where that is cut short or not there. */
export function readCells(dir: string): Map<string, CellResult> {
  const value = tryRead(dir, runPaths(dir).result);
  const result: RunResult | undefined = runResultSchema.safeParse(value).data;
  return new Map(result?.cells.map((cell) => [cell.address, cell]));
}
