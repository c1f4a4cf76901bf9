import { writeJsonAtomic } from '../../drivers/files/files.ts';
import { statePaths } from '../../model/host/paths.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import type { Investigation } from '../../model/saved/investigate.ts';
import { plural } from '../../model/text/plural.ts';
import { joinPlans } from '../../plan/cells/join-plans.ts';
import { toListResult } from '../../plan/cells/list-result.ts';
import type { Plan, PlannedCell } from '../../plan/cells/plan-cells.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { renderInvestigationPlan } from '../../report/terminal/render-investigation.ts';
import type { Context } from '../context/context.ts';
import type { RunRequest } from '../running/run-plan.ts';
import type { Flags } from '../context/flags.ts';
import { readTrials } from '../gating/read-trials.ts';
import { writeReport } from '../output/write-report.ts';
import { findPlan } from '../saved/find-plan.ts';
import { readRun, type SavedRun } from '../saved/find-run.ts';
import { findUnfinishedRun } from '../saved/resume-run.ts';
import { readPastRuns } from '../saved/run-index.ts';
import { loadQuietly, planWords } from '../setup/config.ts';
import { concludeInvestigation } from './conclude-legs.ts';
import { planLegs, type CellLegs } from './plan-legs.ts';

/**
 * The most failed cells that are investigated. More failures have one cause, a broken lab or release, and would take a
 * day.
 */
export const MOST_CELLS = 4;

/** Plans how each of these cells would be run again if it failed. */
export function planInvestigations(context: Context, config: Config, plan: Plan): Investigation[] {
  const past = readPastRuns(context, () => undefined);
  return plan.cells.map(
    (cell) => planLegs(context, { config, past, cell, components: undefined }).investigation,
  );
}

/**
 * Runs the failed cells of a run again, in its folder: each by itself, in a fresh world, with the last good programs,
 * and with the last good scenario. Then it saves what each failure depends on. If the investigation broke off earlier,
 * it runs only what is left.
 */
export async function investigateRun(context: Context, id: string, flags: Flags): Promise<SavedRun> {
  const run = readRun(context.stateDir, id);
  const config = loadQuietly(context);
  const failed = listFailed(run, findPlan(run.paths)?.investigates);
  if (failed.length === 0 || context.signal.aborted) return run;
  if (failed.length > MOST_CELLS)
    context.progress.note(
      `${plural(failed.length, 'cell')} failed; the first ${MOST_CELLS} are investigated`,
    );
  const wanted = failed.slice(0, MOST_CELLS);
  const planned = planFailed(context, config, run, wanted, flags);
  context.progress.note(renderInvestigationPlan(planned.map(({ investigation }) => investigation)));
  beginLegs(context, id, planned);
  const legs = planned.flatMap((cell) => cell.legs);
  // Fresh worlds come last: building one could replace the world in which the cell failed.
  const isFresh = ({ leg }: (typeof legs)[number]): boolean => leg.kind === 'world';
  const plans = (fresh: boolean): Plan[] =>
    legs.filter((leg) => isFresh(leg) === fresh).flatMap(({ plan }) => (plan === undefined ? [] : [plan]));
  await runLegs(context, id, { config, flags }, plans(false));
  await runLegs(context, id, { config, flags: { ...flags, cold: true }, apart: true }, plans(true));
  return saveInvestigated(context, id);
}

/**
 * Returns the failed cells of a run. Legs are not among them, and in a begun investigation only the cells that it is
 * about.
 */
function listFailed({ result }: SavedRun, begun: readonly Investigation[] | undefined): CellResult[] {
  const legs = new Set(begun?.flatMap((investigation) => investigation.legs.map(({ address }) => address)));
  const investigated = begun === undefined ? undefined : new Set(begun.map(({ address }) => address));
  return result.cells.filter(
    ({ verdict, address }) =>
      verdict === 'failed' && !legs.has(address) && investigated?.has(address) !== false,
  );
}

function planFailed(
  context: Context,
  config: Config,
  run: SavedRun,
  failed: readonly CellResult[],
  flags: Flags,
): CellLegs[] {
  const past = readPastRuns(context, () => undefined).filter((earlier) => earlier.run !== run.result.run);
  const trials = readTrials(run);
  const addresses = failed.map(({ address }) => address);
  const plan = planWords(context, config, addresses, { cold: flags.cold === true }, { areAddresses: true });
  return plan.cells.map((cell: PlannedCell) => {
    const components = trials.find((trial) => trial.cell.address === cell.address)?.components;
    return planLegs(context, { config, past, cell, components });
  });
}

/** Adds the legs to the saved plan of the run. If the run breaks off, its plan shows which legs are missing. */
function beginLegs(context: Context, id: string, planned: readonly CellLegs[]): void {
  const paths = statePaths(context.stateDir).run(id);
  const saved = findPlan(paths);
  const cells = planned.flatMap(({ legs }) =>
    legs.flatMap(({ plan }) => (plan === undefined ? [] : toListResult(plan).cells)),
  );
  const known = new Set(saved?.cells.map(({ address }) => address));
  writeJsonAtomic(paths.plan, {
    ...saved,
    cells: [...(saved?.cells ?? []), ...cells.filter(({ address }) => !known.has(address))],
    investigates: planned.map(({ investigation }) => investigation),
  });
}

/** Runs the legs that have no result yet, as more cells of the run. */
async function runLegs(
  context: Context,
  id: string,
  { config, flags, apart = false }: Pick<RunRequest, 'config' | 'flags' | 'apart'>,
  plans: readonly Plan[],
): Promise<void> {
  if (context.signal.aborted) return;
  const begun = findUnfinishedRun(context, [id]);
  const left = new Set(begun.left.map(({ address }) => address));
  const plan = joinPlans(plans.filter(({ cells }) => cells.some(({ address }) => left.has(address))));
  if (plan === undefined) return;
  const { runPlan } = await import('../running/run-plan.ts');
  await runPlan(context, { config, plan, flags: { ...flags, failFast: false }, begun, apart });
}

/**
 * Saves what the failures of a run depend on, as far as its legs were run, and writes the report again. It starts
 * nothing.
 */
function saveInvestigated(context: Context, id: string): SavedRun {
  const run = readRun(context.stateDir, id);
  const investigates = findPlan(run.paths)?.investigates ?? [];
  const trials = readTrials(run);
  const { cells } = run.result;
  const result = {
    ...run.result,
    investigated: investigates.map((investigation) =>
      concludeInvestigation(investigation, { cells, trials }),
    ),
  };
  writeJsonAtomic(run.paths.result, result);
  const saved = { ...run, result };
  writeReport(context, saved);
  return saved;
}
