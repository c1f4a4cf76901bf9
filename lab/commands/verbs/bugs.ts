import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { BugsResult } from '../../model/saved/repro.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { selectorsOfBug } from '../../plan/bugs/bug-cells.ts';
import { renderBugs } from '../../report/terminal/render-bugs.ts';
import { loadConfig } from '../setup/config.ts';
import { findListed } from '../context/find-listed.ts';
import type { RunVerb } from '../context/context.ts';

/** `whodunit bugs [word…]`: the reported bugs (those that have the words), each with the cells that show whether it exists. */
export const runBugs: RunVerb = async (context, words) => {
  const { bugs, scenarios } = loadConfig(context);
  const found = findListed(words, {
    kind: 'bug',
    items: bugs,
    nameOf: ({ id }) => id,
    fieldsOf: (bug) => [
      { text: bug.title, weight: 3 },
      ...bug.links.map((link) => ({ text: link, weight: 2 })),
      ...selectorsOfBug(bug, scenarios).map((text) => ({ text, weight: 2 })),
      ...[bug.affected, bug.fixed].flatMap((side) =>
        Object.entries(side).map(([axis, value]) => ({ text: `${axis}=${value}`, weight: 2 })),
      ),
      ...scenarios.flatMap(({ scenario }) =>
        scenario.name === bug.scenario
          ? [{ text: [scenario.expect.killer, ...scenario.tags].join(' '), weight: 2 }]
          : [],
      ),
      { text: bug.status, weight: 1 },
      { text: bug.summary, weight: 1 },
    ],
    all: 'npx whodunit bugs',
  });
  const result = toBugsResult({ bugs: found, scenarios });
  return {
    status: 'passed',
    json: result,
    rows: { list: result.bugs, name: 'id' },
    table: () => renderBugs(result),
  };
};

function toBugsResult({ bugs, scenarios }: Pick<Config, 'bugs' | 'scenarios'>): BugsResult {
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
