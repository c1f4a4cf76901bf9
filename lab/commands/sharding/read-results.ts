import { findJsonInside } from '../../drivers/files/inside.ts';
import { chooseResults, type PartialResult } from '../../judge/verdict/join-results.ts';
import { isUnreadable } from '../../model/errors/errors.ts';
import { cellPaths, runPaths } from '../../model/host/paths.ts';
import { cellSchema, type CellResult } from '../../model/saved/formats.ts';
import type { PlannedShard } from '../../model/saved/shard-plan.ts';
import type { PartFolder } from './find-parts.ts';
import { readCells } from './find-parts.ts';

/** A result of a cell in a folder of a run. */
export interface FoundResult extends PartialResult {
  /** The folder of the run. */
  readonly root: string;
  /** The folder of the evidence, absolute. */
  readonly folder: string;
}

/** Finds the results of one cell in a part. */
type FindResults = (address: string) => FoundResult[];

/**
 * Opens what a part has of one shard. The result of a run is read once; a cell that it lacks, because it was cut short, is read from its
 * own file. Undefined when the part has nothing of that shard.
 */
export function openPart(part: PartFolder, { shard }: Pick<PlannedShard, 'shard'>): FindResults | undefined {
  const records = part.records.filter((record) => record.shard === shard);
  const [record] = records;
  if (record === undefined) return undefined;
  const { dir, isMerged } = part;
  const starts = new Map(records.map(({ run, startedAt }) => [run, startedAt]));
  if (isMerged) return (address) => readMerged(dir, address, starts);
  const cells = readCells(dir);
  return (address) => {
    const own = { root: dir, folder: runPaths(dir).cell(address).dir };
    const both = [cells.get(address), readOwn(dir, own.folder, address)];
    const found = both.flatMap((cell) => (cell === undefined ? [] : { ...own, cell, ...pickRun(record) }));
    return chooseResults(found).slice(0, 1);
  };
}

function pickRun({ run, startedAt }: { readonly run: string; readonly startedAt: string }) {
  return { run, startedAt };
}

/** In a merged run each result says which run it is of; of those that disagree each has a folder. */
function readMerged(dir: string, address: string, starts: ReadonlyMap<string, string>): FoundResult[] {
  const { dir: folder } = runPaths(dir).cell(address);
  const shown = readOwn(dir, folder, address);
  if (shown === undefined) return [];
  const isJoined = shown.rate === undefined && shown.attempts !== undefined;
  const folders = isJoined
    ? (shown.attempts ?? []).map(({ evidence }) => runPaths(dir).inRun(evidence).dir)
    : [folder];
  return folders.flatMap((place) => {
    const cell = isJoined ? readOwn(dir, place, address) : shown;
    const startedAt = starts.get(cell?.ranOn ?? '');
    if (cell?.ranOn === undefined || startedAt === undefined) return [];
    return { cell, run: cell.ranOn, startedAt, root: dir, folder: place };
  });
}

/** What the folder of a cell itself says; undefined when it says nothing that can be read. */
function readOwn(root: string, folder: string, address: string): CellResult | undefined {
  try {
    const { data } = cellSchema.safeParse(findJsonInside(root, cellPaths(folder).result));
    return data?.address === address ? data : undefined;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return undefined;
  }
}
