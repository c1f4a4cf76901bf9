import { chooseArms, type Arm } from '../../experiment/prove/choose-arms.ts';
import { fitRuns } from '../../experiment/prove/next-round.ts';
import { UsageError } from '../../model/errors/errors.ts';
import type { Killer } from '../../model/killers/killers.ts';
import type { NamedCause, ProvedVerdict } from '../../model/saved/prove.ts';
import { formatDuration } from '../../model/text/format-duration.ts';
import { shellWord } from '../../model/text/shell.ts';
import type { Plan, PlannedCell } from '../../plan/cells/plan-cells.ts';
import { repeatPlan } from '../../plan/cells/repeat-plan.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { addressOfLoaded } from '../../plan/parameters/loaded-address.ts';
import type { Context } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { loadQuietly, planWords } from '../setup/config.ts';

/** A verdict that is to be tested, and how. */
export interface AskedProof {
  /** Id of the run that has the verdict. */
  readonly run: string;
  readonly address: string;
  /** The address that its cell has today. */
  readonly addressToday: string;
  readonly named: NamedCause;
  /** Other killers that it excludes, the nearest first. */
  readonly suspects: readonly Killer[];
  /** How long a container that must live is watched. */
  readonly watchSeconds: number;
  /** Runs of each cell in a round. */
  readonly repeat: number;
}

/** The cells that are about to be run, each `proves.repeat` times. */
export interface PlannedProof {
  readonly config: Config;
  readonly plan: Plan;
  readonly proves: ProvedVerdict;
}

/** With fewer runs of each cell nothing is settled: one of one and none of one may have the same rate. */
const FEWEST_RUNS = 2;

/**
 * Plans the cells that test a verdict: the death as it was, without the cause, and without an innocent suspect. A budget may
 * reduce the number of runs.
 *
 * @throws UsageError when the cell cannot be run any more, or the budget is too small.
 */
export function planProof(context: Context, asked: AskedProof, flags: Flags): PlannedProof {
  const { run, address, named, suspects, watchSeconds } = asked;
  const config = loadQuietly(context);
  const cell = planOriginal(context, config, asked, flags);
  const chosen = chooseArms(cell, named, { suspects, watchSeconds });
  const own = chosen.arms.map((arm) => ({ ...arm, address: addressOfLoaded(arm.variant, arm.loaded) }));
  const plan = planArms(context, config, cell, own, flags);
  const { killer, or = [] } = cell.outcome;
  return {
    config,
    plan,
    proves: {
      run,
      address,
      named,
      cause: chosen.cause,
      accepted: [killer, ...or.map((end) => end.killer)],
      watchSeconds,
      repeat: fitBudget(plan, asked.repeat, flags),
      arms: own.map(({ arm, address: own }) => ({ ...arm, address: own })),
    },
  };
}

/** Plans the cell of the verdict as it was. */
function planOriginal(
  context: Context,
  config: Config,
  { address, run, addressToday }: AskedProof,
  flags: Flags,
): PlannedCell {
  const { cells, skipped } = planWords(context, config, [addressToday], flags, {
    areAddresses: true,
  });
  const [cell] = cells;
  if (cell !== undefined) return cell;
  throw new UsageError(
    `${address} of run ${run} cannot be run again: ${skipped[0]?.reason ?? 'nothing is planned'}`,
    { tryNext: `npx whodunit list ${shellWord(addressToday)}` },
  );
}

/** An arm, with the address of its own cell. */
type OwnArm = Arm & { readonly address: string };

/** Plans each arm as a scenario of its own, so that it gets its world, estimate and checks like any cell. */
function planArms(
  context: Context,
  config: Config,
  cell: PlannedCell,
  arms: readonly OwnArm[],
  flags: Flags,
): Plan {
  if (arms.length === 0) return planWords(context, config, [], flags, { areAddresses: true });
  const changed = arms.filter(({ arm }) => arm.kind !== 'as-it-was').map(({ loaded }) => loaded);
  const scenarios = [...config.scenarios, ...changed];
  const addresses = arms.map(({ address }) => address);
  const plan = planWords(context, { ...config, scenarios }, addresses, flags, {
    areAddresses: true,
  });
  const [refused] = plan.skipped;
  if (refused !== undefined)
    throw new UsageError(`${refused.address} cannot be run: ${refused.reason}`, {
      tryNext: 'npx whodunit help prove',
    });
  const byAddress = new Map(arms.map((arm) => [arm.address, arm]));
  const cells = plan.cells.map((planned) => ({
    ...planned,
    outcome: byAddress.get(planned.address)?.outcome ?? cell.outcome,
  }));
  return { ...plan, cells };
}

/** Returns how many runs of each cell fit into the budget, at most `repeat`. */
function fitBudget(plan: Plan, repeat: number, { budget }: Flags): number {
  if (budget === undefined) return repeat;
  const least = Math.min(repeat, FEWEST_RUNS);
  const secondsOf = (runs: number): number => repeatPlan(plan, runs).estimateSeconds;
  const runs = fitRuns(repeat, { least, seconds: budget, secondsOf });
  if (runs > 0) return runs;
  throw new UsageError(
    `--budget is too small for ${least} runs of each cell, which take ${formatDuration(secondsOf(least) * 1000)}`,
    { tryNext: `--budget ${Math.ceil(secondsOf(least) / 60)}m` },
  );
}
