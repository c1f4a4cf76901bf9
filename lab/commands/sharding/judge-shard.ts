import { basename, resolve } from 'node:path';
import { linkFolder } from '../../drivers/files/link-folder.ts';
import { writeJsonAtomic } from '../../drivers/files/files.ts';
import { describeHost } from '../../drivers/host/host-facts.ts';
import { combineAttempts } from '../../judge/verdict/attempts.ts';
import { UsageError } from '../../model/errors/errors.ts';
import type { CellRecord } from '../../model/evidence/observation.ts';
import { parametersField } from '../../model/declared/parameters.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { cellPaths, runPaths, statePaths } from '../../model/host/paths.ts';
import type { CellResult, RunResult } from '../../model/saved/formats.ts';
import type { SavedPlan } from '../../model/saved/replay.ts';
import { judgeFolder } from '../../world/cell/judge-folder.ts';
import type { Context } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { writeReport } from '../output/write-report.ts';
import { saveResult } from '../running/record-run.ts';
import { nameRun, saveShardRecord } from '../running/shard-record.ts';
import { trimEvidence } from '../running/trim-evidence.ts';
import { getCellRecord } from '../saved/read-cell-record.ts';
import type { SavedRun } from '../saved/find-run.ts';
import { toSavedPlan } from './saved-plan.ts';
import type { AskedShard } from './load-shard.ts';
import { shortDigest } from './read-plan.ts';
import { digestEvidence, listSavedEvidence, type SavedEvidence } from './saved-evidence.ts';

/**
 * Judges the saved evidence of a shard again, as a run of its own. It starts no machine.
 *
 * @param flags `--evidence` names the folder with the evidence that was planned.
 * @throws UsageError when the folder has other evidence than was planned.
 */
export function judgeShard(context: Context, asked: AskedShard, flags: Flags): SavedRun {
  const { plan, shard } = asked;
  const { evidence: folder } = flags;
  if (folder === undefined)
    throw new UsageError('this plan judges saved evidence, and needs its folder', {
      tryNext: '--evidence <folder>, as when it was planned',
    });
  const saved = listSavedEvidence(folder);
  const digest = digestEvidence(context, saved);
  if (digest !== plan.configuration)
    throw new UsageError(
      `the plan is of other evidence, or of another configuration: ${shortDigest(plan.configuration)}, and ${folder} is ${shortDigest(digest)}`,
      { tryNext: `npx whodunit plan --evidence ${folder} --shards ${plan.shards.length} --out plan.json` },
    );
  const byFolder = new Map(saved.map((cell) => [cell.folder, cell]));
  const run = nameRun(context.clock.now(), asked);
  const paths = statePaths(context.stateDir).run(run);
  // The evidence does not say whether its guests used KVM, and nothing is run here.
  const head = {
    formatVersion: FORMAT_VERSION,
    run,
    startedAt: new Date(context.clock.now()).toISOString(),
    host: describeHost(),
    accelerator: 'tcg',
  } satisfies Omit<RunResult, 'totals' | 'cells'>;
  saveShardRecord(paths.dir, head, asked);
  writeJsonAtomic(paths.plan, toSavedPlan(plan, [shard]) satisfies SavedPlan);
  const cells: CellResult[] = [];
  for (const cell of shard.worlds.flatMap((world) => world.cells)) {
    const found = byFolder.get(resolve(folder, cell.evidence ?? ''));
    if (found === undefined) continue;
    cells.push(judgeSaved(paths.dir, found));
  }
  const result = saveResult(paths.dir, head, cells);
  const judged = { paths, result };
  writeReport(context, judged);
  if (flags.keepEvidence !== undefined) trimEvidence(judged, flags.keepEvidence, plan.plan);
  return judged;
}

/** Judges one cell, and saves its evidence and its result in the folder of the run. */
function judgeSaved(runDir: string, { folder, runs, record }: SavedEvidence): CellResult {
  const paths = runPaths(runDir);
  const target = paths.cell(record.address);
  const own = basename(target.result);
  linkFolder(folder, folder, target.dir, (path) => basename(path) === own);
  const evidence = paths.cellRelative(record.address);
  const results = runs.map((run) => {
    const name = basename(run);
    const result = judgeRecord(run, getCellRecord(run), `${evidence}/${name}`);
    writeJsonAtomic(cellPaths(`${target.dir}/${name}`).result, result);
    return result;
  });
  const result = runs.length === 0 ? judgeRecord(folder, record, evidence) : combineAttempts(results, 0);
  writeJsonAtomic(target.result, result);
  return result;
}

function judgeRecord(folder: string, record: CellRecord, evidence: string): CellResult {
  const { verdict, note, ...findings } = judgeFolder(folder, record).now;
  const [startedAt, deployedAt, endedAt] = [record.startedAt, record.deployedAt, record.endedAt].map(
    Date.parse,
  );
  const since = (at = 0): number => Math.max(0, at - (startedAt ?? 0));
  return {
    address: record.address,
    variant: { ...record.variant },
    scenario: record.scenario,
    ...parametersField(record.parameters ?? {}),
    verdict,
    expected: { ...record.expected },
    ...findings,
    timings: { restoreMs: 0, deployMs: since(deployedAt), verdictMs: 0, totalMs: since(endedAt) },
    evidence,
    ...(note === undefined ? {} : { note }),
  };
}
