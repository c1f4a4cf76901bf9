import { findJsonInside } from '../../drivers/files/inside.ts';
import { chooseResults, type PartialResult } from '../../judge/verdict/join-results.ts';
import { isUnreadable } from '../../model/errors/errors.ts';
import { cellPaths, runPaths } from '../../model/host/paths.ts';
import { cellSchema, type CellResult } from '../../model/saved/formats.ts';
import type { PlannedShard } from '../../model/saved/shard-plan.ts';
import type { ShardRecord } from '../../model/saved/shard-record.ts';
import type { PartFolder } from './find-parts.ts';
import { readCells } from './find-parts.ts';

/** The result of a cell, and where it was found. */
export interface FoundResult extends PartialResult {
  /** The folder of the run. */
  readonly root: string;
  /** The folder of the evidence, absolute. */
  readonly folder: string;
}

/** Finds the results of one cell in a part. */
type FindResults = (address: string) => FoundResult[];

/**
 * Opens the results of one shard in a part. The result of a run is read once. A cell that it lacks, because the run was
 * killed, is read from its own file. Undefined when the part has nothing of that shard.
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
    const listed = toFound(own, cells.get(address), record);
    if (chooseResults(listed).length > 0) return listed;
    return chooseResults(toFound(own, readOwn(dir, own.folder, address), record));
  };
}

function toFound(
  place: Pick<FoundResult, 'root' | 'folder'>,
  cell: CellResult | undefined,
  { run, startedAt }: Pick<ShardRecord, 'run' | 'startedAt'>,
): FoundResult[] {
  return cell === undefined ? [] : [{ ...place, cell, run, startedAt }];
}

/** Reads a cell of a merged run. Each result names its run, and results that disagree have a folder each. */
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

/** Reads the result in the folder of a cell; undefined when there is none that can be read. */
function readOwn(root: string, folder: string, address: string): CellResult | undefined {
  try {
    const { data } = cellSchema.safeParse(findJsonInside(root, cellPaths(folder).result));
    return data?.address === address ? data : undefined;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return undefined;
  }
}
