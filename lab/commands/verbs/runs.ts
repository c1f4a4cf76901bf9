import { listFolder, pathExists } from '../../drivers/files/files.ts';
import type { RunsResult } from '../../model/saved/answers.ts';
import { isUnreadable } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { statePaths } from '../../model/host/paths.ts';
import { VERDICTS } from '../../model/killers/killers.ts';
import { findListed } from '../context/find-listed.ts';
import { renderRuns } from '../../report/terminal/render-runs.ts';
import type { Context, RunVerb } from '../context/context.ts';
import { findPlan } from '../saved/find-plan.ts';
import { readRun } from '../saved/find-run.ts';

/** `whodunit runs [word…]`: lists the saved runs, newest first, or those that have the words. */
export const runRuns: RunVerb = async (context, words) => {
  const ids = listFolder(statePaths(context.stateDir).runs).reverse();
  const found = findListed(words, {
    kind: 'saved run',
    items: ids.map((id) => describeRun(context, id)),
    nameOf: ({ run }) => run,
    fieldsOf: ({ run, ...described }) => [
      ...describeTotals(described.totals).map((text) => ({ text, weight: 3 })),
      { text: [...(described.words ?? []), described.bug ?? ''].join(' '), weight: 2 },
      { text: described.startedAt ?? '', weight: 1 },
      { text: described.problem ?? '', weight: 1 },
      ...(words.length === 0 ? [] : cellsOf(context, run)),
    ],
    all: 'npx whodunit runs',
  });
  const result: RunsResult = { formatVersion: FORMAT_VERSION, runs: found };
  return {
    status: 'passed',
    json: result,
    rows: { list: result.runs, name: 'run' },
    table: () => renderRuns(result),
  };
};

function describeRun({ stateDir }: Pick<Context, 'stateDir'>, id: string): RunsResult['runs'][number] {
  const paths = statePaths(stateDir).run(id);
  try {
    if (!pathExists(paths.result)) return { run: id, problem: 'has no result' };
    const { startedAt, totals } = readRun(stateDir, id).result;
    const plan = findPlan(paths);
    return {
      run: id,
      startedAt,
      totals,
      words: plan?.words,
      bug: plan?.asked?.bug,
    };
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return {
      run: id,
      problem: error.code === 'LAB_ACCESS' ? error.message : 'cannot be read by this version',
    };
  }
}

/** Returns the verdicts that occur. */
function describeTotals(totals: RunsResult['runs'][number]['totals']): string[] {
  return VERDICTS.filter((verdict) => (totals?.[verdict] ?? 0) > 0);
}

/** Returns the texts of a run's cells in which words are searched for: addresses and killers. */
function cellsOf({ stateDir }: Pick<Context, 'stateDir'>, id: string): { text: string; weight: number }[] {
  try {
    const { cells } = readRun(stateDir, id).result;
    return cells.map(({ address, attribution }) => ({
      text: `${address} ${attribution?.killer ?? ''}`,
      weight: 1,
    }));
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return []; // `describeRun` says what is wrong with it
  }
}
