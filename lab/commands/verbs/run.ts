import { UsageError } from '../../model/errors/errors.ts';
import { selectAddresses } from '../../plan/cells/select-addresses.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { isBuildWord } from '../../plan/variants/named-builds.ts';
import type { VerbAnswer } from '../context/answer.ts';
import type { Context, RunVerb } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { spellLine } from '../context/spell-line.ts';
import { codeForGitBisect } from '../running/exit-for.ts';
import { answerPlan, answerRun, statusOfRun } from '../running/answer-run.ts';
import { runPlan, type RunRequest } from '../running/run-plan.ts';
import { spreadRequest } from '../running/spread-request.ts';
import { getRun, type SavedRun } from '../saved/find-run.ts';
import { findUnfinishedRun, refuseChanged } from '../saved/resume-run.ts';
import { judgeShard } from '../sharding/judge-shard.ts';
import { findAskedShard, loadShard } from '../sharding/load-shard.ts';
import { investigateRun, MOST_CELLS, planInvestigations } from '../proving/investigate.ts';
import { toListResult } from '../../plan/cells/list-result.ts';
import { renderPossibleInvestigations } from '../../report/terminal/render-investigation.ts';
import { renderList } from '../../report/terminal/render-list.ts';
import { loadPlan, loadQuietly, planWords } from '../setup/config.ts';

/** `whodunit run [selector…]`: runs the selected cells, judges and reports them. */
export const runRun: RunVerb = async (context, words, flags) => {
  const answer = await answerWords(context, words, flags);
  return flags.exitFor === undefined ? answer : { ...answer, status: codeForGitBisect(answer) };
};

async function answerWords(context: Context, words: readonly string[], flags: Flags): Promise<VerbAnswer> {
  if (flags.resume === true) return resumeRun(context, words, flags);
  if (flags.lastFailed === true) return runLastFailed(context, words, flags);
  if (flags.plan !== undefined || flags.shard !== undefined) return runShard(context, words, flags);
  return runPlanned(
    context,
    { ...loadPlan(context, words, flags), flags, asked: { words: [...words] } },
    words,
  );
}

/** `whodunit run --plan <file> --shard <index>`: runs one shard of a plan. */
async function runShard(context: Context, words: readonly string[], flags: Flags): Promise<VerbAnswer> {
  const asked = findAskedShard(context, words, flags);
  if (asked.plan.work === 'judge') return answerRun(context, judgeShard(context, asked, flags));
  return runPlanned(context, await loadShard(context, asked, flags), words);
}

/**
 * Runs a plan, or with --dry-run only shows it.
 *
 * @param typed the words of the person, for the command that a dry run shows.
 */
async function runPlanned(
  context: Context,
  request: RunRequest,
  typed: readonly string[],
): Promise<VerbAnswer> {
  const { flags } = request;
  const spread = spreadRequest(context, request);
  if (flags.dryRun === true) return planDry(context, spread, spellLine('run', typed, flags));
  return answerRan(context, await runPlan(context, spread), flags);
}

/** Answers a dry run; with --investigate also how its failures would be investigated. */
function planDry(context: Context, { config, plan, flags }: RunRequest, command: string): VerbAnswer {
  if (flags.investigate !== true) return answerPlan(plan, command);
  const investigates = planInvestigations(context, config, plan);
  const list = { ...toListResult(plan), investigates };
  return {
    status: 'passed',
    json: list,
    text: () => `${renderPossibleInvestigations(investigates, MOST_CELLS)}\n\n${renderList(list, command)}`,
  };
}

/** Answers a run; with --investigate its failures are investigated first. */
async function answerRan(context: Context, run: SavedRun, flags: Flags): Promise<VerbAnswer> {
  if (flags.investigate !== true) return answerRun(context, run);
  return answerRun(context, await investigateRun(context, run.result.run, flags));
}

/** `whodunit run --last-failed`: runs the cells that failed or were inconclusive in the newest run. */
async function runLastFailed(context: Context, words: readonly string[], flags: Flags): Promise<VerbAnswer> {
  if (!words.every(isBuildWord))
    throw new UsageError('--last-failed selects the cells itself, so it takes no selectors', {
      tryNext: 'npx whodunit run --last-failed',
    });
  const newest = getRun(context, undefined);
  const bad = listBad(newest);
  const { run } = newest.result;
  if (bad.length === 0)
    return {
      status: 'passed',
      json: newest.result,
      text: () => `nothing failed in run ${run}\nnext: npx whodunit report ${run}`,
    };
  const config = loadQuietly(context);
  const left = leaveOutUnknown(context, config, bad);
  if (left.length === 0)
    throw new UsageError(`none of the cells that did not pass in run ${run} can be run again`, {
      tryNext: `npx whodunit report ${run}`,
    });
  const plan = planWords(context, config, left, flags, { areAddresses: true });
  return runPlanned(context, { config, plan, flags, asked: { words: left } }, []);
}

/** Returns the cells that this project has. The others are noted, with the reason. */
function leaveOutUnknown({ progress }: Context, config: Config, addresses: readonly string[]): string[] {
  const why = new Map(selectAddresses(config, addresses).unknown.map((part) => [part.address, part.why]));
  for (const [address, reason] of why) progress.note(`cell ${address} is left out: ${reason}`);
  return addresses.filter((address) => !why.has(address));
}

/** Returns the addresses of the cells that failed or were inconclusive. */
function listBad({ result }: SavedRun): string[] {
  // A leg of an investigation is not a failure of its own.
  const legs = new Set(
    result.investigated?.flatMap((investigated) => investigated.legs.map(({ address }) => address)),
  );
  const bad = result.cells.filter(
    ({ verdict, address }) => (verdict === 'failed' || verdict === 'inconclusive') && !legs.has(address),
  );
  return bad.map(({ address }) => address);
}

/**
 * `whodunit run --resume [run]`: runs the cells that an unfinished run has not judged, and saves one result for both
 * parts.
 */
async function resumeRun(context: Context, words: readonly string[], flags: Flags): Promise<VerbAnswer> {
  const begun = findUnfinishedRun(context, words);
  const { result, done, left } = begun;
  const { run } = result;
  if (begun.proves !== undefined)
    throw new UsageError(`run ${run} is an experiment of whodunit prove`, {
      tryNext: `npx whodunit prove ${run}`,
    });
  const isInvestigationOpen = begun.investigates !== undefined && result.investigated === undefined;
  if (left.length === 0 && !isInvestigationOpen)
    return {
      status: statusOfRun(result, false),
      json: result,
      text: () => `run ${run} is already complete\nnext: npx whodunit report ${run}`,
    };
  if (begun.investigates !== undefined) return resumeInvestigation(context, run, flags);
  const addresses = left.map(({ address }) => address);
  const loaded = loadPlan(context, addresses, flags, { areAddresses: true });
  refuseChanged(begun, loaded.plan);
  const request = spreadRequest(context, { ...loaded, flags, begun });
  if (flags.dryRun === true) return answerPlan(request.plan, spellLine('run', [run], flags));
  context.progress.note(
    `resuming run ${run}: ${done.length} of ${done.length + left.length} cells are judged already`,
  );
  return answerRan(context, await runPlan(context, request), flags);
}

/**
 * Resumes an investigation that broke off. Its cells are of scenarios that the project does not have, so they are not
 * planned here.
 */
async function resumeInvestigation(context: Context, run: string, flags: Flags): Promise<VerbAnswer> {
  if (flags.dryRun === true)
    throw new UsageError(
      `run ${run} investigates its failures, and --dry-run cannot show what is left of that`,
      {
        tryNext: `npx whodunit run --resume ${run}`,
      },
    );
  return answerRun(context, await investigateRun(context, run, flags));
}
