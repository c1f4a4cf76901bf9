import { AXES } from '../../model/axes/axes.ts';
import { FACTS } from '../../model/declared/condition.ts';
import { configProblem, type ConfigProblem } from '../../model/errors/errors.ts';
import { nearestName } from '../../model/text/nearest.ts';
import type { Parameter, Parameters } from '../../model/declared/parameters.ts';
import type { ScenarioSource } from '../../model/declared/scenario.ts';
import { isKnownText, isReadByScript, listReferences } from '../parameters/fill-parameters.ts';

/** Words of a selector that are neither axis nor parameter: `<word>=…` chooses scenarios or sets. */
export const SELECTOR_KEYS = ['scenario', 'tag', 'bug', 'set'] as const;

/**
 * Checks what a schema cannot say about the parameters of a scenario: names that mean something else already, a default
 * that is not a value, names that no file uses, and names in files that are not declared.
 *
 * @param isWhole whether all of its files could be read: others may use a name.
 */
export function checkParameters(source: ScenarioSource, isWhole: boolean): ConfigProblem[] {
  const declaration = `${source.folder}/scenario.yaml`;
  const names = Object.keys(source.parameters);
  const files = listFiles(source);
  const references = files.flatMap(({ file, value, path }) =>
    listReferences(value, path).map((reference) => ({ file, ...reference })),
  );
  const used = new Set(references.map(({ name }) => name));
  const isUsed = (name: string): boolean =>
    !isWhole || used.has(name) || files.some(({ value }) => isReadByScript(value, name));
  return [
    ...Object.entries(source.parameters).flatMap(([name, parameter]) => [
      ...checkName(declaration, name),
      ...checkValues(declaration, name, parameter),
      ...(isUsed(name)
        ? []
        : [problem(declaration, `parameters.${name}`, `\${${name}} in some file of it`, 'nothing')]),
    ]),
    ...references
      .filter(({ name }) => !names.includes(name))
      .map(({ file, path, name }) => describeUnknown(file, path, name, source.parameters)),
  ];
}

/** What may name a parameter: an object, its file, and where in the file it begins. */
interface FilePart {
  readonly file: string;
  readonly path: readonly string[];
  readonly value: unknown;
}

function listFiles({ folder, scenario, manifests, later, scripts }: ScenarioSource): FilePart[] {
  const own = typeof scenario === 'object' && scenario !== null ? { ...scenario, parameters: {} } : {};
  const objects = [
    ...Object.entries(manifests),
    ...Object.entries(later).map(([name, objects]) => [`${folder}/later/${name}`, objects] as const),
  ];
  return [
    { file: `${folder}/scenario.yaml`, path: [], value: own },
    ...objects.flatMap(([file, values]) =>
      values.map((value, index) => ({ file, path: [`document ${index + 1}`], value })),
    ),
    ...Object.entries(scripts).map(([name, script]) => ({
      file: `${folder}/samplers/${name}`,
      path: [],
      value: { script },
    })),
  ];
}

function checkName(file: string, name: string): ConfigProblem[] {
  const takenBy = [
    { what: 'an axis', names: AXES },
    { what: 'a fact', names: FACTS },
    { what: 'a word of selectors', names: SELECTOR_KEYS },
  ].find(({ names }) => (names as readonly string[]).includes(name));
  if (takenBy === undefined) return [];
  return [problem(file, `parameters.${name}`, 'a name of its own', `"${name}", ${takenBy.what}`)];
}

function checkValues(file: string, name: string, parameter: Parameter): ConfigProblem[] {
  const texts = parameter.values.map(String);
  const path = `parameters.${name}`;
  const twice = texts.filter((text, index) => texts.indexOf(text) < index);
  const usual = String(parameter.default);
  return [
    ...twice.map((text) => problem(file, `${path}.values`, 'each value once', `"${text}" twice`)),
    ...(parameter.example === undefined || isKnownText(parameter, parameter.example)
      ? []
      : [
          problem(
            file,
            `${path}.example`,
            'a value that one of the patterns accepts',
            `"${parameter.example}"`,
          ),
        ]),
    ...(isKnownText(parameter, usual)
      ? []
      : [problem(file, `${path}.default`, `one of ${texts.join(', ')}`, `"${usual}"`, usual, texts)]),
  ];
}

function describeUnknown(file: string, path: string, name: string, declared: Parameters): ConfigProblem {
  const names = Object.keys(declared);
  const expected =
    names.length === 0
      ? 'no ${…}: the scenario declares no parameters ($${…} is the text ${…})'
      : `one of the parameters ${names.join(', ')} ($\${…} is the text \${…})`;
  return problem(file, path, expected, `\${${name}}`, name, names);
}

function problem(
  file: string,
  path: string,
  expected: string,
  received: string,
  word?: string,
  candidates: readonly string[] = [],
): ConfigProblem {
  const nearest = word === undefined ? undefined : nearestName(word, candidates);
  return configProblem(file, path, expected, received, nearest);
}
