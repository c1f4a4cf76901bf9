import { LabError } from '../../model/errors/errors.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import type { PastRun } from '../../model/saved/history.ts';
import type { Investigation, LegKind, PlannedLeg } from '../../model/saved/investigate.ts';
import type { UsedComponent } from '../../model/saved/origin.ts';
import { sum } from '../../model/text/sum.ts';
import type { Plan, PlannedCell } from '../../plan/cells/plan-cells.ts';
import { repeatPlan } from '../../plan/cells/repeat-plan.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { digestScenario } from '../../plan/parameters/digest-scenario.ts';
import { tryScenario } from '../../plan/parameters/fill-scenario.ts';
import { addressOfLoaded } from '../../plan/parameters/loaded-address.ts';
import type { Context } from '../context/context.ts';
import { findKeptScenario } from '../saved/scenario-store.ts';
import { planWords } from '../setup/config.ts';
import { changeBuild, findLastGood } from './last-good.ts';

/** A leg of an investigation: one way to run a failed cell again. */
interface LegPlan {
  readonly leg: PlannedLeg;
  /** The plan of its one cell; absent when the leg is left out. */
  readonly plan?: Plan;
}

/** All legs of one cell. */
export interface CellLegs {
  readonly investigation: Investigation;
  readonly legs: readonly LegPlan[];
}

/** What is known of a failed cell before its legs are planned. */
export interface AskedLegs {
  readonly config: Config;
  /** The results of saved runs, without the run of the failure. */
  readonly past: readonly PastRun[];
  readonly cell: PlannedCell;
  /** The programs of the failed cell; undefined before it ran. */
  readonly components: readonly UsedComponent[] | undefined;
}

/** Runs of each leg. Two that pass and two that fail are different rates with a probability of 0.95. */
const LEG_RUNS = 2;

/** The end of the name of a leg's scenario. A leg is a cell of its own: its results do not count for the failed cell. */
const SUFFIXES: Readonly<Record<LegKind, string>> = {
  alone: 'again-alone',
  world: 'again-fresh-world',
  versions: 'again-last-build',
  scenario: 'again-last-scenario',
};

/** Plans the ways to run a failed cell again, and says which ones are left out, and why. It starts nothing. */
export function planLegs(context: Context, asked: AskedLegs): CellLegs {
  const { cell } = asked;
  const legs = [
    planLeg(context, asked, { kind: 'alone', changes: [] }),
    planLeg(context, asked, { kind: 'world', changes: [] }),
    planVersions(context, asked),
    planOldScenario(context, asked),
  ];
  return {
    legs,
    investigation: {
      address: cell.address,
      legs: legs.map(({ leg }) => leg),
      estimateSeconds: sum(legs.map(({ plan }) => plan?.estimateSeconds ?? 0)),
    },
  };
}

const NEVER_GOOD = 'no saved run has it as passed';

function planVersions(context: Context, asked: AskedLegs): LegPlan {
  const { config, past, cell, components } = asked;
  const good = findLastGood(context, config, past, { cell, anyBuild: true });
  if (good === undefined) return leaveOut('versions', NEVER_GOOD);
  const { variant, changes, lost } = changeBuild(cell.variant, good, components);
  const leg: PlannedLeg = { kind: 'versions', good: good.run, changes: [...changes] };
  if (lost.length > 0)
    return leaveOut(
      'versions',
      `run ${good.run} had another ${lost.join(' and ')}, which nothing makes again`,
      good.run,
    );
  if (changes.length === 0)
    return leaveOut(
      'versions',
      components === undefined || good.components === undefined
        ? `run ${good.run} had the same variant; its programs are compared after the run`
        : `run ${good.run} had the same programs`,
      good.run,
    );
  return planLeg(context, asked, leg, { variant });
}

function planOldScenario(context: Context, asked: AskedLegs): LegPlan {
  const { config, past, cell } = asked;
  const good = findLastGood(context, config, past, { cell, anyBuild: false });
  if (good === undefined) return leaveOut('scenario', NEVER_GOOD);
  const refuse = (why: string): LegPlan => leaveOut('scenario', why, good.run);
  if (good.digest === undefined) return refuse(`run ${good.run} did not save which scenario it was`);
  if (good.digest === digestScenario(cell.loaded.source))
    return refuse(`run ${good.run} had the same scenario`);
  const source = findKeptScenario(context, good.digest);
  if (source === undefined) return refuse(`the scenario of run ${good.run} was not kept`);
  const scenario = tryScenario(source);
  if (!('scenario' in scenario)) return refuse(`this version cannot read the scenario of run ${good.run}`);
  const leg: PlannedLeg = { kind: 'scenario', good: good.run, changes: [`as in run ${good.run}`] };
  return planLeg(context, asked, leg, { scenario });
}

function leaveOut(kind: LegKind, why: string, good?: string): LegPlan {
  const leg: PlannedLeg = { kind, changes: [], leftOut: why };
  if (good !== undefined) leg.good = good;
  return { leg };
}

/** What differs from the failed cell. */
interface ChangedParts {
  readonly variant?: PlannedCell['variant'];
  readonly scenario?: LoadedScenario;
}

/**
 * Plans one leg: its world, its cost and its expected outcome. A leg that cannot be planned is left out, with the
 * reason.
 */
function planLeg(
  context: Context,
  { config, cell }: AskedLegs,
  leg: PlannedLeg,
  { variant = cell.variant, scenario }: ChangedParts = {},
): LegPlan {
  const { name } = cell.loaded.scenario;
  const quiet: Context = { ...context, progress: { ...context.progress, note: () => undefined } };
  const scenarios = config.scenarios.map((loaded) =>
    loaded.scenario.name === name ? (scenario ?? loaded) : loaded,
  );
  const address = addressOfLoaded(variant, cell.loaded);
  try {
    const plan = planWords(
      quiet,
      { ...config, scenarios },
      [address],
      { cold: leg.kind === 'world' },
      { areAddresses: true },
    );
    const [planned] = plan.cells;
    if (planned === undefined)
      return leaveOut(leg.kind, plan.skipped[0]?.reason ?? 'it cannot be run', leg.good);
    const own = renameCell(planned, `${name}-${SUFFIXES[leg.kind]}`);
    const { repeat } = planned.loaded.scenario;
    const once = { ...plan, cells: [own] };
    const named: PlannedLeg = { ...leg, address: own.address };
    return repeat > 1
      ? { leg: { ...named, isRated: true }, plan: once }
      : { leg: named, plan: repeatPlan(once, LEG_RUNS) };
  } catch (error) {
    if (error instanceof LabError) return leaveOut(leg.kind, error.message, leg.good);
    throw error;
  }
}

function renameCell(cell: PlannedCell, name: string): PlannedCell {
  const loaded = { ...cell.loaded, scenario: { ...cell.loaded.scenario, name } };
  return { ...cell, loaded, address: addressOfLoaded(cell.variant, loaded) };
}
