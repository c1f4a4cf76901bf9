import { watchSecondsFor } from '../../experiment/prove/watch-time.ts';
import { listSuspects } from '../../judge/killer/suspects.ts';
import type { ExitReason } from '../../model/errors/exit-status.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { ProofConclusion, ProvedVerdict, ProvePlan, ProveResult } from '../../model/saved/prove.ts';
import { repeatPlan } from '../../plan/cells/repeat-plan.ts';
import { renderProveMarkdown } from '../../report/markdown/render-prove-markdown.ts';
import { renderExperiment, renderExperimentPlan } from '../../report/terminal/render-experiment.ts';
import type { VerbAnswer } from '../context/answer.ts';
import type { Context, RunVerb } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { spellLine } from '../context/spell-line.ts';
import { spellPath } from '../context/spell-path.ts';
import { readRun, type SavedCell, type SavedRun } from '../saved/find-run.ts';
import { findUnfinishedRun, refuseChanged } from '../saved/resume-run.ts';
import { refuseSpelledOtherwise, spellSavedCell } from '../saved/spell-cell.ts';
import { findVerdict } from './find-verdict.ts';
import { planProof, type AskedProof, type PlannedProof } from './plan-proof.ts';
import { concludeRound, resumeProof, runProof, type ProvedCell } from './run-proof.ts';

/** Runs of each cell in a round. Three of three and none of three differ with a probability of 0.98. */
const USUAL_RUNS = 3;

/** `whodunit prove <cell or run>`: stages a death again as it was, without its cause, and without an innocent suspect. */
export const runProve: RunVerb = async (context, words, flags) => {
  const found = findVerdict(context, words[0] ?? '', flags);
  if (found.kind === 'experiment') return continueProof(context, found, flags);
  return proveVerdict(context, found, flags);
};

async function proveVerdict(context: Context, found: SavedCell, flags: Flags): Promise<VerbAnswer> {
  if (flags.dryRun === true)
    return answerProofPlan(planVerdict(context, found, flags), spellProve(found, flags));
  const { result, ran } = await proveCell(context, found, flags);
  return answerProof(context, result, flags, ran);
}

/** Tests a saved verdict by experiment. */
export async function proveCell(context: Context, found: SavedCell, flags: Flags): Promise<ProvedCell> {
  return runProof(context, toAskedProof(found, flags), flags);
}

function spellProve({ run, cell }: SavedCell, flags: Flags): string {
  return spellLine('prove', [cell.address], { ...flags, run: run.result.run });
}

function planVerdict(context: Context, found: SavedCell, flags: Flags): PlannedProof {
  return planProof(context, toAskedProof(found, flags), flags);
}

/**
 * Runs the cells of an experiment that have no result yet, and concludes it. A complete one is only read, unless a
 * budget asks for more rounds.
 */
async function continueProof(
  context: Context,
  { run, proves }: { readonly run: string; readonly proves: ProvedVerdict },
  flags: Flags,
): Promise<VerbAnswer> {
  const begun = findUnfinishedRun(context, [run]);
  const asked: AskedProof = {
    ...proves,
    addressToday: proves.arms.find(({ kind }) => kind === 'as-it-was')?.address ?? proves.address,
    repeat: flags.repeat ?? USUAL_RUNS,
    suspects: proves.arms.flatMap(({ kind, killer }) =>
      kind === 'without-innocent' && killer !== undefined ? [killer] : [],
    ),
  };
  if (begun.left.length === 0) {
    const last = { ran: readRun(context.stateDir, run), proves };
    if (flags.budget === undefined || flags.dryRun === true)
      return answerProof(context, concludeRound(context, last), flags, last.ran);
    refuseSpelledOtherwise({ dir: last.ran.paths.dir, id: run }, last.ran.result.cells);
    const { result, ran } = await resumeProof(context, asked, flags, last);
    return answerProof(context, result, flags, ran);
  }
  const whole = planProof(context, { ...asked, repeat: proves.repeat }, { cold: flags.cold === true });
  if (flags.dryRun === true) return answerProofPlan(whole, spellLine('prove', [run], flags));
  const left = new Set(begun.left.map(({ address }) => address));
  const plan = { ...whole.plan, cells: whole.plan.cells.filter(({ address }) => left.has(address)) };
  refuseChanged(begun, plan);
  const planned = { config: whole.config, plan, proves };
  const { result, ran } = await resumeProof(context, asked, flags, { planned, begun });
  return answerProof(context, result, flags, ran);
}

function toAskedProof({ run, cell }: SavedCell, flags: Flags): AskedProof {
  const { killer, how } = cell.attribution;
  // Evidence that was judged on another host has no such time.
  const observed = (cell.timings.observeMs ?? 0) / 1000;
  return {
    run: run.result.run,
    address: cell.address,
    addressToday: spellSavedCell(run.paths.dir, cell).address,
    named: how === undefined ? { killer } : { killer, how },
    suspects: listSuspects(cell.attribution),
    watchSeconds: watchSecondsFor(observed),
    repeat: flags.repeat ?? USUAL_RUNS,
  };
}

function answerProof(context: Context, result: ProveResult, flags: Flags, ran?: SavedRun): VerbAnswer {
  const places =
    ran === undefined ? [] : [`folder: ${spellPath(ran.paths.dir)}`, `report: ${spellPath(ran.paths.html)}`];
  return {
    status: context.signal.aborted ? 'interrupted' : STATUS[result.conclusion],
    json: result,
    ...(flags.markdown === true
      ? { text: () => renderProveMarkdown(result).trimEnd() }
      : { page: () => [renderExperiment(result), ...places].join('\n') }),
  };
}

const STATUS: Readonly<Record<ProofConclusion, ExitReason>> = {
  confirmed: 'passed',
  refuted: 'failed',
  'not-settled': 'inconclusive',
  'no-intervention': 'inconclusive',
};

function answerProofPlan({ plan, proves }: PlannedProof, command: string): VerbAnswer {
  const { run, address, named, cause, repeat, arms } = proves;
  const { cells, estimateSeconds } = repeatPlan(plan, repeat);
  const seconds = new Map(cells.map((cell) => [cell.address, cell.estimateSeconds]));
  const shown: ProvePlan = {
    formatVersion: FORMAT_VERSION,
    of: { run, address },
    named,
    cause,
    repeat,
    arms: arms.map((arm) => ({ ...arm, seconds: seconds.get(arm.address) ?? 0 })),
    worlds: plan.worlds.map(({ name }) => name),
    estimateSeconds,
  };
  return { status: 'passed', json: shown, text: () => renderExperimentPlan(shown, command) };
}
