import { UsageError } from '../../model/errors/errors.ts';
import { COUNT_LIMITS, spellCount } from '../../model/limits/count-limits.ts';
import { largest } from '../../model/text/extremes.ts';
import { formatHint } from '../../model/text/nearest.ts';
import { sum } from '../../model/text/sum.ts';
import type { Parameter, ParameterTexts } from '../../model/declared/parameters.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import type { DeclaredParameters } from '../check/check-condition.ts';
import { expandText } from '../parameters/fill-parameters.ts';
import { fillScenario } from '../parameters/fill-scenario.ts';
import { ownValue } from '../../model/text/own-value.ts';

/** Values that are wanted of parameters: name → texts and globs. */
export type Wanted = Readonly<Record<string, readonly string[]>>;

/**
 * Returns the scenarios that declare every wanted parameter, once for each wanted value that they know. When nothing
 * is wanted, returns all as they are.
 *
 * @throws ConfigError when a scenario is not valid under a value that its patterns accept; UsageError when the choices are
 *   too many to be filled in.
 */
export function varyScenarios(scenarios: readonly LoadedScenario[], wanted: Wanted): LoadedScenario[] {
  const found = scenarios.map((loaded) => ({
    loaded,
    values: Object.entries(wanted).map(([name, texts]) => ({ name, values: valuesOf(loaded, name, texts) })),
  }));
  refuseTooMany(found);
  return found.flatMap(({ loaded, values: wantedValues }) => {
    let choices: ParameterTexts[] = [loaded.parameters];
    for (const { name, values } of wantedValues)
      choices = choices.flatMap((choice) => values.map((value) => ({ ...choice, [name]: value })));
    return choices.map((choice) => (isAsItIs(loaded, choice) ? loaded : fillScenario(loaded, choice)));
  });
}

function valuesOf(loaded: LoadedScenario, name: string, texts: readonly string[]): string[] {
  const parameter = findOwn(loaded, name);
  return parameter === undefined ? [] : [...new Set(texts.flatMap((text) => expandText(parameter, text)))];
}

interface Found {
  readonly loaded: LoadedScenario;
  readonly values: readonly { readonly name: string; readonly values: readonly string[] }[];
}

/** The choices are counted before one of them is made: four parameters of 20 values are 160,000. */
function refuseTooMany(found: readonly Found[]): void {
  const { count } = COUNT_LIMITS.filledScenarios;
  const sizes = found.map(({ values }) => values.reduce((product, one) => product * one.values.length, 1));
  if (sum(sizes) <= count) return;
  const most = found[sizes.indexOf(largest(sizes))];
  const product = (most?.values ?? []).map(({ name, values }) => `${name} ${values.length}`).join(' x ');
  throw new UsageError(
    `these words select ${spellCount(sum(sizes))} choices of parameters ` +
      `(${most?.loaded.scenario.name ?? ''}: ${product}), and a plan holds ${spellCount(count)}`,
    { tryNext: 'name fewer values of a parameter' },
  );
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
  return ownValue(scenario.parameters, name);
}

/** Says what is wrong with wanted values: names that nobody declares, and values that none of the parameters knows. */
export function describeUnknownWanted(declared: DeclaredParameters, wanted: Wanted): string[] {
  return Object.entries(wanted).flatMap(([name, texts]) => {
    const parameters = ownValue(declared, name);
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
