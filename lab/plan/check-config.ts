import type { Components } from '../model/components.ts';
import { configProblem, type ConfigProblem } from '../model/errors.ts';
import { DEFAULT_SET, type Matrix } from '../model/matrix.ts';
import type { LoadedScenario, Scenario } from '../model/scenario.ts';
import { nearestName } from '../model/nearest.ts';
import { checkAxes } from './check-axes.ts';
import { checkCondition, checkParameterTexts, collectDeclared, type Declared } from './check-condition.ts';
import { checkImages } from './check-images.ts';
import { checkMeasures } from './check-measures.ts';
import { checkQuantities } from './check-quantities.ts';
import { checkRegistry } from './check-registry.ts';
import { matchGlob } from './match-glob.ts';

/** What the matrix refers to. */
export interface MatrixContext {
  readonly scenarioNames: readonly string[];
  /** Ids, by the names of their files. */
  readonly bugNames: readonly string[];
  /** What the scenarios declare: name of a parameter → all that have it. */
  readonly declared: Declared;
}

/** Checks what a schema cannot say about the matrix: names that refer to something must find it. */
export function checkMatrix(
  matrix: Matrix,
  { scenarioNames, bugNames, declared }: MatrixContext,
): ConfigProblem[] {
  const problems = checkAxes(matrix);
  const add = (path: string, expected: string, received: string, nearest?: string): void => {
    problems.push(configProblem('matrix.yaml', path, expected, received, nearest));
  };
  if (matrix.sets[DEFAULT_SET] === undefined) add('sets', `a set "${DEFAULT_SET}"`, 'nothing');
  for (const [name, set] of Object.entries(matrix.sets)) {
    for (const glob of set.bugs.filter((each) => !bugNames.some((id) => matchGlob(each, id))))
      add(`sets.${name}.bugs`, 'a known bug', JSON.stringify(glob), nearestName(glob, bugNames));
    set.blocks.forEach((block, index) => {
      const path = `sets.${name}.blocks.${index}`;
      problems.push(...checkCondition(matrix, 'matrix.yaml', `${path}.variants`, block.variants));
      for (const glob of block.scenarios.filter((g) => !scenarioNames.some((s) => matchGlob(g, s)))) {
        add(`${path}.scenarios`, 'a known scenario', JSON.stringify(glob), nearestName(glob, scenarioNames));
      }
      problems.push(...checkParameterTexts('matrix.yaml', `${path}.parameters`, block.parameters, declared));
    });
  }
  return [...problems, ...checkStatements(matrix, declared)];
}

/**
 * Ids are unique across rules, start failures, cold worlds and notes: a report names them without their kind. Rules may name parameters,
 * as they refuse cells; the others speak of whole worlds.
 */
function checkStatements(matrix: Matrix, declared: Declared): ConfigProblem[] {
  const file = 'matrix.yaml';
  const ids = new Set<string>();
  return (['rules', 'startFailures', 'cold', 'notes'] as const).flatMap((field) =>
    matrix[field].flatMap(({ id, when, unless }, index) => {
      const path = `${field}.${index}`;
      const speaksOf = field === 'rules' ? declared : {};
      const isTaken = ids.has(id);
      ids.add(id);
      return [
        ...(isTaken
          ? [{ file, path: `${path}.id`, expected: 'a unique id', received: JSON.stringify(id) }]
          : []),
        ...checkCondition(matrix, file, `${path}.when`, when, speaksOf),
        ...checkCondition(matrix, file, `${path}.unless`, unless ?? {}, speaksOf),
      ];
    }),
  );
}

/** What scenarios may speak of; undefined where that file has problems of its own. */
export interface ScenarioContext {
  readonly matrix: Matrix | undefined;
  readonly catalogue: Components | undefined;
}

/** Checks one scenario: its name, its victim in the manifests, its images, and the axis values it speaks of. */
export function checkScenario(
  loaded: LoadedScenario,
  { matrix, catalogue }: ScenarioContext,
): ConfigProblem[] {
  const { scenario, folder } = loaded;
  const file = `${folder}/scenario.yaml`;
  const problems: ConfigProblem[] = [];
  const folderName = folder.slice(folder.lastIndexOf('/') + 1);
  if (scenario.name !== folderName) {
    problems.push({
      file,
      path: 'name',
      expected: `"${folderName}", its folder`,
      received: `"${scenario.name}"`,
    });
  }
  // A static pod can be the victim; it comes from later/.
  const containers = listContainerNames(isVictimStatic(scenario) ? loaded.later : loaded.manifests);
  // Manifests that are missing or wrong are reported elsewhere.
  if (containers.length > 0 && !containers.includes(scenario.victim.container)) {
    const { container } = scenario.victim;
    const expected = `a container of ${folder}/manifests/`;
    const nearest = nearestName(container, containers);
    problems.push(configProblem(file, 'victim.container', expected, `"${container}"`, nearest));
  }
  problems.push(
    ...checkImages(loaded, catalogue),
    ...checkQuantities(loaded),
    ...checkMeasures(loaded),
    ...checkRegistry(loaded),
  );
  if (scenario.expect.killer === 'none' && scenario.expect.survivesSeconds === undefined) {
    problems.push({
      file,
      path: 'expect.survivesSeconds',
      expected: 'seconds to watch',
      received: 'nothing',
    });
  }
  (scenario.expect.or ?? []).forEach(({ killer }, index) => {
    if (killer !== scenario.expect.killer) return;
    problems.push({
      file,
      path: `expect.or.${index}.killer`,
      expected: 'another killer than expect.killer',
      received: `"${killer}"`,
    });
  });
  return matrix === undefined ? problems : [...problems, ...checkConditionsOf(loaded, matrix)];
}

function checkConditionsOf(loaded: LoadedScenario, matrix: Matrix): ConfigProblem[] {
  const file = `${loaded.folder}/scenario.yaml`;
  const own = collectDeclared([loaded]);
  const { requires = {}, variants } = loaded.scenario;
  return [
    ...checkCondition(matrix, file, 'requires', requires, own),
    ...variants.flatMap(({ when }, index) =>
      checkCondition(matrix, file, `variants.${index}.when`, when, own),
    ),
  ];
}

/** Whether the victim is a static pod, which the first stimulus brings. */
export function isVictimStatic({ stimulus }: Scenario): boolean {
  const [first] = stimulus;
  return first?.kind === 'write-static-pod' && first.afterSeconds === undefined;
}

/** Names of all containers in pod templates, wherever they are nested (Pod, Deployment, CronJob, …). */
function listContainerNames(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(listContainerNames);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const isList = (key === 'containers' || key === 'initContainers') && Array.isArray(inner);
    if (!isList) return listContainerNames(inner);
    return inner.flatMap((container: { name?: unknown }) =>
      typeof container.name === 'string' ? [container.name] : [],
    );
  });
}
