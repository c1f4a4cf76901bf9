import { toListResult } from '../../plan/cells/list-result.ts';
import { summariseList } from '../../plan/cells/summarise-list.ts';
import { renderList, renderListSummary } from '../../report/terminal/render-list.ts';
import { loadPlan } from '../setup/config.ts';
import type { RunVerb } from '../context/context.ts';
import { spellLine } from '../context/spell-line.ts';

/** `whodunit list [selector…]`: lists the cells that selectors choose, the skipped ones with their rule, and the cost. */
export const runList: RunVerb = async (context, words, flags) => {
  const list = toListResult(loadPlan(context, words, flags).plan);
  const command = spellLine('run', words, flags);
  const summary = flags.summary === true ? summariseList(list) : undefined;
  if (summary === undefined)
    return {
      status: 'passed',
      json: list,
      rows: { list: list.cells, name: 'address' },
      table: () => renderList(list, command),
    };
  return { status: 'passed', json: summary, table: () => renderListSummary(summary, list, command) };
};
