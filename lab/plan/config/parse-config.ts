import { bugSchema, type Bug } from '../../model/declared/bug.ts';
import { COMPONENTS_FILE, parseCatalogue, type Components } from '../../model/components/components.ts';
import { isDeclaration } from '../../model/files/declarations.ts';
import { ConfigError, type ConfigProblem } from '../../model/errors/errors.ts';
import { matrixSchema, type Matrix } from '../../model/declared/matrix.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import { parseOne, placeProblems, readOne, type ConfigFile } from '../../model/files/yaml-file.ts';
import { checkBugs, nameOfBugFile } from '../check/check-bugs.ts';
import { checkKubelets } from '../check/check-kubelet.ts';
import { collectDeclared } from '../check/check-condition.ts';
import { checkFileNames } from '../check/check-files.ts';
import { checkMatrix, type Platform } from '../check/check-config.ts';
import { checkSameMeasures } from '../check/check-measures.ts';
import { linksOf, ownerOf, standInFor, type BrokenParts } from './broken.ts';
import { parseScenario } from './parse-scenario.ts';

export type { ConfigFile } from '../../model/files/yaml-file.ts';

/** Everything that a person declares, checked. */
export interface Config {
  readonly matrix: Matrix;
  readonly catalogue: Components;
  /** In order of name. */
  readonly scenarios: readonly LoadedScenario[];
  /** In order of id. */
  readonly bugs: readonly Bug[];
  /** The scenarios and the bugs that are not among these, because their files have mistakes. */
  readonly broken: BrokenParts;
}

/**
 * Reads a configuration that has to be right as a whole.
 *
 * @throws ConfigError with every problem of every file.
 */
export function parseConfig(files: readonly ConfigFile[], platform: Platform): Config {
  const { config, problems } = readConfig(files, platform);
  if (problems.length > 0 || config === undefined) throw refuse(problems);
  return config;
}

/**
 * Reads a configuration that may have broken scenarios and bugs: they are left out.
 *
 * @throws ConfigError with every problem of every file when one is in a file that everything needs.
 */
export function parseUsable(files: readonly ConfigFile[], platform: Platform): Config {
  const { config, problems } = readConfig(files, platform);
  if (config === undefined) throw refuse(problems);
  return config;
}

function refuse(problems: readonly ConfigProblem[]): ConfigError {
  return new ConfigError(problems, { tryNext: 'docs/schemas/ says what the files may contain' });
}

/** What was read, and everything that is wrong with it. */
interface Reading {
  /** What is right; undefined when a file that everything needs is not. */
  readonly config: Config | undefined;
  readonly problems: readonly ConfigProblem[];
}

/**
 * Parses and checks matrix.yaml, components.yaml, `scenarios/<name>/{scenario.yaml,manifests/*.yaml,later/*.yaml}` and `bugs/<id>.yaml`.
 */
function readConfig(files: readonly ConfigFile[], platform: Platform): Reading {
  const problems = checkFileNames(files);
  const matrixFile = findFile(files, 'matrix.yaml', problems);
  const matrix = matrixFile === undefined ? undefined : parseOne(matrixFile, matrixSchema, problems);
  const componentsFile = findFile(files, COMPONENTS_FILE, problems);
  const catalogue = componentsFile === undefined ? undefined : parseCatalogue(componentsFile, problems);
  const folders = findScenarioFolders(files);
  const read = folders.map((folder) => {
    const known = problems.length;
    const loaded = parseScenario(folder, files, { matrix, catalogue, platform }, problems);
    return { loaded, isRight: problems.length === known };
  });
  const scenarios = read.flatMap(({ loaded }) => loaded ?? []);
  problems.push(...checkSameMeasures(scenarios));
  // Folders, not parsed names: a scenario with a mistake of its own is still known to the matrix.
  const names = folders.map((folder) => folder.slice('scenarios/'.length));
  const bugFiles = files
    .filter(({ path }) => path.startsWith('bugs/') && isDeclaration(path))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const bugNames = bugFiles.map((file) => nameOfBugFile(file.path));
  // What a scenario that cannot be read declares is not known.
  const declared = scenarios.length === folders.length ? collectDeclared(scenarios) : undefined;
  if (matrix !== undefined)
    problems.push(
      ...checkMatrix(matrix, { scenarioNames: names, bugNames, declared, catalogue }),
      ...checkKubelets(matrix, platform.findApi),
    );
  const bugs = parseBugs(bugFiles, problems);
  // Nothing follows from a scenario with mistakes of its own.
  const right = read.flatMap(({ loaded, isRight }) => (isRight && loaded !== undefined ? [loaded] : []));
  problems.push(...checkBugs(bugs, { matrix, catalogue, scenarios: right, scenarioNames: names }));
  const placed = placeProblems(problems, files);
  if (
    matrix === undefined ||
    catalogue === undefined ||
    placed.some(({ file }) => ownerOf(file) === undefined)
  )
    return { config: undefined, problems: placed };
  const parts = leaveOutBroken(placed, files, { scenarios, bugs: [...bugs.values()] });
  return { config: Object.freeze({ matrix, catalogue, ...parts }), problems: placed };
}

/** Sorts out what is broken. A bug cannot be shown without its scenario, so it shares the problems of that. */
function leaveOutBroken(
  problems: readonly ConfigProblem[],
  files: readonly ConfigFile[],
  { scenarios, bugs }: Pick<Config, 'scenarios' | 'bugs'>,
): Pick<Config, 'scenarios' | 'bugs' | 'broken'> {
  const problemsOf = (kind: 'scenario' | 'bug'): Map<string, ConfigProblem[]> => {
    const found = new Map<string, ConfigProblem[]>();
    for (const problem of problems) {
      const owner = ownerOf(problem.file);
      if (owner?.kind === kind) found.set(owner.name, [...(found.get(owner.name) ?? []), problem]);
    }
    return found;
  };
  const [ofScenarios, ofBugs] = [problemsOf('scenario'), problemsOf('bug')];
  for (const { id, scenario } of bugs) {
    const inherited = ofScenarios.get(scenario);
    if (inherited !== undefined) ofBugs.set(id, [...(ofBugs.get(id) ?? []), ...inherited]);
  }
  return {
    scenarios: scenarios.filter(({ folder }) => !ofScenarios.has(folder.slice('scenarios/'.length))),
    bugs: bugs.filter(({ id }) => !ofBugs.has(id)),
    broken: {
      scenarios: [...ofScenarios].map(([name, own]) => ({
        kind: 'scenario',
        name,
        problems: own,
        ...standInFor(name, files),
      })),
      bugs: [...ofBugs].map(([name, own]) => ({
        kind: 'bug',
        name,
        problems: own,
        links: linksOf(files.find(({ path }) => path.startsWith('bugs/') && nameOfBugFile(path) === name)),
      })),
    },
  };
}

function findFile(
  files: readonly ConfigFile[],
  path: string,
  problems: ConfigProblem[],
): ConfigFile | undefined {
  const found = files.find((file) => file.path === path);
  if (found === undefined) problems.push({ file: path, path: '', expected: 'a file', received: 'nothing' });
  return found;
}

/** The bugs by their file. One with a mistake in a field that no other check reads is checked all the same. */
function parseBugs(files: readonly ConfigFile[], problems: ConfigProblem[]): Map<string, Bug> {
  return new Map(
    files.flatMap((file) => {
      const bug = parseOne(file, bugSchema, problems) ?? salvageBug(file);
      return bug === undefined ? [] : [[file.path, bug] as const];
    }),
  );
}

/** What is put in place of a field that is wrong: no check beyond its schema reads it. */
const NEUTRAL = {
  title: 'wrong',
  links: [],
  status: 'historic',
  seed: undefined,
  summary: 'wrong',
  whatToSee: [],
  ranges: [],
  workaround: undefined,
  expectSeconds: undefined,
  repeats: 1,
  reviewBy: undefined,
} as const;

/** A bug whose schema refused it, with what is wrong left out; undefined when one of its cells is wrong. */
function salvageBug(file: ConfigFile): Bug | undefined {
  const { value } = readOne(file, []) ?? {};
  if (typeof value !== 'object' || value === null) return undefined;
  const given = value as Record<string, unknown>;
  const fields = Object.entries(bugSchema.shape).map(([name, schema]) => {
    const parsed = schema.safeParse(given[name]);
    if (parsed.success) return [name, parsed.data] as const;
    return Object.hasOwn(NEUTRAL, name)
      ? ([name, NEUTRAL[name as keyof typeof NEUTRAL]] as const)
      : undefined;
  });
  if (fields.includes(undefined)) return undefined;
  return Object.fromEntries(fields.filter((field) => field !== undefined)) as Bug;
}

function findScenarioFolders(files: readonly ConfigFile[]): string[] {
  const folders = files.map((file) => /^scenarios\/[^/]+/.exec(file.path)?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}
