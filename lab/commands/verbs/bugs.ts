import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { BugsResult } from '../../model/saved/repro.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { selectorsOfBug } from '../../plan/bugs/bug-cells.ts';
import { renderBugs } from '../../report/terminal/render-bugs.ts';
import { loadConfig } from '../setup/config.ts';
import type { RunVerb } from '../context/context.ts';

/** `whodunit bugs`: the catalogue of reported bugs, each with the cells that show whether it exists. */
export const runBugs: RunVerb = async (context) => {
  const result = toBugsResult(loadConfig(context));
  return {
    status: 'passed',
    json: result,
    rows: { list: result.bugs, name: 'id' },
    text: () => renderBugs(result),
  };
};

function toBugsResult({ bugs, scenarios }: Config): BugsResult {
  return {
    formatVersion: FORMAT_VERSION,
    bugs: bugs.map((bug) => {
      const [affected = '', fixed = '', ...controls] = selectorsOfBug(bug, scenarios);
      return {
        id: bug.id,
        title: bug.title,
        links: [...bug.links],
        seed: bug.seed,
        affected,
        fixed,
        controls,
        scenario: bug.scenario,
        status: bug.status,
      };
    }),
  };
}
