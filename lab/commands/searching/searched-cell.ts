import { variantName, type Axis } from '../../model/axes/axes.ts';
import { LabError, UsageError } from '../../model/errors/errors.ts';
import type { SearchedValue } from '../../model/saved/search.ts';
import { cellAddress } from '../../model/host/cell-address.ts';
import { sum } from '../../model/text/sum.ts';
import { selectAddresses } from '../../plan/cells/select-addresses.ts';
import type { Candidate } from '../../plan/cells/expand-cells.ts';
import type { Plan } from '../../plan/cells/plan-cells.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { changedTexts } from '../../plan/parameters/fill-parameters.ts';
import { isAxis } from '../../plan/variants/parse-variant.ts';
import { RESTORE_SECONDS } from '../../plan/worlds/estimate.ts';
import type { Context } from '../context/context.ts';
import { planAddresses } from '../gating/plan-gate.ts';

/** The cost of a cell in seconds, or why it cannot be run. */
type AskedCost = Pick<
  SearchedValue,
  'prepareSeconds' | 'againSeconds' | 'freshSeconds' | 'runSeconds' | 'refused'
>;

/**
 * Returns the cell of an address.
 *
 * @throws UsageError when there is no such cell.
 */
export function getCell(config: Config, address: string): Candidate {
  const { cells, unknown } = selectAddresses(config, [address]);
  const [cell] = cells;
  if (cell !== undefined) return cell;
  throw new UsageError(`"${address}" is not a cell: ${unknown[0]?.why ?? ''}`, {
    tryNext: 'npx whodunit list shows the addresses of cells, npx whodunit bugs shows bugs',
  });
}

/** Returns the value of a cell on an axis or of a parameter; undefined when it has neither. */
export function valueOfCell({ variant, loaded }: Candidate, axis: string): string | undefined {
  if (isAxis(axis)) return variant[axis];
  return Object.hasOwn(loaded.parameters, axis) ? loaded.parameters[axis] : undefined;
}

/** Returns the address of a cell with other values of axes and parameters. */
export function addressOfCell(
  { variant, loaded }: Pick<Candidate, 'variant' | 'loaded'>,
  changed: Readonly<Record<string, string>>,
): string {
  const axes: Partial<Record<Axis, string>> = {};
  const parameters = { ...loaded.parameters };
  for (const [name, value] of Object.entries(changed)) {
    if (isAxis(name)) axes[name] = value;
    else parameters[name] = value;
  }
  const texts = changedTexts(loaded.scenario.parameters, parameters);
  return cellAddress(variantName({ ...variant, ...axes }), loaded.scenario.name, texts);
}

/** Returns the cost of a cell, or why it cannot be run. It starts nothing. */
export function askCost(context: Context, config: Config, address: string): AskedCost {
  const quiet: Context = { ...context, progress: { ...context.progress, note: () => undefined } };
  const none = { prepareSeconds: 0, againSeconds: 0, runSeconds: 0 };
  try {
    const plan = planAddresses(quiet, config, [address], {});
    const [skipped] = plan.skipped;
    if (skipped !== undefined) return { ...none, refused: `${skipped.rule}: ${skipped.reason}` };
    const prepareSeconds = secondsOfWorlds(plan) + plan.buildSeconds;
    const runSeconds = sum(plan.cells.map(({ estimateSeconds }) => estimateSeconds));
    // When a fresh world is built, the programs exist already.
    const freshSeconds = secondsOfWorlds(planAddresses(quiet, config, [address], { cold: true }));
    return {
      prepareSeconds,
      againSeconds: Math.min(prepareSeconds, RESTORE_SECONDS),
      freshSeconds,
      runSeconds,
    };
  } catch (error) {
    if (error instanceof LabError) return { ...none, refused: error.message };
    throw error;
  }
}

function secondsOfWorlds({ worlds }: Pick<Plan, 'worlds'>): number {
  return sum(worlds.map(({ estimateSeconds }) => estimateSeconds));
}
