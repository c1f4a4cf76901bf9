import { ensureFolder, writeJsonAtomic } from '../../drivers/files/files.ts';
import { removeBelow } from '../../drivers/files/folders.ts';
import { describeHost } from '../../drivers/host/host-facts.ts';
import { newRunId } from '../../drivers/run-id.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { VERDICTS } from '../../model/killers/killers.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { CellResult, RunResult } from '../../model/saved/formats.ts';
import { runPaths, statePaths } from '../../model/host/paths.ts';
import type { SavedPlan } from '../../model/saved/replay.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { toListResult } from '../../plan/cells/list-result.ts';
import type { Plan } from '../../plan/cells/plan-cells.ts';
import { listNewerReleasesOf } from '../../plan/variants/newer-releases.ts';
import { renderCost, renderList } from '../../report/terminal/render-list.ts';
import { renderSummary } from '../../report/terminal/render-summary.ts';
import { proveAccelerator } from '../../world/host/accelerator.ts';
import { DEFAULT_NEEDS } from '../../world/host/checks.ts';
import { createKeptFacts } from '../../world/run/kept-facts.ts';
import { runCells } from '../../world/run/run-cells.ts';
import { listComponentsOfCells } from '../../world/run/save-origins.ts';
import { skippedResult } from '../../world/run/unseen-cell.ts';
import { loadPlan } from '../setup/config.ts';
import type { Context } from '../context/context.ts';
import { getRun } from '../saved/find-run.ts';
import { spellFlag, type Flags } from '../context/flags.ts';
import { refuseUnlocked } from '../setup/refuse-unlocked.ts';
import { reportToGithub } from '../output/report-to-github.ts';
import { findUnfinishedRun, refuseChanged, refuseNow, type UnfinishedRun } from '../saved/resume-run.ts';
import { runCommand } from '../context/run-command.ts';
import { withLab } from '../setup/with-lab.ts';
import { spellPath } from '../context/spell-path.ts';
import { writeReport } from '../output/write-report.ts';

/** `whodunit run [selector…]`: runs the selected cells, judges and reports them. */
export async function runRun(context: Context, words: readonly string[], flags: Flags): Promise<number> {
  if (flags.resume === true) return resumeRun(context, words, flags);
  const chosen = flags.lastFailed === true ? listLastFailed(context, words, flags) : words;
  if (chosen === undefined) return 0;
  const { config, plan } = loadPlan(context, chosen, flags, { typed: words });
  if (flags.dryRun === true) return printPlan(context, plan, runCommand(words, flags), flags);
  return answerRun(context, config, plan, flags, chosen);
}

/** `whodunit run --resume [run]`: runs what a run that broke off has not judged, and makes one result of both parts. */
async function resumeRun(context: Context, words: readonly string[], flags: Flags): Promise<number> {
  for (const name of ['lastFailed', 'pairwise', 'seed'] as const)
    if (flags[name] !== undefined)
      throw new UsageError(`--resume runs what was planned: it does not go with ${spellFlag(name)}`, {
        tryNext: 'npx whodunit run --resume',
      });
  const begun = findUnfinishedRun(context, words);
  const { run } = begun.result;
  if (begun.left.length === 0) {
    if (flags.json === true) context.printJson(begun.result);
    else context.print(`nothing is left to do in run ${run}\nnext: npx whodunit report ${run}`);
    return exitCodeOfRun(begun.result, false);
  }
  const addresses = begun.left.map(({ address }) => address);
  const { config, plan } = loadPlan(context, addresses, flags, { typed: [] });
  refuseChanged(begun, plan);
  if (flags.dryRun === true) return printPlan(context, plan, `run --resume ${run}`, flags);
  context.progress.note(
    `run ${run} goes on: ${begun.done.length} of ${begun.done.length + begun.left.length} cells are judged`,
  );
  return printRun(context, await runPlan(context, config, plan, flags, {}, begun), flags);
}

/** Addresses of the cells that did not hold in the newest run; undefined, and said so, when there are none. */
function listLastFailed(context: Context, words: readonly string[], flags: Flags): string[] | undefined {
  if (words.length > 0)
    throw new UsageError('--last-failed chooses the cells itself: it takes no selectors', {
      tryNext: 'npx whodunit run --last-failed',
    });
  const { result } = getRun(context, undefined);
  const { run, cells } = result;
  const bad = cells.filter(({ verdict }) => verdict === 'failed' || verdict === 'inconclusive');
  if (bad.length > 0) return bad.map(({ address }) => address);
  if (flags.json === true) context.printJson(result);
  else context.print(`nothing failed in run ${run}\nnext: npx whodunit report ${run}`);
  return undefined;
}

/** Prints what a run would do, and the command that does it. */
export function printPlan(context: Context, plan: Plan, command: string, flags: Flags): number {
  const list = toListResult(plan);
  if (flags.json === true) context.printJson(list);
  else context.print(renderList(list, command));
  return 0;
}

/** Runs what was planned, and prints what came out. Returns the exit code. */
export async function answerRun(
  context: Context,
  config: Config,
  plan: Plan,
  flags: Flags,
  words?: readonly string[],
): Promise<number> {
  const asked = words === undefined ? {} : { words: [...words] };
  return printRun(context, await runPlan(context, config, plan, flags, asked), flags);
}

/** Prints what came out of a run. Returns the exit code. */
function printRun(context: Context, { dir, result }: DoneRun, flags: Flags): number {
  if (flags.json === true) context.printJson(result);
  else
    context.printPage(
      `${renderSummary(result)}\n\nfolder: ${spellPath(dir)}\nreport: ${spellPath(runPaths(dir).html)}`,
    );
  reportToGithub(context, result);
  return exitCodeOfRun(result, context.signal.aborted);
}

/** A run as it was saved. */
interface DoneRun {
  readonly dir: string;
  readonly result: RunResult;
}

/**
 * Runs what was planned, saves the run and returns it with its folder.
 *
 * @param asked what the run answers: the words of a person, or a question about a bug.
 * @param begun the run that this goes on with; left out: a new one.
 */
export async function runPlan(
  context: Context,
  config: Config,
  plan: Plan,
  flags: Flags,
  asked: Pick<SavedPlan, 'words' | 'asked'> = {},
  begun?: UnfinishedRun,
): Promise<DoneRun> {
  const parallel = parseParallel(flags.parallel);
  const listComponents = () => listComponentsOfCells({ host: context, ...config }, plan.cells);
  await refuseUnlocked(context, config, listComponents, { terraform: plan.cells.length > 0 });
  context.progress.note(renderCost(toListResult(plan)));
  for (const { reason } of listNewerReleasesOf(
    config.matrix,
    plan.worlds.map(({ variant }) => variant),
  ))
    context.progress.note(reason);
  const runId = begun?.result.run ?? newRunId(context.clock.now());
  const dir = statePaths(context.stateDir).run(runId).dir;
  const facts = createKeptFacts();
  const needs = { ...DEFAULT_NEEDS, memoryMiB: plan.memoryMiB };
  const result =
    plan.cells.length === 0
      ? await saveEmptyRun(context, runId, plan)
      : await withLab(
          context,
          config,
          needs,
          async (lab) => {
            const here = await headOf(context, runId);
            if (begun !== undefined) refuseNow(context, begun, here);
            prepareFolder(dir, plan, asked, begun);
            const cells: CellResult[] = [...(begun?.done ?? [])];
            const save = (): RunResult => {
              const whole = summarise(begun?.result ?? here, [...cells, ...plan.skipped.map(skippedResult)]);
              writeJsonAtomic(runPaths(dir).result, whole);
              return whole;
            };
            save();
            const onResult = (cell: CellResult): void => {
              cells.push(cell);
              save();
            };
            await runCells(lab, dir, plan.cells, {
              onResult,
              facts,
              estimateSeconds: plan.estimateSeconds,
              worlds: plan.worlds,
              ...(flags.cold === true ? { cold: true } : {}),
              failFast: flags.failFast === true,
              ...(parallel === undefined ? {} : { parallel }),
            });
            return save();
          },
          flags,
        );
  writeReport(context, { paths: runPaths(dir), result }, facts);
  return { dir, result };
}

/** A new run gets a folder and its plan. One that goes on loses what was interrupted: the evidence of half a cell. */
function prepareFolder(
  dir: string,
  plan: Plan,
  asked: Pick<SavedPlan, 'words' | 'asked'>,
  begun: UnfinishedRun | undefined,
): void {
  const paths = runPaths(dir);
  if (begun !== undefined) {
    for (const { address } of plan.cells) removeBelow(dir, paths.cell(address).dir);
    return;
  }
  ensureFolder(dir);
  const saved: SavedPlan = { ...toListResult(plan), ...asked };
  writeJsonAtomic(paths.plan, saved);
}

/** Reads `--parallel`: worlds at once; undefined = as the CPUs allow. */
function parseParallel(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (/^[1-9]\d{0,2}$/.test(given)) return Number(given);
  throw new UsageError(`--parallel takes a number of worlds from 1 on, not "${given}"`, {
    tryNext: 'npx whodunit run set=full --parallel 2',
  });
}

type Head = Omit<RunResult, 'totals' | 'cells'>;

async function headOf(context: Context, run: string): Promise<Head> {
  return {
    formatVersion: FORMAT_VERSION,
    run,
    startedAt: new Date(context.clock.now()).toISOString(),
    host: describeHost(),
    accelerator: (await proveAccelerator(context)).accelerator,
  };
}

/** A run whose cells were all refused by rules: no machine is needed for it, and it is saved like any other. */
async function saveEmptyRun(context: Context, run: string, plan: Plan): Promise<RunResult> {
  const result = summarise(await headOf(context, run), plan.skipped.map(skippedResult));
  writeJsonAtomic(statePaths(context.stateDir).run(run).result, result);
  return result;
}

function summarise(head: Head, cells: CellResult[]): RunResult {
  const totals = Object.fromEntries(
    VERDICTS.map((verdict) => [verdict, cells.filter((cell) => cell.verdict === verdict).length]),
  ) as RunResult['totals'];
  return { ...head, totals, cells };
}

/** 0 all passed or skipped by rule, 1 some cell failed, 3 inconclusive, 130 interrupted. */
export function exitCodeOfRun({ totals }: Pick<RunResult, 'totals'>, isInterrupted: boolean): number {
  if (isInterrupted) return 130;
  // With --fail-fast the cells that were not started count as interrupted.
  if (totals.failed > 0) return 1;
  if (totals.interrupted > 0) return 130;
  return totals.inconclusive > 0 ? 3 : 0;
}
