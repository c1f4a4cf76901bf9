import { writeJsonAtomic, writeTextAtomic } from '../../drivers/files/files.ts';
import { planNextRound } from '../../experiment/prove/next-round.ts';
import { watchNextRound } from '../../experiment/prove/watch-time.ts';
import type { ProvedVerdict, ProveResult } from '../../model/saved/prove.ts';
import { plural } from '../../model/text/plural.ts';
import { isDecidedCell, type Trial } from '../../gate/compare/gather-trials.ts';
import { repeatPlan } from '../../plan/cells/repeat-plan.ts';
import { renderProveMarkdown } from '../../report/markdown/render-prove-markdown.ts';
import type { Context } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { readTrials } from '../gating/read-trials.ts';
import { writeReport } from '../output/write-report.ts';
import { readRun, type SavedRun } from '../saved/find-run.ts';
import type { UnfinishedRun } from '../saved/resume-run.ts';
import { concludeRun, toEnd } from './conclude-run.ts';
import { planProof, type AskedProof, type PlannedProof } from './plan-proof.ts';

/** The result of an experiment. */
export interface ProvedCell {
  readonly result: ProveResult;
  /** Its last run; absent when no experiment can take the cause away. */
  readonly ran?: SavedRun;
}

/** A round of an experiment that was run. */
interface RanRound {
  readonly ran: SavedRun;
  readonly proves: ProvedVerdict;
}

/** Reads every trial of an experiment, those of its earlier rounds too. */
export function readProofTrials(
  { stateDir }: Pick<Context, 'stateDir'>,
  { ran, proves }: RanRound,
): readonly Trial[] {
  const earlier = (proves.earlier ?? []).map((id) => readRun(stateDir, id));
  return [...earlier, ran].flatMap(readTrials);
}

/** Concludes an experiment, and saves the result and its Markdown in the folder of its last run. */
export function concludeRound(context: Pick<Context, 'stateDir'>, round: RanRound): ProveResult {
  const { ran, proves } = round;
  const result = concludeRun(proves, ran.result.run, readProofTrials(context, round));
  writeTextAtomic(ran.paths.prove, renderProveMarkdown(result));
  writeJsonAtomic(ran.paths.proved, result);
  return result;
}

/** Tests a verdict: runs rounds until it is settled or the budget is spent. */
export async function runProof(context: Context, asked: AskedProof, flags: Flags): Promise<ProvedCell> {
  const endsAt = deadlineOf(context, flags);
  const planned = planProof(context, asked, flags);
  const { plan, proves } = planned;
  if (plan.cells.length === 0) return { result: concludeRun(proves, undefined, []) };
  const ran = await runRound(context, planned, flags);
  return runMoreRounds(context, { asked, flags, endsAt }, { ran, proves });
}

/** Continues an experiment. Some cells of its last round may not have run yet. */
export async function resumeProof(
  context: Context,
  asked: AskedProof,
  flags: Flags,
  left: { readonly planned: PlannedProof; readonly begun: UnfinishedRun } | RanRound,
): Promise<ProvedCell> {
  const endsAt = deadlineOf(context, flags);
  const round =
    'ran' in left
      ? left
      : { ran: await runRound(context, left.planned, flags, left.begun), proves: left.planned.proves };
  return runMoreRounds(context, { asked, flags, endsAt }, round);
}

/** When the budget ends, in milliseconds since 1970; Infinity without one. */
function deadlineOf({ clock }: Context, { budget }: Flags): number {
  return budget === undefined ? Infinity : clock.now() + budget * 1000;
}

/** Runs more rounds while they may settle the verdict. */
async function runMoreRounds(
  context: Context,
  { asked, flags, endsAt }: { readonly asked: AskedProof; readonly flags: Flags; readonly endsAt: number },
  first: RanRound,
): Promise<ProvedCell> {
  for (let round = first; ;) {
    const result = concludeRound(context, round);
    writeReport(context, round.ran);
    const isOpen = result.isOpen === true && !context.signal.aborted;
    if (!isOpen) return { result, ran: round.ran };
    const again = planProof(context, watchLonger(context, asked, round), { cold: flags.cold === true });
    const repeat = planNextRound({
      isOpen,
      arms: result.arms.map(({ of, undecided }) => ({ of, undecided: undecided.length })),
      repeat: asked.repeat,
      leftSeconds: (endsAt - context.clock.now()) / 1000,
      secondsOf: (runs) => repeatPlan(again.plan, runs).estimateSeconds,
    });
    if (repeat === 0) return { result, ran: round.ran };
    context.progress.note(`not settled, ${plural(repeat, 'more run')} of each cell: ${result.says}`);
    const earlier = [...(round.proves.earlier ?? []), round.ran.result.run];
    const proves = { ...again.proves, repeat, earlier };
    round = { ran: await runRound(context, { ...again, proves }, flags), proves };
  }
}

/** Returns the same question. A container that must live is watched as long as this host needs, by the runs so far. */
function watchLonger(context: Pick<Context, 'stateDir'>, asked: AskedProof, round: RanRound): AskedProof {
  const asItWas = round.proves.arms.find(({ kind }) => kind === 'as-it-was')?.address;
  const ends = readProofTrials(context, round)
    .map(({ cell }) => cell)
    .filter((cell) => cell.address === asItWas && isDecidedCell(cell))
    .map(toEnd);
  return { ...asked, watchSeconds: watchNextRound(asked.watchSeconds, asked.named.killer, ends) };
}

async function runRound(
  context: Context,
  { config, plan, proves }: PlannedProof,
  flags: Flags,
  begun?: UnfinishedRun,
): Promise<SavedRun> {
  // The code that boots machines is loaded only when some are booted.
  const { runPlan } = await import('../running/run-plan.ts');
  const repeated = repeatPlan(plan, proves.repeat);
  return begun === undefined
    ? runPlan(context, { config, plan: repeated, flags, asked: { proves } })
    : runPlan(context, { config, plan: repeated, flags, begun });
}
