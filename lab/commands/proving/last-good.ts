import { AXES, AXIS_DEFINITIONS, VERSION_AXES, type Axis, type Variant } from '../../model/axes/axes.ts';
import type { UsedComponent } from '../../model/saved/origin.ts';
import type { PastRun } from '../../model/saved/history.ts';
import { isReadable, listComponentsOf } from '../../model/variants/axis-list.ts';
import { spellTrial, type Trial } from '../../gate/compare/gather-trials.ts';
import { catalogueName } from '../../model/components/under-test.ts';
import { selectAddresses } from '../../plan/cells/select-addresses.ts';
import type { PlannedCell } from '../../plan/cells/plan-cells.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { isUnreadable } from '../../model/errors/errors.ts';
import type { Context } from '../context/context.ts';
import { readTrials } from '../gating/read-trials.ts';
import { readRun } from '../saved/find-run.ts';

/** The newest saved run in which a cell passed. */
export interface LastGood {
  readonly run: string;
  readonly variant: Variant;
  /** Digest of its scenario; undefined when it was not saved. */
  readonly digest: string | undefined;
  /** The programs of its nodes and images; undefined when they were not saved. */
  readonly components: readonly UsedComponent[] | undefined;
}

type Searched = Pick<PlannedCell, 'address' | 'variant' | 'loaded'>;

/**
 * Finds the newest earlier run in which a cell passed.
 *
 * @param past the results of all saved runs, in any order.
 * @param search with `anyBuild`, the variant may differ from that of the cell in versions of programs, and in nothing else.
 */
export function findLastGood(
  context: Pick<Context, 'stateDir'>,
  config: Config,
  past: readonly PastRun[],
  { cell, anyBuild }: { readonly cell: Searched; readonly anyBuild: boolean },
): LastGood | undefined {
  const newest = past.toSorted((one, other) => (one.startedAt < other.startedAt ? 1 : -1));
  for (const { run, cells } of newest)
    for (const { address, scenario, verdict } of cells) {
      if (verdict !== 'passed' || scenario !== cell.loaded.scenario.name) continue;
      const variant = address === cell.address ? cell.variant : findBuild(config, address, cell);
      if (variant === undefined || (address !== cell.address && !anyBuild)) continue;
      const [trial] = findTrials(context, run, address);
      return { run, variant, digest: trial?.digest, components: trial?.components };
    }
  return undefined;
}

/** Returns the variant of an address if it differs from a cell only in versions of programs; otherwise undefined. */
function findBuild(config: Config, address: string, cell: Searched): Variant | undefined {
  const [found] = selectAddresses(config, [address]).cells;
  if (found === undefined) return undefined;
  const others = AXES.filter((axis) => !VERSION_AXES.includes(axis));
  const isSame =
    others.every((axis) => found.variant[axis] === cell.variant[axis]) &&
    JSON.stringify(found.loaded.parameters) === JSON.stringify(cell.loaded.parameters);
  return isSame ? found.variant : undefined;
}

function findTrials({ stateDir }: Pick<Context, 'stateDir'>, run: string, address: string): Trial[] {
  try {
    const trials = readTrials(readRun(stateDir, run)).map(spellTrial);
    return trials.filter(({ cell }) => cell.address === address);
  } catch (error) {
    if (isUnreadable(error)) return [];
    throw error;
  }
}

/** How an earlier build differs, and the variant that builds it again. */
export interface BuildChange {
  readonly variant: Variant;
  /** What changes, in words: `containerd 2.1.4 is 1.7.27`. */
  readonly changes: readonly string[];
  /** Programs that differ, and that no value of an axis builds again. */
  readonly lost: readonly string[];
}

/**
 * Returns the variant of a cell with the programs of another run.
 *
 * @param now the programs of the cell; undefined before it ran: then only its variant is compared.
 */
export function changeBuild(
  variant: Variant,
  good: Pick<LastGood, 'variant' | 'components'>,
  now: readonly UsedComponent[] | undefined,
): BuildChange {
  const ofAxes = VERSION_AXES.filter((axis) => variant[axis] !== good.variant[axis]);
  const changes = ofAxes.map((axis) => `${axis}=${variant[axis]} is ${axis}=${good.variant[axis]}`);
  if (ofAxes.length > 0) return { variant: good.variant, changes, lost: [] };
  const lost: string[] = [];
  const own: Record<Axis, string> = { ...variant };
  for (const { name, version, digest } of now ?? []) {
    const before = good.components?.find((component) => component.name === name);
    if (before === undefined || (before.version === version && before.digest === digest)) continue;
    const axis = before.version === version ? undefined : findAxisOf(own, name);
    if (axis === undefined) lost.push(name);
    else {
      own[axis.name] = own[axis.name].replace(axis.written, () => before.version);
      changes.push(`${name} ${version} is ${before.version}`);
    }
  }
  return { variant: own, changes, lost };
}

/** Returns the axis that chooses the version of a component, and this version as it is written in the value. */
function findAxisOf(
  variant: Variant,
  component: string,
): { readonly name: Axis; readonly written: string } | undefined {
  for (const definition of AXIS_DEFINITIONS) {
    const value = variant[definition.name];
    if (!isReadable(definition, value)) continue;
    const components = listComponentsOf([definition], { [definition.name]: definition.parse(value) });
    const written = components[catalogueName(component)];
    if (written !== undefined && written !== '' && value.includes(written))
      return { name: definition.name, written };
  }
  return undefined;
}
