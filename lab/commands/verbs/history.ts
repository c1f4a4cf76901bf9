import { readHistories } from '../../judge/compare/cell-history.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { History } from '../../model/saved/history.ts';
import { formatHint } from '../../model/text/nearest.ts';
import { compileGlob } from '../../model/text/match-glob.ts';
import { renderHistory } from '../../report/terminal/render-history.ts';
import type { RunVerb } from '../context/context.ts';
import { readPastRuns } from '../saved/run-index.ts';

/** `whodunit history <address|scenario>`: shows the verdicts of cells over time. */
export const runHistory: RunVerb = async (context, words) => {
  const [word = ''] = words;
  const runs = readPastRuns(context);
  const matches = compileGlob(word);
  const cells = readHistories(runs, ({ address, scenario }) => matches(address) || matches(scenario));
  if (cells.length === 0) {
    const known = [
      ...new Set(runs.flatMap((run) => run.cells.flatMap((cell) => [cell.scenario, cell.address]))),
    ];
    const none = known.length === 0 ? ', as there is no finished run yet' : formatHint(word, known);
    throw new UsageError(`no saved run has a cell "${word}"${none}`, {
      tryNext: known.length === 0 ? 'npx whodunit run' : "npx whodunit history '*' for every cell",
    });
  }
  const result: History = { formatVersion: FORMAT_VERSION, cells };
  return { status: 'passed', json: result, table: () => renderHistory(cells) };
};
