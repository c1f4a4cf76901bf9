import { variantName } from '../model/axes.ts';
import { FORMAT_VERSION } from '../model/format-version.ts';
import type { BugsResult } from '../model/repro.ts';
import type { Bug } from '../model/bug.ts';
import { variantOfBug } from '../plan/check-bugs.ts';
import { renderBugs } from '../report/render-bugs.ts';
import { loadConfig } from './config.ts';
import type { RunVerb } from './context.ts';

/** `lab bugs`: the catalogue of reported bugs, each with the cells that tell whether it is there. */
export const runBugs: RunVerb = (context, _words, flags) => {
  const result = toBugsResult(loadConfig(context).bugs);
  if (flags.json === true) context.printJson(result);
  else context.print(renderBugs(result));
  return Promise.resolve(0);
};

function toBugsResult(bugs: readonly Bug[]): BugsResult {
  return {
    formatVersion: FORMAT_VERSION,
    bugs: bugs.map((bug) => ({
      id: bug.id,
      title: bug.title,
      links: [...bug.links],
      ...(bug.seed === undefined ? {} : { seed: bug.seed }),
      affected: variantName(variantOfBug(bug.affected)),
      fixed: variantName(variantOfBug(bug.fixed)),
      controls: bug.controls.map((control) => variantName(variantOfBug(control.variant))),
      scenario: bug.scenario,
      status: bug.status,
    })),
  };
}
