import { ConfigError, type ConfigProblem } from '../../model/errors/errors.ts';
import type { ParameterTexts } from '../../model/declared/parameters.ts';
import { isOfApi, renderReading } from '../../model/measures/sampler-reading.ts';
import { scenarioSchema, type LoadedScenario, type ScenarioSource } from '../../model/declared/scenario.ts';
import { listZodProblems } from '../../model/files/zod-problems.ts';
import { chooseValues, fillParameters } from './fill-parameters.ts';

/**
 * Fills a choice of parameters into the files of a scenario; parameters that it does not name get their default.
 *
 * @returns the scenario, or what is wrong with it under this choice.
 */
export function tryScenario(
  source: ScenarioSource,
  chosen: ParameterTexts = {},
): LoadedScenario | readonly ConfigProblem[] {
  const values = chooseValues(source.parameters, chosen);
  const fill = <T>(value: T): T => fillParameters(value, values) as T;
  const filled = fillText(source, chosen);
  const parsed = scenarioSchema.safeParse(filled);
  if (!parsed.success)
    return listZodProblems(`${source.folder}/scenario.yaml`, scenarioSchema, filled, parsed.error);
  return {
    scenario: parsed.data,
    folder: source.folder,
    parameters: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)])),
    manifests: Object.values(source.manifests).flat().map(fill),
    later: fill(source.later),
    samplers: parsed.data.samplers.map(({ file, script, reads, ...sampler }) => ({
      ...sampler,
      on: reads !== undefined && isOfApi(reads) ? 'control-plane' : sampler.on,
      script: reads === undefined ? (script ?? source.scripts[file ?? ''] ?? '') : renderReading(reads),
    })),
    source,
  };
}

/**
 * Returns a scenario under another choice of its parameters.
 *
 * @throws ConfigError when it is not valid under this choice.
 */
export function fillScenario(loaded: LoadedScenario, chosen: ParameterTexts): LoadedScenario {
  const filled = tryScenario(loaded.source, chosen);
  if ('scenario' in filled) return filled;
  throw new ConfigError(filled);
}

/** The parsed `scenario.yaml` with a choice of its parameters filled in, not checked. */
export function fillText(source: ScenarioSource, chosen: ParameterTexts): unknown {
  const values = chooseValues(source.parameters, chosen);
  return fillDeclaration(source.scenario, (value) => fillParameters(value, values) as typeof value);
}

/** Fills in `scenario.yaml`, but not its declaration of parameters. */
function fillDeclaration(scenario: unknown, fill: <T>(value: T) => T): unknown {
  if (typeof scenario !== 'object' || scenario === null || !('parameters' in scenario)) return fill(scenario);
  return { ...fill(scenario), parameters: scenario.parameters };
}

/** The choices that a check looks at: the default, and every other named value by itself. */
export function listChoices({ parameters }: ScenarioSource): ParameterTexts[] {
  return [
    {},
    ...Object.entries(parameters).flatMap(([name, { values, default: usual }]) =>
      values.filter((value) => value !== usual).map((value) => ({ [name]: String(value) })),
    ),
  ];
}
