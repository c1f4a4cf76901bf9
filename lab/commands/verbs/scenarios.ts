import type { ScenariosResult } from '../../model/saved/answers.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { parametersField } from '../../model/declared/parameters.ts';
import { matchGlob } from '../../model/text/match-glob.ts';
import { renderScenarios } from '../../report/terminal/render-catalogue.ts';
import { refuseBroken } from '../../plan/config/broken.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import { findListed } from '../context/find-listed.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { loadQuietly, noteBroken } from '../setup/config.ts';
import type { RunVerb } from '../context/context.ts';

/**
 * `whodunit scenarios [glob or word…]`: lists the scenarios, and which killer must be found in each. If a word matches
 * no name, all words are searched for.
 */
export const runScenarios: RunVerb = async (context, words) => {
  const config = loadQuietly(context);
  const { scenarios: all, broken } = config;
  const wanted = broken.scenarios.filter(({ name }) => words.some((word) => matchGlob(word, name)));
  if (wanted.length > 0) throw refuseBroken(wanted);
  noteBroken(context, config);
  const chosen = choose(all, words);
  const result = describeScenarios(chosen);
  return {
    status: 'passed',
    json: result,
    rows: { list: result.scenarios, name: 'name' },
    table: () => renderScenarios(result),
  };
};

/** Returns what these scenarios stage, and which killer must be found. */
export function describeScenarios(scenarios: Config['scenarios']): ScenariosResult {
  return {
    formatVersion: FORMAT_VERSION,
    scenarios: scenarios.map(({ scenario: { name, title, tags, expect }, parameters }) => ({
      name,
      title,
      tags: [...tags],
      killer: expect.killer,
      ...parametersField(parameters),
    })),
  };
}

function choose(all: readonly LoadedScenario[], words: readonly string[]): readonly LoadedScenario[] {
  const names = all.map(({ scenario }) => scenario.name);
  const areNames = words.every((word) => names.some((name) => matchGlob(word, name)));
  if (areNames && words.length > 0)
    return all.filter(({ scenario }) => words.some((word) => matchGlob(word, scenario.name)));
  return findListed(words, {
    kind: 'scenario',
    items: all,
    nameOf: ({ scenario }) => scenario.name,
    fieldsOf: ({ scenario }) => [
      { text: scenario.title, weight: 3 },
      ...scenario.tags.map((tag) => ({ text: tag, weight: 3 })),
      { text: scenario.expect.killer, weight: 3 },
      { text: Object.keys(scenario.parameters).join(' '), weight: 2 },
      { text: JSON.stringify(scenario.expect), weight: 1 },
      { text: scenario.makeItFail, weight: 1 },
    ],
    all: 'npx whodunit scenarios',
  });
}
