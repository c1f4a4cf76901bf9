import { toListResult } from '../../plan/cells/list-result.ts';
import { summariseList } from '../../plan/cells/summarise-list.ts';
import { renderList, renderListSummary } from '../../report/terminal/render-list.ts';
import { loadPlan } from '../setup/config.ts';
import type { RunVerb } from '../context/context.ts';
import { runCommand } from '../context/run-command.ts';

/** `whodunit list [selector…]`: the cells that selectors choose, the skipped ones with their rule, and the cost. */
export const runList: RunVerb = (context, words, flags) => {
  const list = toListResult(loadPlan(context, words, flags).plan);
  const command = runCommand(words, flags);
  const summary = flags.summary === true ? summariseList(list) : undefined;
  if (flags.json === true) context.printJson(summary ?? list);
  else if (summary === undefined) context.print(renderList(list, command));
  else context.print(renderListSummary(summary, list, command));
  return Promise.resolve(0);
};
