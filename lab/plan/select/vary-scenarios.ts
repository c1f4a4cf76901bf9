import { formatHint } from '../../model/text/nearest.ts';
import type { Parameter, ParameterTexts } from '../../model/declared/parameters.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import type { DeclaredParameters } from '../check/check-condition.ts';
import { expandText } from '../parameters/fill-parameters.ts';
import { fillScenario } from '../parameters/fill-scenario.ts';

/** Values that are wanted of parameters: name → texts and globs. */
export type Wanted = Readonly<Record<string, readonly string[]>>;

/**
 * Returns the scenarios that declare every wanted parameter, once for each wanted value that they know. When nothing
 * is wanted, returns all as they are.
 *
 * @throws ConfigError when a scenario is not valid under a value that its patterns accept.
 */
export function varyScenarios(scenarios: readonly LoadedScenario[], wanted: Wanted): LoadedScenario[] {
  return scenarios.flatMap((loaded) => {
    let choices: ParameterTexts[] = [loaded.parameters];
    for (const [name, texts] of Object.entries(wanted)) {
      const values = new Set(
        texts.flatMap((text) => {
          const parameter = findOwn(loaded, name);
          return parameter === undefined ? [] : expandText(parameter, text);
        }),
      );
      choices = choices.flatMap((choice) => [...values].map((value) => ({ ...choice, [name]: value })));
    }
    return choices.map((choice) => (isAsItIs(loaded, choice) ? loaded : fillScenario(loaded, choice)));
  });
}

function isAsItIs({ parameters }: LoadedScenario, choice: ParameterTexts): boolean {
  return Object.entries(choice).every(([name, value]) => parameters[name] === value);
}

/** Whether a scenario declares every wanted parameter and has one of the wanted values of each. */
export function hasWanted(loaded: LoadedScenario, wanted: Wanted): boolean {
  return Object.entries(wanted).every(([name, texts]) => {
    const [parameter, value] = [findOwn(loaded, name), loaded.parameters[name]];
    if (parameter === undefined || value === undefined) return false;
    return texts.some((text) => expandText(parameter, text).includes(value));
  });
}

function findOwn({ scenario }: LoadedScenario, name: string): Parameter | undefined {
  return Object.hasOwn(scenario.parameters, name) ? scenario.parameters[name] : undefined;
}

/** Says what is wrong with wanted values: names that nobody declares, and values that none of the parameters knows. */
export function describeUnknownWanted(declared: DeclaredParameters, wanted: Wanted): string[] {
  return Object.entries(wanted).flatMap(([name, texts]) => {
    const parameters = Object.hasOwn(declared, name) ? declared[name] : undefined;
    if (parameters === undefined)
      return [`there is no parameter "${name}"${formatHint(name, Object.keys(declared))}`];
    const values = [...new Set(parameters.flatMap((parameter) => parameter.values.map(String)))];
    const example = parameters.find((parameter) => parameter.example !== undefined)?.example;
    const exact = example === undefined ? '' : `, or one like ${example}`;
    return texts
      .filter((text) => parameters.every((parameter) => expandText(parameter, text).length === 0))
      .map((text) => `${name} has no value "${text}"${formatHint(text, values)}${exact}`);
  });
}
