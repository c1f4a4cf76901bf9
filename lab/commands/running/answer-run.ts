import type { ExitStatus } from '../../model/errors/exit-status.ts';
import type { RunResult } from '../../model/saved/formats.ts';
import { toListResult } from '../../plan/cells/list-result.ts';
import type { Plan } from '../../plan/cells/plan-cells.ts';
import { renderList } from '../../report/terminal/render-list.ts';
import { renderInvestigated } from '../../report/terminal/render-investigation.ts';
import { renderSummary } from '../../report/terminal/render-summary.ts';
import type { VerbAnswer } from '../context/answer.ts';
import type { Context } from '../context/context.ts';
import { spellPath } from '../context/spell-path.ts';
import { reportToGithub } from '../output/report-to-github.ts';
import type { SavedRun } from '../saved/find-run.ts';

/** What a run would do, and the command that does it. */
export function answerPlan(plan: Plan, command: string): VerbAnswer {
  const list = toListResult(plan);
  return { status: 'passed', json: list, text: () => renderList(list, command) };
}

/** What came out of a run. */
export function answerRun(context: Context, { paths, result }: SavedRun): VerbAnswer {
  return {
    status: statusOfRun(result, context.signal.aborted),
    json: result,
    page: () =>
      `${[renderSummary(result), ...renderInvestigated(result.investigated ?? [])].join('\n')}\n\nfolder: ${spellPath(paths.dir)}\nreport: ${spellPath(paths.html)}`,
    afterwards: () => reportToGithub(context, result),
  };
}

/** A failed cell counts more than one that was interrupted: `--fail-fast` interrupts those that were not started. */
export function statusOfRun({ totals }: Pick<RunResult, 'totals'>, isInterrupted: boolean): ExitStatus {
  if (isInterrupted) return 'interrupted';
  if (totals.failed > 0) return 'failed';
  if (totals.interrupted > 0) return 'interrupted';
  return totals.inconclusive > 0 ? 'inconclusive' : 'passed';
}
