import { compareGate, type GateSides } from '../../gate/compare/compare-gate.ts';
import { MOST_TRIALS } from '../../gate/compare/decide-change.ts';
import { gatherTrials, type Trial } from '../../gate/compare/gather-trials.ts';
import { keyOfCell } from '../../gate/compare/key-of-cell.ts';
import type { Baseline, GatedCell } from '../../model/saved/gate.ts';
import type { GatedProgram } from '../../model/variants/gated-programs.ts';
import { repeatPlan } from '../../plan/cells/repeat-plan.ts';
import type { Context } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { runPlan } from '../running/run-plan.ts';
import { planAddresses, type PlannedGate } from './plan-gate.ts';
import { readTrials } from './read-trials.ts';

/** The runs of a gate, and all their trials by cell. */
export interface RunRounds {
  readonly runs: readonly string[];
  readonly cells: GatedCell[];
}

/**
 * Runs the cells of a gate in one run.
 *
 * @param planned with `apart`, saved worlds are not touched while others are built (`RunRequest`).
 * @param repeat how often each cell is run.
 */
export async function runOnce(
  context: Context,
  { config, plan, apart = false }: Pick<PlannedGate, 'config' | 'plan'> & { readonly apart?: boolean },
  flags: Flags,
  repeat: number,
): Promise<{ readonly run: string; readonly trials: Trial[] }> {
  const saved = await runPlan(context, { config, plan: repeatPlan(plan, repeat), flags, asked: {}, apart });
  return { run: saved.result.run, trials: readTrials(saved) };
}

/** How a round is run, and how the next one is planned. */
interface RoundSteps {
  readonly run: typeof runOnce;
  readonly plan: typeof planAddresses;
}

/**
 * Runs the cells. Repeats those that end in a way the baseline does not have, until each is decided, was run
 * `MOST_TRIALS` times, or the time is over.
 */
export async function runRounds(
  context: Context,
  planned: Pick<PlannedGate, 'config' | 'plan'>,
  against: { readonly baseline: Pick<Baseline, 'cells'>; readonly program: GatedProgram },
  flags: Flags,
  steps: RoundSteps = { run: runOnce, plan: planAddresses },
): Promise<RunRounds> {
  const endsAt = flags.minutes === undefined ? Infinity : context.clock.now() + flags.minutes * 60_000;
  const runs: string[] = [];
  const trials: Trial[] = [];
  let { plan } = planned;
  let repeat = flags.repeat ?? 1;
  while (!context.signal.aborted) {
    const round = await steps.run(context, { config: planned.config, plan }, flags, repeat);
    runs.push(round.run);
    trials.push(...round.trials);
    const sides: GateSides = {
      base: against.baseline.cells,
      head: gatherTrials(trials),
      program: against.program,
    };
    const open = listOpen(sides);
    repeat = 1;
    if (open.length === 0) break;
    plan = steps.plan(context, planned.config, open, flags);
    if (context.clock.now() + plan.estimateSeconds * 1000 > endsAt) break;
  }
  return { runs, cells: gatherTrials(trials) };
}

/** Returns the addresses of the cells that another trial may decide. A trial without a verdict counts as one of the ten. */
function listOpen(sides: GateSides): string[] {
  const { notDecided } = compareGate({
    ...sides,
    chosen: new Set(sides.head.map((cell) => keyOfCell(cell, sides.program))),
  });
  const open = new Set(notDecided.map(({ address }) => address));
  return sides.head
    .filter(
      ({ address, of, undecided }) => open.has(address) && of > 0 && of + undecided.length < MOST_TRIALS,
    )
    .map(({ address }) => address);
}
