import { describeHost } from '../../drivers/host/host-facts.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { statePaths } from '../../model/host/paths.ts';
import type { RunResult } from '../../model/saved/formats.ts';
import { toListResult } from '../../plan/cells/list-result.ts';
import type { Plan } from '../../plan/cells/plan-cells.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { listNotesOfReleases } from '../../plan/variants/newer-releases.ts';
import { renderCost } from '../../report/terminal/render-list.ts';
import { proveAccelerator } from '../../world/host/accelerator.ts';
import { DEFAULT_NEEDS } from '../../world/host/checks.ts';
import type { Lab } from '../../world/lab.ts';
import { createKeptFacts, type KeptFacts } from '../../world/run/kept-facts.ts';
import { runCells, type RunOptions } from '../../world/run/run-cells.ts';
import { listComponentsOfCells } from '../../world/run/save-origins.ts';
import { skippedResult } from '../../world/run/unseen-cell.ts';
import type { Context } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { writeReport } from '../output/write-report.ts';
import type { SavedRun } from '../saved/find-run.ts';
import { refuseResume, type UnfinishedRun } from '../saved/resume-run.ts';
import { keepScenarios } from '../saved/scenario-store.ts';
import { refuseUnlocked } from '../setup/refuse-unlocked.ts';
import { withLab } from '../setup/with-lab.ts';
import { recordRun, saveResult, type AskedRun, type RunHead } from './record-run.ts';
import { findShardRecord, joinPlan, nameRun, saveShardRecord, type RunOfShard } from './shard-record.ts';
import { trimEvidence } from './trim-evidence.ts';

/** A run that is asked for. */
export interface RunRequest {
  readonly config: Config;
  readonly plan: Plan;
  readonly flags: Flags;
  readonly asked?: AskedRun;
  /** The run that is resumed; absent for a new one. */
  readonly begun?: UnfinishedRun;
  /** With `--cold`: saved worlds stay as they are, and the worlds that are built are not kept. */
  readonly apart?: boolean;
  /** The shard of a plan file, if the cells are one. */
  readonly shard?: RunOfShard;
}

/** Runs planned cells, saves the run with its report, and returns it. */
export async function runPlan(context: Context, request: RunRequest): Promise<SavedRun> {
  const { config, plan, flags, begun, apart = false } = request;
  const options = { ...toRunOptions(plan, flags), apart };
  const listComponents = () => listComponentsOfCells({ host: context, ...config }, plan.cells);
  await refuseUnlocked(context, config, listComponents, { terraform: plan.cells.length > 0 });
  announce(context, config, plan);
  const id = begun?.result.run ?? nameRun(context.clock.now(), request.shard);
  const paths = statePaths(context.stateDir).run(id);
  const digest = request.shard?.plan.plan ?? findShardRecord(paths.dir)?.plan;
  const leave = digest === undefined ? undefined : joinPlan(context, digest);
  try {
    const result = await runInFolder(context, paths.dir, id, request, options);
    const run = { paths, result };
    writeReport(context, run, options.facts);
    if (flags.keepEvidence !== undefined) trimEvidence(run, flags.keepEvidence, digest);
    return run;
  } finally {
    leave?.();
  }
}

/** Prints the cost of the run, and what is to be known about its releases. */
function announce({ progress }: Context, config: Config, plan: Plan): void {
  const variants = plan.worlds.map(({ variant }) => variant);
  progress.note(renderCost(toListResult(plan)));
  for (const { reason } of listNotesOfReleases(config, variants)) progress.note(reason);
}

async function runInFolder(
  context: Context,
  dir: string,
  id: string,
  { config, plan, flags, asked = {}, begun, shard }: RunRequest,
  options: PlannedOptions,
): Promise<RunResult> {
  if (plan.cells.length === 0) {
    const head = await describeRun(context, id);
    if (shard !== undefined) saveShardRecord(dir, head, shard);
    return saveEmptyRun(dir, head, plan);
  }
  const needs = { ...DEFAULT_NEEDS, memoryMiB: plan.memoryMiB };
  const work = async (lab: Lab): Promise<RunResult> => {
    keepScenarios(
      context,
      plan.cells.map(({ loaded }) => loaded),
    );
    const head = await describeRun(context, id);
    if (begun !== undefined) refuseResume(context, begun, head);
    if (shard !== undefined) saveShardRecord(dir, head, shard);
    const recorder = recordRun(dir, { head, plan, asked, begun });
    await runCells(lab, dir, plan.cells, { ...options, onResult: recorder.add });
    return recorder.result();
  };
  return withLab(context, config, needs, work, flags);
}

/** The options for running the cells, still without the listener for their results. */
interface PlannedOptions extends Omit<RunOptions, 'onResult'> {
  readonly facts: KeptFacts;
}

function toRunOptions(plan: Plan, flags: Flags): PlannedOptions {
  const { parallel, lanes } = flags;
  return {
    facts: createKeptFacts(),
    estimateSeconds: plan.estimateSeconds,
    worlds: plan.worlds,
    cold: flags.cold === true,
    failFast: flags.failFast === true,
    ...(parallel === undefined ? {} : { parallel }),
    givenLanes: lanes !== undefined && lanes !== 'auto',
  };
}

async function describeRun(context: Context, run: string): Promise<RunHead> {
  const { accelerator } = await proveAccelerator(context);
  return {
    formatVersion: FORMAT_VERSION,
    run,
    startedAt: new Date(context.clock.now()).toISOString(),
    host: describeHost(),
    accelerator,
  };
}

/** Saves a run of which rules refused every cell. It needs no machine. */
function saveEmptyRun(dir: string, head: RunHead, plan: Plan): RunResult {
  return saveResult(dir, head, plan.skipped.map(skippedResult));
}
