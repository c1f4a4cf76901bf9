import { relative } from 'node:path';
import { writeTextAtomic } from '../drivers/files.ts';
import { renderJunit } from '../report/render-junit.ts';
import { renderMarkdown } from '../report/render-markdown.ts';
import { renderSummary } from '../report/render-summary.ts';
import type { RunVerb } from './context.ts';
import { getRun } from './find-run.ts';

/** `lab report [run]`: the summary of a saved run (default: the newest), and its JUnit file written anew. */
export const runReport: RunVerb = (context, words, flags) => {
  const { paths, result } = getRun(context, words[0]);
  writeTextAtomic(paths.junit, renderJunit(result));
  if (flags.json === true) {
    context.printJson(result);
  } else if (flags.markdown === true) {
    context.print(renderMarkdown(result));
  } else {
    context.print(`${renderSummary(result)}\njunit: ${relative(process.cwd(), paths.junit)}`);
  }
  return Promise.resolve(0);
};
