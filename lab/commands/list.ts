import { toListResult } from '../plan/list-result.ts';
import { renderList } from '../report/render-list.ts';
import { loadPlan } from './config.ts';
import type { RunVerb } from './context.ts';

/** `whodunit list [selector…]`: the cells that selectors choose, the skipped ones with their rule, and the cost. */
export const runList: RunVerb = (context, words, flags) => {
  const list = toListResult(loadPlan(context, words, flags).plan);
  if (flags.json === true) context.printJson(list);
  else context.print(renderList(list));
  return Promise.resolve(0);
};
