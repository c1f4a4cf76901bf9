import { z } from 'zod';
import { isDeclaration } from '../../model/files/declarations.ts';
import { configProblem, type ConfigProblem } from '../../model/errors/errors.ts';
import { parametersSchema, type Parameters } from '../../model/declared/parameters.ts';
import type { LoadedScenario, Manifest, ScenarioSource } from '../../model/declared/scenario.ts';
import { READABLE, readAll, readOne, type ConfigFile } from '../../model/files/yaml-file.ts';
import { listZodProblems } from '../../model/files/zod-problems.ts';
import { checkFiles, meansDeclaration } from '../check/check-files.ts';
import { checkScenario, type ScenarioContext } from '../check/check-config.ts';
import { checkParameters } from '../check/check-parameters.ts';
import { isVictimStatic } from '../check/check-victim.ts';
import { fillText, listChoices, tryScenario } from '../parameters/fill-scenario.ts';

const declarationSchema = z.object({ parameters: parametersSchema });

/**
 * Parses and checks `<folder>/{scenario.yaml,manifests/*.yaml,later/*.yaml,samplers/*.sh}`, under every value of its parameters.
 *
 * @returns the scenario with its parameters at their default; undefined when it cannot be read. Adds what is wrong to
 *   the problems.
 */
export function parseScenario(
  folder: string,
  files: readonly ConfigFile[],
  context: ScenarioContext,
  problems: ConfigProblem[],
): LoadedScenario | undefined {
  const known = problems.length;
  const source = readSource(folder, files, problems);
  const isWhole = problems.length === known;
  if (source === undefined) return undefined;
  const wrong = checkParameters(source, isWhole);
  problems.push(...wrong);
  // Files that use an undeclared name cannot be filled in: nothing else is checked.
  if (wrong.length > 0) return undefined;
  const choices = listChoices(source);
  const filled = choices.map((choice) => tryScenario(source, choice));
  const found = choices.map((choice, index) => {
    const reading = filled[index] ?? [];
    return [
      ...checkFiles(fillText(source, choice), source),
      ...('scenario' in reading ? checkScenario(reading, context) : reading),
    ];
  });
  const [usual] = filled;
  problems.push(...mergeChoices(found));
  const loaded = usual !== undefined && 'scenario' in usual ? usual : undefined;
  const needsManifests = loaded === undefined || !isVictimStatic(loaded.scenario);
  if (isWhole && needsManifests && Object.values(source.manifests).flat().length === 0) {
    const file = `${folder}/manifests`;
    problems.push({ file, path: '', expected: 'Kubernetes objects', received: 'nothing' });
  }
  return loaded;
}

/**
 * The problems under all choices, each once. Most mistakes are there under every value: a problem of the same field that
 * expects the same is one that is known already, whatever the value made of it.
 */
function mergeChoices(found: readonly (readonly ConfigProblem[])[]): ConfigProblem[] {
  const merged: ConfigProblem[] = [];
  for (const problems of found) {
    const known = new Set(merged.map(({ file, path, expected }) => [file, path, expected].join(' ')));
    for (const problem of problems) {
      const isTold = merged.some(
        ({ file, path, received }) =>
          file === problem.file && path === problem.path && received === problem.received && path !== '',
      );
      if (!isTold && !known.has([problem.file, problem.path, problem.expected].join(' ')))
        merged.push(problem);
    }
  }
  return merged;
}

/**
 * Reads the files of a scenario without checking what they say. Undefined when there is no readable `scenario.yaml`.
 */
function readSource(
  folder: string,
  files: readonly ConfigFile[],
  problems: ConfigProblem[],
): ScenarioSource | undefined {
  const file = `${folder}/scenario.yaml`;
  const own = files.find(({ path }) => path === file);
  if (own === undefined) {
    const isNear = files.some(({ path }) => path.startsWith(`${folder}/`) && meansDeclaration(path, file));
    // A near name is reported by itself.
    if (!isNear) problems.push({ file, path: '', expected: 'a file', received: 'nothing' });
    return undefined;
  }
  const document = readOne(own, problems);
  const objectsIn = (subfolder: string): [path: string, objects: Manifest[]][] =>
    files
      .filter(({ path }) => path.startsWith(`${folder}/${subfolder}/`) && isDeclaration(path))
      .map((objectFile) => [objectFile.path, parseManifests(objectFile, problems)]);
  const manifests = Object.fromEntries(objectsIn('manifests'));
  const later = Object.fromEntries(
    objectsIn('later').map(([path, objects]) => [path.slice(`${folder}/later/`.length), objects]),
  );
  const inSamplers = `${folder}/samplers/`;
  const scripts = Object.fromEntries(
    files
      .filter(({ path }) => path.startsWith(inSamplers) && isDeclaration(path))
      .map((script) => [script.path.slice(inSamplers.length), readScript(script, problems)]),
  );
  if (document === undefined) return undefined;
  const scenario = document.value;
  if (typeof scenario !== 'object' || Array.isArray(scenario)) {
    problems.push(configProblem(file, '', 'fields', JSON.stringify(scenario)));
    return undefined;
  }
  const parameters = parseParameters(file, scenario, problems);
  return parameters === undefined ? undefined : { folder, scenario, parameters, manifests, later, scripts };
}

/** The text of a script; empty, which is added to the problems, when it cannot be read. */
function readScript({ path, text, unreadable }: ConfigFile, problems: ConfigProblem[]): string {
  if (unreadable !== undefined) problems.push(configProblem(path, '', READABLE, unreadable));
  return text;
}

/** Reads the declared parameters, which everything else of the file needs. */
function parseParameters(file: string, scenario: unknown, problems: ConfigProblem[]): Parameters | undefined {
  const declaration =
    typeof scenario === 'object' && scenario !== null && 'parameters' in scenario
      ? { parameters: scenario.parameters }
      : {};
  const parsed = declarationSchema.safeParse(declaration);
  if (parsed.success) return parsed.data.parameters;
  problems.push(...listZodProblems(file, declarationSchema, declaration, parsed.error));
  return undefined;
}

/**
 * The objects of a file, without its empty documents. What is not an object keeps its place, so that the others keep their
 * numbers.
 */
function parseManifests(file: ConfigFile, problems: ConfigProblem[]): Manifest[] {
  const documents = (readAll(file, problems) ?? []).filter((document) => document !== null);
  return documents.map((document, index) => {
    const path = `document ${index + 1}`;
    if (typeof document !== 'object' || Array.isArray(document)) {
      problems.push(configProblem(file.path, path, 'a Kubernetes object', JSON.stringify(document)));
      return {};
    }
    const object = document as Manifest;
    for (const field of ['apiVersion', 'kind']) {
      const value = object[field] ?? undefined;
      if (typeof value === 'string') continue;
      const received = value === undefined ? 'nothing' : JSON.stringify(value);
      problems.push(configProblem(file.path, `${path}.${field}`, 'text: what object this is', received));
    }
    return object;
  });
}
