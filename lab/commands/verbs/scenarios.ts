import type { ScenariosResult } from '../../model/saved/answers.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { formatHint } from '../../model/text/nearest.ts';
import { parametersField } from '../../model/declared/parameters.ts';
import { matchGlob } from '../../model/text/match-glob.ts';
import { renderScenarios } from '../../report/terminal/render-catalogue.ts';
import { refuseBroken } from '../../plan/config/broken.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { loadQuietly, noteBroken } from '../setup/config.ts';
import type { RunVerb } from '../context/context.ts';

/** `whodunit scenarios [glob…]`: what can be run, and what must be found. */
export const runScenarios: RunVerb = async (context, words) => {
  const config = loadQuietly(context);
  const { scenarios: all, broken } = config;
  const wanted = broken.scenarios.filter(({ name }) => words.some((word) => matchGlob(word, name)));
  if (wanted.length > 0) throw refuseBroken(wanted);
  noteBroken(context, config);
  const names = all.map(({ scenario }) => scenario.name);
  const unknown = words.find((word) => !names.some((name) => matchGlob(word, name)));
  if (unknown !== undefined)
    throw new UsageError(`no scenario is called "${unknown}"${formatHint(unknown, names)}`, {
      tryNext: 'npx whodunit scenarios',
    });
  const chosen = all.filter(
    ({ scenario }) => words.length === 0 || words.some((word) => matchGlob(word, scenario.name)),
  );
  const result = describeScenarios(chosen);
  return {
    status: 'passed',
    json: result,
    rows: { list: result.scenarios, name: 'name' },
    text: () => renderScenarios(result),
  };
};

/** What these scenarios stage, and who must have killed. */
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
