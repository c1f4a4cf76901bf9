import { listFolder, pathExists } from '../../drivers/files/files.ts';
import { findJsonInside } from '../../drivers/files/inside.ts';
import type { RunsResult } from '../../model/saved/answers.ts';
import { isUnreadable } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { statePaths } from '../../model/host/paths.ts';
import { savedPlanSchema } from '../../model/saved/replay.ts';
import { renderRuns } from '../../report/terminal/render-runs.ts';
import type { Context, RunVerb } from '../context/context.ts';
import { readRun } from '../saved/find-run.ts';

/** `whodunit runs`: the saved runs, newest first: id, date, verdicts, and what was asked. */
export const runRuns: RunVerb = async (context) => {
  const ids = listFolder(statePaths(context.stateDir).runs).reverse();
  const result: RunsResult = {
    formatVersion: FORMAT_VERSION,
    runs: ids.map((id) => describeRun(context, id)),
  };
  return {
    status: 'passed',
    json: result,
    rows: { list: result.runs, name: 'run' },
    text: () => renderRuns(result),
  };
};

function describeRun({ stateDir }: Pick<Context, 'stateDir'>, id: string): RunsResult['runs'][number] {
  const paths = statePaths(stateDir).run(id);
  try {
    if (!pathExists(paths.result)) return { run: id, problem: 'has no result' };
    const { startedAt, totals } = readRun(stateDir, id).result;
    const plan = savedPlanSchema.safeParse(findJsonInside(paths.dir, paths.plan)).data;
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
