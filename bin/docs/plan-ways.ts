import {
  AXES,
  DEFAULT_VARIANT,
  valueOf,
  variantName,
  type Axis,
  type Variant,
} from '../../lab/model/axes/axes.ts';
import { groupBy } from '../../lab/model/text/group-by.ts';
import type { Matrix } from '../../lab/model/declared/matrix.ts';
import { compareAsWritten } from '../../lab/model/variants/versions.ts';
import {
  stagesWay,
  type Place,
  type Staged,
  type WayPlaces,
  type WayToDie,
} from '../../lab/model/declared/ways-to-die.ts';
import { countChanges } from '../../lab/plan/cells/order-cells.ts';
import type { Config } from '../../lab/plan/config/parse-config.ts';
import { planCells, type Plan, type PlannedCell } from '../../lab/plan/cells/plan-cells.ts';

/** The axes that most change what a death is called. */
const NAMING_AXES = ['cgroup', 'kubernetes', 'containerd', 'runtime'] as const;

/** How many variants are tried for a place, of those that were recorded and of the others. */
const MAX_BASES = 3;

/**
 * Finds for each way to die on which named values of the axes that change what a death is called it was not recorded,
 * and the cell that stages it there: of the first scenario that can, near the variants that were recorded, else near
 * the default. Ways that no scenario stages are left out.
 */
export function planWays(
  config: Config,
  ways: readonly WayToDie[],
  recorded: readonly Staged[],
): WayPlaces[] {
  const full = planCells(config, ['set=full']);
  const oldest = config.matrix.axes.kubernetes.values.toSorted(compareAsWritten)[0] ?? '';
  const plans = new Map<string, Plan>();
  const planOf = (variant: Variant): Plan => {
    const name = variantName(variant);
    const words = AXES.map((axis) => `${axis}=${variant[axis]}`);
    const plan = plans.get(name) ?? planCells(config, words);
    plans.set(name, plan);
    return plan;
  };
  return ways.flatMap((way) => {
    if (way.scenarios === undefined) return [];
    const seen = recorded.filter((cell) => stagesWay(way, cell)).map(({ variant }) => variant);
    const bases = listBases(seen, full, way, oldest);
    const places = NAMING_AXES.flatMap((axis) =>
      listValues(config.matrix, axis).flatMap(({ value, written }): Place[] => {
        if (seen.some((variant) => nameOf(variant, axis) === value))
          return [{ axis, value, isRecorded: true, address: undefined, refusedBy: undefined }];
        const variants = bases.flatMap((base) => written.map((value) => ({ ...base, [axis]: value })));
        const place = findPlace(way, variants, planOf);
        return place === undefined ? [] : [{ axis, value, isRecorded: false, ...place }];
      }),
    );
    return [{ way, places }];
  });
}

/**
 * Variants that stage a way: recorded ones, then others, each nearest to the default first; last the first of them with
 * the oldest Kubernetes, which old programs need.
 */
function listBases(seen: readonly Variant[], full: Plan, way: WayToDie, oldest: string): Variant[] {
  const recorded = seen.toSorted((a, b) => countChanges(a) - countChanges(b));
  // More nodes change nothing about one death.
  const planned = full.cells
    .filter((cell) => cell.variant.nodes === DEFAULT_VARIANT.nodes && stages(cell, way))
    .map(({ variant }) => variant);
  const few = [recorded, planned].map((variants) => [
    ...new Map(variants.map((variant) => [variantName(variant), variant])).values(),
  ]);
  const bases = few.flatMap((variants) => variants.slice(0, MAX_BASES));
  return [...bases, ...bases.slice(0, 1).map((base) => ({ ...base, kubernetes: oldest }))];
}

/** The first variant on which the way can be staged; else the rule that refuses the last; undefined: it never is. */
function findPlace(
  way: WayToDie,
  variants: readonly Variant[],
  planOf: (variant: Variant) => Plan,
): Pick<Place, 'address' | 'refusedBy'> | undefined {
  for (const scenario of way.scenarios ?? [])
    for (const variant of variants) {
      const cell = planOf(variant).cells.find(
        (planned) => planned.loaded.scenario.name === scenario && stages(planned, way),
      );
      if (cell !== undefined) return { address: cell.address, refusedBy: undefined };
    }
  const refusals = variants.flatMap((variant) =>
    planOf(variant).skipped.filter(({ scenario }) => way.scenarios?.includes(scenario)),
  );
  const last = refusals.at(-1);
  return last && { address: undefined, refusedBy: last.rule };
}

function stages({ loaded: { scenario }, variant, outcome }: PlannedCell, way: WayToDie): boolean {
  const { killer, how } = outcome;
  // On some variants a scenario is a control: another killer ends it, or none.
  const isUsual = way.only !== undefined || killer === scenario.expect.killer;
  return isUsual && stagesWay(way, { scenario: scenario.name, variant, killer, how });
}

/** The name by which a value of a variant is counted: one runtime has many versions. */
function nameOf(variant: Variant, axis: Axis): string {
  return axis === 'runtime' ? valueOf(variant, 'runtime').name : variant[axis];
}

/**
 * The named values of an axis by name; of those with one name the default first, then the newest, which is the last.
 */
function listValues(matrix: Matrix, axis: Axis): { value: string; written: string[] }[] {
  const groups = groupBy(matrix.axes[axis].values, (written) =>
    nameOf({ ...DEFAULT_VARIANT, [axis]: written }, axis),
  );
  const isDefault = (written: string): number => (written === DEFAULT_VARIANT[axis] ? 0 : 1);
  return [...groups].map(([value, all]) => ({
    value,
    written: all.toReversed().sort((a, b) => isDefault(a) - isDefault(b)),
  }));
}
