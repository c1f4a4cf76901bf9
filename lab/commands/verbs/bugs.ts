import { isLink, searchLink } from '../../case/search/search-link.ts';
import { searchCatalogue } from '../../case/search/catalogue-index.ts';
import type { Bug } from '../../model/declared/bug.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { ProjectFolders } from '../../model/host/project-folders.ts';
import { findByWords, type SearchField } from '../../model/text/search.ts';
import type { BugsResult } from '../../model/saved/repro.ts';
import { selectorsOfBug } from '../../plan/bugs/bug-cells.ts';
import { listReportedBugs } from '../../plan/bugs/find-bug.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { renderBugs } from '../../report/terminal/render-bugs.ts';
import type { RunVerb } from '../context/context.ts';
import { loadCatalogueIndex } from '../setup/load-catalogue-index.ts';
import { loadConfig } from '../setup/config.ts';

/**
 * `whodunit bugs [word…]`: lists the reported bugs that have all of the words, each with the cells that show whether it
 * exists; then similar bugs, scenarios, killers and pages.
 */
export const runBugs: RunVerb = async (context, words) => {
  const config = loadConfig(context);
  const found = findBugs(config, words);
  const near = words.length === 0 ? [] : findNear(context, config, words, found);
  if (words.length > 0 && found.length === 0 && near.length === 0)
    throw new UsageError(
      `no bug has ${words.map((word) => `"${word}"`).join(' and ')}, and nothing is near`,
      {
        tryNext: 'npx whodunit bugs for all, or npx whodunit case <file> with the text of the report',
      },
    );
  const result = {
    ...toBugsResult({ bugs: found, scenarios: config.scenarios }),
    ...(words.length > 0 && { near }),
  };
  return {
    status: 'passed',
    json: result,
    rows: { list: result.bugs, name: 'id' },
    table: () => renderBugs(result, words),
  };
};

/** The most similar entries that are listed. */
const MOST_NEAR = 6;

/** Returns the bugs that have all of the words; for a link, the bugs that were reported there. */
function findBugs({ bugs, scenarios }: Config, words: readonly string[]): Bug[] {
  if (words.length === 0) return [...bugs];
  const [first = ''] = words;
  if (words.length === 1 && isLink(first)) return listReportedBugs(bugs, first);
  return findByWords(bugs, words, (bug) => fieldsOf(bug, scenarios));
}

function fieldsOf(bug: Bug, scenarios: Config['scenarios']): SearchField[] {
  return [
    { text: bug.id, weight: 4 },
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
  ];
}

function findNear(
  folders: ProjectFolders,
  config: Config,
  words: readonly string[],
  found: readonly Bug[],
): NonNullable<BugsResult['near']> {
  const index = loadCatalogueIndex(folders, config);
  const question = { most: MOST_NEAR, without: found.map(({ id }) => `bug ${id}`) };
  const [first = ''] = words;
  if (words.length === 1 && isLink(first)) return searchLink(index, first, question);
  return searchCatalogue(index, words.join(' '), question);
}

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
        firstBad: bug.firstBad,
        firstGood: bug.firstGood,
      };
    }),
  };
}
