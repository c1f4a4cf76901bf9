import { join, resolve } from 'node:path';
import { isFolder, listFolder, pathExists } from '../../drivers/files/files.ts';
import type { WhyResult } from '../../model/saved/answers.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import { statePaths } from '../../model/host/paths.ts';
import { shellWord } from '../../model/text/shell.ts';
import type { VerbAnswer } from '../context/answer.ts';
import type { Context, RunVerb } from '../context/context.ts';
import { renderExperiment } from '../../report/terminal/render-experiment.ts';
import { explainCell, runcRow } from '../../report/terminal/explain-cell.ts';
import { warnAgain } from '../../report/words/warn-again.ts';
import { row } from '../../report/text/page-rows.ts';
import { joinLines } from '../../report/text/text-table.ts';
import type { Flags } from '../context/flags.ts';
import { concludeRun } from '../proving/conclude-run.ts';
import { findExperiments } from '../proving/find-experiments.ts';
import { findProves } from '../proving/find-verdict.ts';
import { readProofTrials } from '../proving/run-proof.ts';
import { listRunIds } from '../saved/find-cells.ts';
import { addressOf, getCellOfRun, getRun, type SavedRun } from '../saved/find-run.ts';
import { judgeAgain } from '../saved/judge-again.ts';
import { refuseRunFlag } from '../saved/refuse-run-flag.ts';
import { readEffective } from '../saved/spell-cell.ts';
import { findRunId } from '../saved/run-id.ts';
import { isMissingPath } from '../context/missing-path.ts';
import { spellPath } from '../context/spell-path.ts';

/** `whodunit why <address or run>`: shows the killer of one cell with its evidence, from the newest run that has it. */
export const runWhy: RunVerb = async (context, words, flags) => {
  const experiment = findExperiment(context, words[0] ?? '', flags);
  if (experiment !== undefined) return experiment;
  const { run, cell } = findCell(context, words[0] ?? '', flags);
  const again = judgeAgain(run.paths.dir, cell);
  const experiments = findExperiments(context, { run: run.result.run, cell });
  const result: WhyResult = {
    formatVersion: FORMAT_VERSION,
    run: run.result.run,
    cell,
    again,
  };
  if (experiments.length > 0) result.experiments = experiments;
  return { status: 'passed', json: result, page: () => renderWhy(result, run) };
};

/** Answers a word that names a run of `whodunit prove`, with the result of the experiment; undefined for any other word. */
function findExperiment(context: Context, word: string, flags: Flags): VerbAnswer | undefined {
  const id = word.includes('/') || word === '' ? undefined : findRunId(listRunIds(context), word);
  const proves = id === undefined ? undefined : findProves(context, id);
  if (id === undefined || proves === undefined) return undefined;
  refuseRunFlag(word, flags);
  const trials = readProofTrials(context, { ran: getRun(context, id), proves });
  const result = concludeRun(proves, id, trials);
  return { status: 'passed', json: result, page: () => renderExperiment(result) };
}

function renderWhy({ run, cell, again, experiments }: WhyResult, { paths }: SavedRun): string {
  const folder = join(paths.dir, cell.evidence);
  // A cell that never began has no saved evidence.
  const evidence = cell.evidence !== '' && isFolder(folder) ? spellPath(folder) : '';
  const warning = again === undefined ? undefined : warnAgain(again);
  return [
    ...(warning === undefined ? [] : [`${joinLines([warning])}\n`]),
    explainCell(cell, evidence, experiments).trimEnd(),
    ...runcRow(cell.variant, readEffective(paths.dir, cell)?.versions),
    row('run', run),
    ...(again?.state === 'same' ? [row('again', 'judged again with the same result')] : []),
  ].join('\n');
}

function findCell(
  context: Context,
  word: string,
  flags: Pick<Flags, 'run'>,
): { run: SavedRun; cell: CellResult } {
  const ids = listFolder(statePaths(context.stateDir).runs);
  const id = word.includes('/') || word === '' ? undefined : findRunId(ids, word);
  if (id !== undefined) {
    refuseRunFlag(word, flags);
    const run = getRun(context, id);
    return { run, cell: getFirstBad(run) };
  }
  refuseFolder(word);
  const address = addressOf(word);
  const run = getRun(context, flags.run, address);
  return { run, cell: getCellOfRun(run, address) };
}

/** @throws UsageError for a path, with the verb that judges it, or that it is not there. */
function refuseFolder(word: string): void {
  if (word === '') return;
  if (isMissingPath(word))
    throw new UsageError(`there is no file or folder ${shellWord(word)}, and why takes an address or a run`, {
      tryNext: 'npx whodunit runs lists the saved runs; npx whodunit judge <folder> judges a folder',
    });
  if (!pathExists(resolve(word))) return;
  const isCell = pathExists(resolve(word, 'cell.json'));
  throw new UsageError(
    `"${word}" is a ${isFolder(resolve(word)) ? 'folder' : 'file'}, and why takes an address or a run`,
    {
      tryNext: isCell ? `npx whodunit judge ${shellWord(word)}` : `npx whodunit autopsy ${shellWord(word)}`,
    },
  );
}

/** Returns the first cell of a run that failed or was inconclusive, else its only cell. */
function getFirstBad({ result: { run, cells } }: SavedRun): CellResult {
  const bad = cells.find(({ verdict }) => verdict === 'failed' || verdict === 'inconclusive');
  const [first, ...others] = cells;
  const found = bad ?? (others.length === 0 ? first : undefined);
  if (found !== undefined) return found;
  throw new UsageError(`all ${cells.length} cells of run ${run} passed: name one of them`, {
    tryNext: `npx whodunit report ${run}`,
  });
}
