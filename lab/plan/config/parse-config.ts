import { bugSchema, type Bug } from '../../model/declared/bug.ts';
import { parseCatalogue, type Components } from '../../model/components/components.ts';
import { COMPONENTS_FILE, isDeclaration, MATRIX_FILE, SHIPPED } from '../../model/files/declarations.ts';
import { componentsOverlaySchema, matrixOverlaySchema } from '../../model/declared/own-project.ts';
import { ConfigError, type ConfigProblem } from '../../model/errors/errors.ts';
import { matrixSchema, type Matrix } from '../../model/declared/matrix.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import { parseOne, placeProblems, readOne, type ConfigFile } from '../../model/files/yaml-file.ts';
import { readPastedBug } from '../bugs/pasted-bug.ts';
import type { DroppedPart } from '../variants/dropped-parts.ts';
import { checkBugs, nameOfBugFile } from '../check/check-bugs.ts';
import { checkAllKnobs } from '../check/check-knobs.ts';
import { collectDeclared } from '../check/check-condition.ts';
import { checkFileNames } from '../check/check-files.ts';
import { checkMatrix, type Platform } from '../check/check-config.ts';
import { checkComponentsOfAxes } from '../check/check-versions.ts';
import { checkSameMeasures } from '../check/check-measures.ts';
import { linksOf, ownerOf, standInFor, type BrokenParts } from './broken.ts';
import { layerFiles, type LayeredFiles } from './layer-files.ts';
import { mergeComponents } from './merge-components.ts';
import { mergeMatrix, type MergedMatrix } from './merge-matrix.ts';
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
  /** What was dropped of versions that the files of bugs have, by the id of the bug. */
  readonly dropped: Readonly<Record<string, readonly DroppedPart[]>>;
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

/** Says where problems are that were found after the files were read: in which file, at which line. */
export function placeInProject(
  files: readonly ConfigFile[],
  problems: readonly ConfigProblem[],
): ConfigProblem[] {
  const layered = layerFiles(files);
  const { locate } = readMatrix(layered, []);
  return spellAll(layered, placeProblems(problems.map(locate), [...layered.roots, ...layered.files]));
}

function refuse(problems: readonly ConfigProblem[]): ConfigError {
  return new ConfigError(problems, { tryNext: 'docs/schemas/ of whodunit says what the files may contain' });
}

/** What was read, and everything that is wrong with it. */
interface Reading {
  /** What is right; undefined when a file that everything needs is not. */
  readonly config: Config | undefined;
  readonly problems: readonly ConfigProblem[];
}

/**
 * Parses and checks matrix.yaml, components.yaml, `scenarios/<name>/{scenario.yaml,manifests/*.yaml,later/*.yaml}` and
 * `bugs/<id>.yaml`, those of a project over those of the catalogue.
 */
function readConfig(all: readonly ConfigFile[], platform: Platform): Reading {
  const layered = layerFiles(all);
  const { files } = layered;
  const problems = [...layered.problems, ...checkFileNames(files)];
  const { matrix: read, locate } = readMatrix(layered, problems);
  const catalogue = readCatalogue(layered, problems);
  const releases = catalogue?.components.kubernetes?.versions;
  const matrix: Matrix | undefined =
    read === undefined || releases === undefined ? read : { ...read, releases };
  const folders = findScenarioFolders(files);
  const parsed = folders.map((folder) => {
    const known = problems.length;
    const loaded = parseScenario(folder, files, { matrix, catalogue, platform }, problems);
    return { loaded, isRight: problems.length === known };
  });
  const scenarios = parsed.flatMap(({ loaded }) => loaded ?? []);
  problems.push(...checkSameMeasures(scenarios));
  // Folders, not parsed names: a scenario with a mistake of its own is still known to the matrix.
  const names = folders.map((folder) => folder.slice('scenarios/'.length));
  const bugFiles = files
    .filter(({ path }) => path.startsWith('bugs/') && isDeclaration(path))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const bugNames = bugFiles.map((file) => nameOfBugFile(file.path));
  // What a scenario that cannot be read declares is not known.
  const whole = scenarios.length === folders.length ? scenarios : undefined;
  const declared = whole && collectDeclared(whole);
  const tags = whole?.flatMap(({ scenario }) => scenario.tags);
  let isMatrixRight = matrix !== undefined;
  if (matrix !== undefined) {
    const found = [
      ...checkMatrix(matrix, { scenarioNames: names, tags, bugNames, declared, catalogue }),
      ...checkAllKnobs(matrix, platform.findApi),
    ];
    const lacking = checkComponentsOfAxes(matrix, catalogue);
    isMatrixRight = found.length + lacking.length === 0;
    problems.push(...found.map(locate), ...lacking);
  }
  const { bugs, dropped } = readPastedBugs(parseBugs(bugFiles, problems), matrix);
  // Nothing follows from a scenario with mistakes of its own.
  const right = parsed.flatMap(({ loaded, isRight }) => (isRight && loaded !== undefined ? [loaded] : []));
  const usable = isMatrixRight ? catalogue : undefined;
  problems.push(...checkBugs(bugs, { matrix, catalogue: usable, scenarios: right, scenarioNames: names }));
  const placed = placeProblems(problems, [...layered.roots, ...files]);
  const spelled = spellAll(layered, placed);
  if (
    matrix === undefined ||
    catalogue === undefined ||
    placed.some(({ file }) => ownerOf(file) === undefined)
  )
    return { config: undefined, problems: spelled };
  const { broken, ...parts } = leaveOutBroken(placed, files, { scenarios, bugs: [...bugs.values()] });
  const said = {
    scenarios: broken.scenarios.map((part) => ({ ...part, problems: spellAll(layered, part.problems) })),
    bugs: broken.bugs.map((part) => ({ ...part, problems: spellAll(layered, part.problems) })),
  };
  return { config: Object.freeze({ matrix, catalogue, ...parts, dropped, broken: said }), problems: spelled };
}

function spellAll({ spell }: LayeredFiles, problems: readonly ConfigProblem[]): ConfigProblem[] {
  return problems.map((problem) => ({ ...problem, file: spell(problem.file) }));
}

/** The matrix of whodunit, with what a project adds; and where its fields were written. */
function readMatrix(
  { roots, replaces }: LayeredFiles,
  problems: ConfigProblem[],
): { readonly matrix: Matrix | undefined; readonly locate: MergedMatrix['locate'] } {
  const { base, own } = findLayers(roots, MATRIX_FILE, problems);
  const matrix = base === undefined ? undefined : parseOne(base, matrixSchema, problems);
  const overlay = own === undefined ? NO_MATRIX : parseOne(own, matrixOverlaySchema, problems);
  if (matrix === undefined || base?.path === MATRIX_FILE) return { matrix, locate: (problem) => problem };
  const merged = mergeMatrix(matrix, overlay ?? NO_MATRIX, replaces);
  problems.push(...merged.problems);
  return { matrix: overlay === undefined ? undefined : merged.matrix, locate: merged.locate };
}

const NO_MATRIX = matrixOverlaySchema.parse({ formatVersion: 1 });

function readCatalogue({ roots, replaces }: LayeredFiles, problems: ConfigProblem[]): Components | undefined {
  const { base, own } = findLayers(roots, COMPONENTS_FILE, problems);
  const catalogue = base === undefined ? undefined : parseCatalogue(base, problems);
  const overlay = own === undefined ? undefined : parseOne(own, componentsOverlaySchema, problems);
  if (catalogue === undefined || base?.path === COMPONENTS_FILE) return catalogue;
  if (own !== undefined && overlay === undefined) return undefined;
  return mergeComponents(catalogue, overlay ?? { formatVersion: 1, components: {} }, replaces, problems);
}

/** A file of whodunit, and that of a project over it. */
function findLayers(
  roots: readonly ConfigFile[],
  path: string,
  problems: ConfigProblem[],
): { readonly base: ConfigFile | undefined; readonly own: ConfigFile | undefined } {
  const own = roots.find((file) => file.path === path);
  const isLayered = roots.some((file) => file.path.startsWith(SHIPPED));
  return isLayered
    ? { base: findFile(roots, `${SHIPPED}${path}`, problems), own }
    : { base: findFile(roots, path, problems), own: undefined };
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

/** The bugs with versions as addresses write them. Which values there are is not known without a matrix. */
function readPastedBugs(
  bugs: ReadonlyMap<string, Bug>,
  matrix: Matrix | undefined,
): { bugs: Map<string, Bug>; dropped: Config['dropped'] } {
  if (matrix === undefined) return { bugs: new Map(bugs), dropped: {} };
  const read = [...bugs].map(([file, bug]) => ({ file, ...readPastedBug(matrix, bug) }));
  return {
    bugs: new Map(read.map(({ file, bug }) => [file, bug])),
    dropped: Object.fromEntries(
      read.filter(({ dropped }) => dropped.length > 0).map(({ bug, dropped }) => [bug.id, dropped]),
    ),
  };
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
