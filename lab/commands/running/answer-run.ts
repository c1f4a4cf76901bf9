import type { ExitStatus } from '../../model/errors/exit-status.ts';
import type { RunResult } from '../../model/saved/formats.ts';
import { toListResult } from '../../plan/cells/list-result.ts';
import type { Plan } from '../../plan/cells/plan-cells.ts';
import { reportRun } from '../../report/markdown/render-github.ts';
import { renderList } from '../../report/terminal/render-list.ts';
import { renderInvestigated } from '../../report/terminal/render-investigation.ts';
import { renderSummary } from '../../report/terminal/render-summary.ts';
import type { VerbAnswer } from '../context/answer.ts';
import type { Context } from '../context/context.ts';
import { spellPath } from '../context/spell-path.ts';
import { reportToGithub } from '../output/report-to-github.ts';
import type { SavedRun } from '../saved/find-run.ts';

/** Answers a dry run: the plan, and the command that runs it. */
export function answerPlan(plan: Plan, command: string): VerbAnswer {
  const list = toListResult(plan);
  return { status: 'passed', json: list, text: () => renderList(list, command) };
}

/** Answers a run: its summary, and where its folder and report are. */
export function answerRun(context: Context, { paths, result }: SavedRun): VerbAnswer {
  return {
    status: statusOfRun(result, context.signal.aborted),
    json: result,
    page: () =>
      `${[renderSummary(result), ...renderInvestigated(result.investigated ?? [])].join('\n')}\n\nfolder: ${spellPath(paths.dir)}\nreport: ${spellPath(paths.html)}`,
    afterwards: () => reportToGithub(context, () => reportRun(result)),
  };
}

/**
 * Returns the status of a run. Failed comes before interrupted, because `--fail-fast` counts the cells that it did not
 * start as interrupted.
 */
export function statusOfRun({ totals }: Pick<RunResult, 'totals'>, isInterrupted: boolean): ExitStatus {
  if (isInterrupted) return 'interrupted';
  if (totals.failed > 0) return 'failed';
  if (totals.interrupted > 0) return 'interrupted';
  return totals.inconclusive > 0 ? 'inconclusive' : 'passed';
}
