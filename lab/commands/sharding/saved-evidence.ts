import { createHash } from 'node:crypto';
import { basename, dirname, relative, resolve } from 'node:path';
import { findCellFolders } from '../../drivers/files/cell-folder.ts';
import { findText, isFolder } from '../../drivers/files/files.ts';
import { variantName } from '../../model/axes/axes.ts';
import { UsageError } from '../../model/errors/errors.ts';
import type { CellRecord } from '../../model/evidence/observation.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { cellPaths } from '../../model/host/paths.ts';
import { parametersField } from '../../model/declared/parameters.ts';
import type { PlannedShard, ShardPlan } from '../../model/saved/shard-plan.ts';
import { groupBy } from '../../model/text/group-by.ts';
import { sum } from '../../model/text/sum.ts';
import { balance, idealSeconds } from '../../plan/shards/balance.ts';
import { digestPlan, totalsOf } from '../../plan/shards/plan-shards.ts';
import type { Context } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { readOwnVersion } from '../context/own-version.ts';
import { readCellRecords } from '../saved/read-cell-record.ts';
import { digestConfiguration } from './digest-configuration.ts';

/** A cell whose evidence was saved. */
export interface SavedEvidence {
  /** Folder of the cell, absolute. */
  readonly folder: string;
  /** The folders of the runs of a repeated cell; empty for a cell that ran once. */
  readonly runs: readonly string[];
  readonly record: CellRecord;
}

/** About how long reading and judging a cell takes, in seconds. */
const JUDGE_SECONDS = 1;

/**
 * Lists the cells below a folder, each once.
 *
 * @throws UsageError when there is none, or when two folders are of one cell; ConfigError when a record is wrong.
 */
export function listSavedEvidence(folder: string): SavedEvidence[] {
  const root = resolve(folder);
  if (!isFolder(root))
    throw new UsageError(`there is no folder "${folder}"`, { tryNext: '--evidence runs/<id>/cells' });
  const records = readCellRecords(findCellFolders(root));
  const units = groupBy([...records.keys()], (cell) =>
    /^run-\d+$/.test(basename(cell)) ? dirname(cell) : cell,
  );
  const found = [...units].map(([cell, runs]): SavedEvidence => {
    const record = records.get(runs[0] ?? '') as CellRecord;
    return { folder: cell, runs: runs.length === 1 && runs[0] === cell ? [] : runs, record };
  });
  if (found.length === 0)
    throw new UsageError(`no cell was saved in "${folder}"`, { tryNext: '--evidence runs/<id>/cells' });
  const byAddress = groupBy(found, ({ record }) => record.address);
  const twice = [...byAddress].filter(([, cells]) => cells.length > 1);
  if (twice.length > 0)
    throw new UsageError(
      twice
        .map(
          ([address, cells]) =>
            `${address} is in ${cells.map((cell) => relative(root, cell.folder)).join(' and ')}`,
        )
        .join('\n'),
      { tryNext: 'name a folder that has each cell once: that of a run' },
    );
  return found;
}

/** Returns the digest of everything that is judged: the records of the cells, and the configuration of the project. */
export function digestEvidence(
  { projectDir }: Pick<Context, 'projectDir'>,
  cells: readonly SavedEvidence[],
): string {
  const hash = createHash('sha256').update(digestConfiguration(projectDir));
  for (const { record, folder, runs } of cells)
    for (const cell of runs.length === 0 ? [folder] : runs)
      hash.update(`\0${record.address}\0${findText(cellPaths(cell).record) ?? ''}`);
  return hash.digest('hex');
}

/** Divides saved cells into shards that judge them again. */
export function planEvidence(context: Context, folder: string, flags: Flags): ShardPlan {
  const root = resolve(folder);
  const cells = listSavedEvidence(folder);
  const works = [...groupBy(cells, ({ record }) => variantName(record.variant))].map(([name, members]) => ({
    name,
    image: '',
    builtSeconds: 0,
    derivedSeconds: 0,
    cells: members,
  }));
  const balancing = { shards: flags.shards ?? 1, secondsOf: () => JUDGE_SECONDS, imageSeconds: 0 };
  const division = balance(works, balancing);
  const shards = division.shards.map((pieces, index): PlannedShard => {
    const worlds = [...groupBy(pieces, ({ world }) => world.name)].map(([name, parts]) => {
      const members = parts.flatMap((piece) => piece.cells);
      return {
        name,
        variant: { ...(members[0] as SavedEvidence).record.variant },
        image: '',
        estimateSeconds: 0,
        cells: members.map((cell) => ({
          address: cell.record.address,
          scenario: cell.record.scenario,
          ...parametersField(cell.record.parameters ?? {}),
          set: [],
          estimateSeconds: JUDGE_SECONDS,
          evidence: relative(root, cell.folder),
        })),
      };
    });
    const estimateSeconds = JUDGE_SECONDS * sum(worlds.map((world) => world.cells.length));
    return { shard: index + 1, estimateSeconds, memoryMiB: 0, cpus: 0, images: [], worlds };
  });
  return digestPlan({
    formatVersion: FORMAT_VERSION,
    work: 'judge',
    version: readOwnVersion(),
    configuration: digestEvidence(context, cells),
    words: [],
    host: {},
    estimates: 'defaults',
    images: [],
    shards,
    skipped: [],
    notes: [],
    totals: totalsOf(shards, { skipped: 0, images: 0, ideal: idealSeconds(works, balancing) }),
  });
}
