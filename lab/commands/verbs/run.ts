import { UsageError } from '../../model/errors/errors.ts';
import type { VerbAnswer } from '../context/answer.ts';
import type { Context, RunVerb } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { spellRunCommand } from '../context/run-command.ts';
import { answerPlan, answerRun, statusOfRun } from '../running/answer-run.ts';
import { runPlan } from '../running/run-plan.ts';
import { getRun, type SavedRun } from '../saved/find-run.ts';
import { findUnfinishedRun, refuseChanged } from '../saved/resume-run.ts';
import { loadPlan } from '../setup/config.ts';

/** `whodunit run [selector…]`: runs the selected cells, judges and reports them. */
export const runRun: RunVerb = async (context, words, flags) => {
  if (flags.resume === true) return resumeRun(context, words, flags);
  if (flags.lastFailed === true) return runLastFailed(context, words, flags);
  return runSelected(context, words, words, flags);
};

/** Runs the cells that `chosen` selects, in a run that a person asked for with `typed` words. */
async function runSelected(
  context: Context,
  chosen: readonly string[],
  typed: readonly string[],
  flags: Flags,
): Promise<VerbAnswer> {
  const { config, plan } = loadPlan(context, chosen, flags, { typed });
  if (flags.dryRun === true) return answerPlan(plan, spellRunCommand(typed, flags));
  const asked = { words: [...chosen] };
  return answerRun(context, await runPlan(context, { config, plan, flags, asked }));
}

/** `whodunit run --last-failed`: runs the cells that failed or were inconclusive in the newest run. */
async function runLastFailed(context: Context, words: readonly string[], flags: Flags): Promise<VerbAnswer> {
  if (words.length > 0)
    throw new UsageError('--last-failed selects the cells itself, so it takes no selectors', {
      tryNext: 'npx whodunit run --last-failed',
    });
  const newest = getRun(context, undefined);
  const bad = listBad(newest);
  if (bad.length > 0) return runSelected(context, bad, words, flags);
  const { run } = newest.result;
  return {
    status: 'passed',
    json: newest.result,
    text: () => `nothing failed in run ${run}\nnext: npx whodunit report ${run}`,
  };
}

/** Addresses of the cells that did not pass. */
function listBad({ result }: SavedRun): string[] {
  const bad = result.cells.filter(({ verdict }) => verdict === 'failed' || verdict === 'inconclusive');
  return bad.map(({ address }) => address);
}

/** `whodunit run --resume [run]`: runs what an unfinished run has not judged, and makes one result of both parts. */
async function resumeRun(context: Context, words: readonly string[], flags: Flags): Promise<VerbAnswer> {
  const begun = findUnfinishedRun(context, words);
  const { result, done, left } = begun;
  const { run } = result;
  if (left.length === 0)
    return {
      status: statusOfRun(result, false),
      json: result,
      text: () => `run ${run} is already complete\nnext: npx whodunit report ${run}`,
    };
  const addresses = left.map(({ address }) => address);
  const { config, plan } = loadPlan(context, addresses, flags, { typed: [] });
  refuseChanged(begun, plan);
  if (flags.dryRun === true) return answerPlan(plan, `run --resume ${run}`);
  context.progress.note(
    `resuming run ${run}: ${done.length} of ${done.length + left.length} cells are judged already`,
  );
  return answerRun(context, await runPlan(context, { config, plan, flags, begun }));
}
