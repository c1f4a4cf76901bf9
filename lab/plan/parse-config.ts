import { LineCounter, parseAllDocuments } from 'yaml';
import type { z } from 'zod';
import { bugSchema, type Bug } from '../model/bug.ts';
import { ConfigError, type ConfigProblem } from '../model/errors.ts';
import { matrixSchema, type Matrix } from '../model/matrix.ts';
import { scenarioSchema, type LoadedScenario, type Scenario } from '../model/scenario.ts';
import { checkBugs, nameOfBugFile } from './check-bugs.ts';
import { checkMatrix, checkScenario, isVictimStatic } from './check-config.ts';
import { listZodProblems } from './zod-problems.ts';

/** A text file of the project; `path` is relative to the project. */
export interface ConfigFile {
  readonly path: string;
  readonly text: string;
}

/** Everything that a person declares, checked. */
export interface Config {
  readonly matrix: Matrix;
  /** In order of name. */
  readonly scenarios: readonly LoadedScenario[];
  /** In order of id. */
  readonly bugs: readonly Bug[];
}

type Manifest = Readonly<Record<string, unknown>>;

/**
 * Parses and checks matrix.yaml, `scenarios/<name>/{scenario.yaml,manifests/*.yaml,later/*.yaml}` and `bugs/<id>.yaml`.
 *
 * @throws ConfigError with every problem of every file.
 */
export function parseConfig(files: readonly ConfigFile[]): Config {
  const problems: ConfigProblem[] = [];
  const matrixFile = files.find((file) => file.path === 'matrix.yaml');
  if (matrixFile === undefined) {
    problems.push({ file: 'matrix.yaml', path: '', expected: 'a file', received: 'nothing' });
  }
  const matrix = matrixFile === undefined ? undefined : parseOne(matrixFile, matrixSchema, problems);
  const folders = findScenarioFolders(files);
  const scenarios = folders.flatMap((folder) => parseScenario(folder, files, problems) ?? []);
  for (const loaded of scenarios) problems.push(...checkScenario(loaded, matrix));
  // Folders, not parsed names: a scenario with a mistake of its own is still known to the matrix.
  const names = folders.map((folder) => folder.slice('scenarios/'.length));
  if (matrix !== undefined) problems.push(...checkMatrix(matrix, names));
  const bugFiles = files
    .filter((file) => file.path.startsWith('bugs/'))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const bugNames = bugFiles.map((file) => nameOfBugFile(file.path));
  const bugs = parseBugs(bugFiles, problems);
  problems.push(...checkBugs(bugs, { matrix, scenarios, scenarioNames: names, bugNames }));
  if (problems.length > 0 || matrix === undefined)
    throw new ConfigError(problems, { tryNext: 'docs/schemas/ says what the files may contain' });
  return Object.freeze({ matrix, scenarios, bugs: [...bugs.values()] });
}

/** The bugs by their file. */
function parseBugs(files: readonly ConfigFile[], problems: ConfigProblem[]): Map<string, Bug> {
  return new Map(
    files.flatMap((file) => {
      const bug = parseOne(file, bugSchema, problems);
      return bug === undefined ? [] : [[file.path, bug] as const];
    }),
  );
}

function findScenarioFolders(files: readonly ConfigFile[]): string[] {
  const folders = files.map((file) => /^scenarios\/[^/]+/.exec(file.path)?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}

function parseScenario(
  folder: string,
  files: readonly ConfigFile[],
  problems: ConfigProblem[],
): LoadedScenario | undefined {
  const own = files.find((file) => file.path === `${folder}/scenario.yaml`);
  if (own === undefined) {
    problems.push({ file: `${folder}/scenario.yaml`, path: '', expected: 'a file', received: 'nothing' });
    return undefined;
  }
  const scenario: Scenario | undefined = parseOne(own, scenarioSchema, problems);
  const known = problems.length;
  const manifests = files
    .filter((file) => file.path.startsWith(`${folder}/manifests/`))
    .flatMap((file) => parseManifests(file, problems));
  const needsThem = scenario === undefined || !isVictimStatic(scenario);
  if (manifests.length === 0 && needsThem && problems.length === known) {
    problems.push({
      file: `${folder}/manifests`,
      path: '',
      expected: 'Kubernetes objects',
      received: 'nothing',
    });
  }
  const later = Object.fromEntries(
    files
      .filter((file) => file.path.startsWith(`${folder}/later/`))
      .map((file) => [file.path.slice(`${folder}/later/`.length), parseManifests(file, problems)]),
  );
  return scenario === undefined ? undefined : { scenario, folder, manifests, later };
}

function parseOne<T extends z.ZodType>(
  file: ConfigFile,
  schema: T,
  problems: ConfigProblem[],
): z.infer<T> | undefined {
  const documents = parseYaml(file, problems);
  if (documents === undefined) return undefined;
  const value = documents[0] ?? null;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  problems.push(...listZodProblems(file.path, schema, value, parsed.error));
  return undefined;
}

function parseManifests(file: ConfigFile, problems: ConfigProblem[]): Manifest[] {
  const documents = parseYaml(file, problems) ?? [];
  return documents.flatMap((document, index) => {
    if (document === null) return [];
    const object = document as Manifest;
    const missing = ['apiVersion', 'kind'].filter((field) => typeof object[field] !== 'string');
    for (const field of missing) {
      const path = `document ${index + 1}.${field}`;
      problems.push({ file: file.path, path, expected: 'a Kubernetes object', received: 'nothing' });
    }
    return missing.length === 0 ? [object] : [];
  });
}

/** The documents of a YAML file as plain values; undefined when it is no YAML (the problems say where). */
function parseYaml(file: ConfigFile, problems: ConfigProblem[]): unknown[] | undefined {
  const lines = new LineCounter();
  const documents = parseAllDocuments(file.text, { lineCounter: lines, prettyErrors: false });
  const errors = [...documents].flatMap((document) => document.errors);
  for (const error of errors) {
    const { line, col } = lines.linePos(error.pos[0]);
    const path = `line ${line}, column ${col}`;
    problems.push({ file: file.path, path, expected: 'valid YAML', received: error.message });
  }
  if (errors.length > 0) return undefined;
  return [...documents].map((document) => document.toJS() as unknown);
}
