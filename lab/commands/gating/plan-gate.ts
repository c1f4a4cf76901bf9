import {
  chooseCells,
  showsArea,
  type ChosenCells,
  type GateCandidate,
} from '../../gate/choose/choose-cells.ts';
import { addressWith } from '../../gate/compare/compare-gate.ts';
import { findChangedAreas, listChangedPaths, type ChangedAreas } from '../../gate/reach/changed-areas.ts';
import { isProgram } from '../../gate/reach/program-area.ts';
import { REACH_TABLE } from '../../gate/reach/reach-table.ts';
import { AXES, DEFAULT_VARIANT, variantName, type Variant } from '../../model/axes/axes.ts';
import type { Bug } from '../../model/declared/bug.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { plural } from '../../model/text/plural.ts';
import { sum } from '../../model/text/sum.ts';
import type { Baseline, GatePlan } from '../../model/saved/gate.ts';
import { GATED_PROGRAMS, type GatedProgram } from '../../model/variants/gated-programs.ts';
import type { Plan } from '../../plan/cells/plan-cells.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { findRefusal, findStartFailure } from '../../plan/variants/find-rule.ts';
import type { Context } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { loadQuietly, planWords } from '../setup/config.ts';

/** The cells that a gate is about to run. */
export interface PlannedGate {
  readonly config: Config;
  readonly plan: Plan;
  readonly shown: GatePlan;
}

/** The question of a gate. */
export interface AskedGate {
  readonly program: GatedProgram;
  /** Selectors, as they were typed. */
  readonly words: readonly string[];
  /** The output of `git diff`; undefined means that everything may have changed. */
  readonly diff: string | undefined;
  /** The baseline that the cells are compared with; undefined when this run records one. */
  readonly baseline: Baseline | undefined;
  /** Trials of each cell. */
  readonly trials: number;
}

/** Chooses the cells that a change may touch, within the budget, and plans them. It starts nothing. */
export function planGate(context: Context, asked: AskedGate, flags: Flags): PlannedGate {
  const { program, diff } = asked;
  refuseOtherProgram(asked);
  const reach = REACH_TABLE[program];
  const changed =
    diff === undefined
      ? { areas: reach.areas.map((area) => ({ area, because: [] })), ignored: [] }
      : findChangedAreas(reach, readChangedPaths(diff, program));
  if (changed.areas.length === 0)
    throw new UsageError('no changed path can change how a pod dies', { tryNext: spellWholeGate(program) });
  const config = loadQuietly(context);
  const addresses = asked.baseline === undefined ? undefined : listBaselineAddresses(asked.baseline, asked);
  const words = addresses ?? listSelectors(config, asked, changed);
  const whole = planWords(context, config, words, flags, {
    areAddresses: addresses !== undefined,
  });
  // A baseline has seen its cells die: one in whose world no pod starts is looked at, too.
  const cells =
    asked.baseline === undefined
      ? whole.cells.filter(({ startFailure }) => startFailure === undefined)
      : whole.cells;
  const candidates = toCandidates(config, { ...whole, cells }, asked);
  const minutes = flags.minutes;
  const chosen = chooseCells(candidates, changed.areas, minutes === undefined ? Infinity : minutes * 60);
  refuseNoCells(whole, chosen, asked, minutes);
  const plan = planAddresses(
    context,
    config,
    chosen.chosen.map(({ cell }) => cell.address),
    flags,
  );
  const withoutPods = whole.cells.length - cells.length;
  return { config, plan, shown: { ...describeGate(program, changed, chosen, minutes), withoutPods } };
}

/** @throws UsageError when no cell is chosen: such a gate would pass whatever has changed. */
function refuseNoCells(
  plan: Plan,
  chosen: ChosenCells,
  { program }: AskedGate,
  minutes: number | undefined,
): void {
  if (chosen.chosen.length > 0) return;
  const why =
    chosen.leftOut > 0
      ? `none of ${plural(chosen.leftOut, 'cell')} fits into ${plural(minutes ?? 0, 'minute')}`
      : explainNoCells(plan, program);
  throw new UsageError(`the gate has nothing to look at: ${why}`, {
    tryNext: `npx whodunit gate --for ${program} --dry-run`,
  });
}

/** Why a plan has no cell for the gate, in words. */
function explainNoCells({ cells, skipped }: Plan, program: GatedProgram): string {
  const withPods = cells.filter(({ startFailure }) => startFailure === undefined);
  if (withPods.length > 0)
    return `none of ${plural(withPods.length, 'cell')} shows what a change of ${program} can break`;
  const [silent] = cells;
  if (silent !== undefined)
    return `${silent.address}: no pod starts in its world, as declared (${silent.startFailure ?? ''})`;
  const [first] = skipped;
  return first === undefined
    ? 'no cell is selected'
    : `${first.address}: ${first.reason} (rule ${first.rule})`;
}

/** Plans cells by their addresses, with only the worlds that they need. */
export function planAddresses(
  context: Context,
  config: Config,
  addresses: readonly string[],
  flags: Flags,
): Plan {
  return planWords(context, config, addresses, flags, { areAddresses: true });
}

/** Returns the addresses of a baseline's cells, with the build under test in place of the one that was recorded. */
function listBaselineAddresses(baseline: Baseline, { program, words }: AskedGate): string[] {
  const axis = GATED_PROGRAMS[program];
  const prefix = `${axis}=`;
  const values = words.flatMap((word) => (word.startsWith(prefix) ? [word.slice(prefix.length)] : []));
  const other = words.find((word) => !word.startsWith(prefix));
  if (other !== undefined)
    throw new UsageError(
      `"${other}": the cells of a gate are those of its baseline, so it takes only ${prefix}…`,
      {
        tryNext: `npx whodunit gate --for ${program} --baseline <file> ${prefix}<build>`,
      },
    );
  if (values.length > 1)
    throw new UsageError(`the gate tests one build, and ${values.length} are named`, { tryNext: 'name one' });
  const [value] = values;
  return baseline.cells.map((cell) =>
    value === undefined ? cell.address : addressWith(cell, program, value),
  );
}

/**
 * Returns the selectors of the cells that may show the change: the typed ones, else every scenario of the changed areas on
 * the other axes of the reach table. Scenarios that only measure something are left out, because they show no death.
 */
function listSelectors(config: Config, { program, words }: AskedGate, { areas }: ChangedAreas): string[] {
  const axis = GATED_PROGRAMS[program];
  const { beside } = REACH_TABLE[program];
  const typed = new Set(words.map((word) => word.split('=')[0] ?? ''));
  const ofProgram = typed.has(axis) ? [] : listStandard(config, program);
  const others = Object.entries(beside).flatMap(([name, values]) =>
    typed.has(name) ? [] : [`${name}=${values.join(',')}`],
  );
  const choosesScenarios = words.some((word) => !AXES.some((name) => word.startsWith(`${name}=`)));
  if (choosesScenarios) return [...words, ...ofProgram, ...others];
  const tags = areas.flatMap(({ area }) => area.tags);
  const scenarios = config.scenarios
    .map(({ scenario }) => scenario)
    .filter((scenario) => showsArea(scenario, tags) && !scenario.tags.includes(MEASURES_TAG));
  return [...words, ...ofProgram, ...others, `scenario=${scenarios.map(({ name }) => name).join(',')}`];
}

/** The tag of scenarios that measure something. */
const MEASURES_TAG = 'measure';

/**
 * Returns the selector of the newest named version of this program under which the default world starts pods; nothing where the
 * default value is this program. The values of an axis are in the order of their releases.
 */
function listStandard({ matrix }: Config, program: GatedProgram): string[] {
  const axis = GATED_PROGRAMS[program];
  const reach = REACH_TABLE[program];
  if (isProgram(reach, DEFAULT_VARIANT[axis])) return [];
  const { option = '' } = reach;
  const newest = matrix.axes[axis].values
    .filter((value) => isProgram(reach, value))
    .map((value) => (value.endsWith(option) ? value : `${value}${option}`))
    .findLast((value) => {
      const variant: Variant = { ...DEFAULT_VARIANT, [axis]: value };
      return findRefusal(matrix, variant) === undefined && findStartFailure(matrix, variant) === undefined;
    });
  return newest === undefined ? [] : [`${axis}=${newest}`];
}

/** @throws UsageError when a word selects another program on the axis of the changed one. */
function refuseOtherProgram({ program, words }: AskedGate): void {
  const axis = GATED_PROGRAMS[program];
  const reach = REACH_TABLE[program];
  const named = words
    .filter((word) => word.startsWith(`${axis}=`))
    .flatMap((word) => word.slice(axis.length + 1).split(','));
  const other = named.find((value) => !isProgram(reach, value));
  if (other !== undefined)
    throw new UsageError(`${axis}=${other} is not ${program}`, { tryNext: `npx whodunit help gate` });
}

function toCandidates(
  { bugs }: Config,
  { cells, worlds }: Plan,
  { program, trials }: AskedGate,
): GateCandidate[] {
  const byName = new Map(worlds.map((world) => [world.name, world]));
  const chainOf = (name: string | undefined): GateCandidate['worlds'] => {
    const world = name === undefined ? undefined : byName.get(name);
    if (world === undefined) return [];
    return [{ name: world.name, seconds: world.estimateSeconds }, ...chainOf(world.parent)];
  };
  return cells.map(({ address, variant, loaded: { scenario }, estimateSeconds }) => ({
    address,
    variant,
    scenario: scenario.name,
    tags: scenario.tags,
    seconds: estimateSeconds * trials,
    worlds: chainOf(variantName(variant)),
    caught: bugs
      .filter((bug) => bug.scenario === scenario.name && differsIn(bug, program))
      .map(({ id }) => id),
  }));
}

/** Whether the sides of a bug differ in the version of a program. */
function differsIn({ affected, fixed }: Pick<Bug, 'affected' | 'fixed'>, program: GatedProgram): boolean {
  const axis = GATED_PROGRAMS[program];
  const values = [affected, fixed].map((side) => side[axis] ?? DEFAULT_VARIANT[axis]);
  return (
    values[0] !== values[1] &&
    values.some((value) => value !== undefined && isProgram(REACH_TABLE[program], value))
  );
}

function describeGate(
  program: GatedProgram,
  { areas, ignored }: ChangedAreas,
  { chosen, leftOut }: ChosenCells,
  minutes: number | undefined,
): Omit<GatePlan, 'withoutPods'> {
  return {
    formatVersion: FORMAT_VERSION,
    for: program,
    areas: areas.map(({ area, because }) => ({
      id: area.id,
      about: area.about,
      layers: [...area.layers],
      because: [...because],
    })),
    ignored: [...ignored],
    cells: chosen.map(({ cell, seconds, why }) => ({ address: cell.address, seconds, why })),
    leftOut,
    ...(minutes === undefined ? {} : { minutes }),
    estimateSeconds: sum(chosen.map(({ seconds }) => seconds)),
  };
}

/** @throws UsageError when the text is not a diff, or has no change. */
function readChangedPaths(diff: string, program: GatedProgram): string[] {
  const paths = listChangedPaths(diff);
  if (paths.length > 0) return paths;
  const why = diff.trim() === '' ? 'it is empty' : 'no line of it begins with diff --git';
  throw new UsageError(`--from is not what git diff prints: ${why}`, { tryNext: spellWholeGate(program) });
}

/** Returns the command for a gate without a diff: everything of the program may have changed. */
function spellWholeGate(program: GatedProgram): string {
  return `npx whodunit gate --for ${program} --dry-run`;
}
