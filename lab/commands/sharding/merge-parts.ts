import { randomUUID } from 'node:crypto';
import { basename, join } from 'node:path';
import { ensureFolder, writeJsonAtomic } from '../../drivers/files/files.ts';
import { linkFolder, replaceFolder, writeDraftText } from '../../drivers/files/link-folder.ts';
import { chooseResults, joinDisagreeing } from '../../judge/verdict/join-results.ts';
import { parametersField } from '../../model/declared/parameters.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { cellPaths, runPaths, statePaths, unfinishedName } from '../../model/host/paths.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import type { MergedRecord } from '../../model/saved/merged.ts';
import type { PlannedShard, ShardPlan } from '../../model/saved/shard-plan.ts';
import type { ShardRecord } from '../../model/saved/shard-record.ts';
import { keepsEvidence, type EvidenceRule } from '../../plan/shards/evidence-rule.ts';
import type { Context } from '../context/context.ts';
import type { PartFolder } from './find-parts.ts';
import { headOfMerge } from './merge-head.ts';
import { mergeEvents } from './merge-events.ts';
import { createResultWriter, type WrittenResult } from './write-result.ts';
import { openPart, type FoundResult } from './read-results.ts';
import { toSavedPlan } from './saved-plan.ts';

/** A shard with cells that have no result. */
interface LackingShard {
  readonly shard: number;
  /** Cells without a result. */
  readonly missing: readonly string[];
  readonly of: number;
  /** Whether any run of it was given. */
  readonly hasRun: boolean;
}

/** The result of a merge. */
export interface Merged extends WrittenResult {
  readonly run: string;
  readonly dir: string;
  readonly parts: readonly ShardRecord[];
  readonly lacking: readonly LackingShard[];
  /** Addresses of cells on which hosts disagree. */
  readonly disagreeing: readonly string[];
}

/** The parts of a merge, and which evidence is kept. */
interface Merging {
  readonly plan: ShardPlan;
  readonly parts: readonly PartFolder[];
  readonly keep: EvidenceRule;
}

/**
 * Merges the results of the shards of a plan: every planned cell once, in the order of the plan. Only one shard is in
 * memory at a time. The same parts give the same run, in whatever order and steps they are merged. It replaces an
 * earlier merge with the same first part.
 */
export function mergeParts({ stateDir }: Pick<Context, 'stateDir'>, merging: Merging): Merged {
  const { plan, parts } = merging;
  const records = listRecords(parts);
  const head = headOfMerge(plan, records);
  const final = statePaths(stateDir).run(head.run);
  const draft = join(stateDir, unfinishedName(process.pid, randomUUID()));
  ensureFolder(draft);
  const paths = runPaths(draft);
  const record: MergedRecord = { formatVersion: FORMAT_VERSION, plan: plan.plan, parts: records };
  writeJsonAtomic(paths.merged, record);
  writeJsonAtomic(paths.plan, toSavedPlan(plan));
  const writer = createResultWriter(paths.result, head);
  const lacking: LackingShard[] = [];
  const disagreeing: string[] = [];
  for (const shard of plan.shards) {
    const open = parts.flatMap((part) => openPart(part, shard) ?? []);
    const missing: string[] = [];
    for (const cell of listPlanned(shard)) {
      const found = chooseResults(open.flatMap((find) => find(cell.address)));
      if (found.length > 1) disagreeing.push(cell.address);
      if (found.length > 0) writer.add(placeCell(draft, found, merging));
      else {
        missing.push(cell.address);
        writer.add(unreturnedResult(cell, shard.shard, open.length > 0));
      }
    }
    if (missing.length > 0)
      lacking.push({ shard: shard.shard, missing, of: listPlanned(shard).length, hasRun: open.length > 0 });
  }
  for (const cell of plan.skipped) writer.add(skippedCell(cell));
  const written = writer.end();
  mergeEvents(parts, paths.events);
  replaceFolder(draft, final.dir, join(stateDir, unfinishedName(process.pid, randomUUID())));
  return { ...written, run: head.run, dir: final.dir, parts: records, lacking, disagreeing };
}

/** Lists the runs of all parts, each once, by shard and time. */
function listRecords(parts: readonly PartFolder[]): ShardRecord[] {
  const known = new Map(
    parts.flatMap(({ records }) => records).map((record) => [JSON.stringify(sortKeys(record)), record]),
  );
  const keyOf = ({ shard, startedAt, run }: ShardRecord): string =>
    `${String(shard).padStart(8, '0')} ${startedAt} ${run}`;
  return [...known.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function sortKeys(record: ShardRecord): unknown[] {
  const { host, ...rest } = record;
  return [Object.entries(host).sort(([a], [b]) => (a < b ? -1 : 1)), rest];
}

/** A planned cell with the variant of its world. */
type PlannedShardCell = PlannedShard['worlds'][number]['cells'][number] &
  Pick<PlannedShard['worlds'][number], 'variant'>;

function listPlanned({ worlds }: PlannedShard): PlannedShardCell[] {
  return worlds.flatMap(({ variant, cells }) => cells.map((cell) => ({ ...cell, variant })));
}

/** Puts the evidence of a cell into the merged run, and returns its result. */
function placeCell(draft: string, found: readonly FoundResult[], { plan, keep }: Merging): CellResult {
  const own = found.map((one) => {
    return { ...one, cell: { ...one.cell, ranOn: one.run } };
  });
  const [first] = own;
  if (first === undefined) throw new RangeError('a cell without a result is not placed');
  const { address } = first.cell;
  const paths = runPaths(draft);
  const relative = paths.cellRelative(address);
  const target = paths.cell(address).dir;
  if (own.length === 1) {
    placeEvidence(first, target, keepsEvidence(keep, first.cell, plan.plan));
    return first.cell;
  }
  // An attempt is found by its folder, even without evidence.
  const joined = joinDisagreeing(
    own.map((one, index) => {
      const name = `host-${index + 1}`;
      placeEvidence(one, join(target, name), true);
      return { ...one.cell, evidence: join(relative, name) };
    }),
  );
  writeDraftText(cellPaths(target).result, `${JSON.stringify(joined, null, 2)}\n`);
  return joined;
}

/** Links the files of one cell into a folder of the merged run, and writes its result there. */
function placeEvidence({ root, folder, cell }: FoundResult, target: string, isKept: boolean): void {
  const own = basename(cellPaths(folder).result);
  if (isKept) linkFolder(root, folder, target, (path) => path === own);
  else ensureFolder(target);
  writeDraftText(cellPaths(target).result, `${JSON.stringify(cell, null, 2)}\n`);
}

/** Makes the result of a planned cell that has none. */
function unreturnedResult(cell: PlannedShardCell, shard: number, hasRun: boolean): CellResult {
  return {
    ...emptyResult(cell),
    verdict: 'interrupted',
    note: hasRun ? `shard ${shard} did not return it` : `shard ${shard} returned nothing`,
  };
}

/** Makes the result of a cell that a rule refuses. */
function skippedCell(cell: ShardPlan['skipped'][number]): CellResult {
  return { ...emptyResult(cell), note: `${cell.rule}: ${cell.reason} (${cell.source})` };
}

function emptyResult({
  address,
  variant,
  scenario,
  parameters,
}: Pick<ShardPlan['skipped'][number], 'address' | 'variant' | 'scenario' | 'parameters'>): CellResult {
  return {
    address,
    variant: { ...variant },
    scenario,
    ...parametersField(parameters ?? {}),
    verdict: 'skipped',
    expected: {},
    attribution: { killer: 'unknown', victim: '', confidence: 'none', because: [] },
    claims: [],
    mismatches: [],
    timings: { restoreMs: 0, deployMs: 0, verdictMs: 0, totalMs: 0 },
    evidence: '',
  };
}
