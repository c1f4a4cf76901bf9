import { AXES, DEFAULT_VARIANT, type Axis } from '../model/axes.ts';
import type { ConfigProblem } from '../model/errors.ts';
import { DEFAULT_SET, type Matrix } from '../model/matrix.ts';
import type { LoadedScenario } from '../model/scenario.ts';
import { nearestName } from '../model/nearest.ts';
import { matchGlob, type AxisGlobs } from './match-glob.ts';
import { isKnownValue } from './parse-variant.ts';

/** Checks what a schema cannot say about the matrix: names that refer to something must find it. */
export function checkMatrix(matrix: Matrix, scenarioNames: readonly string[]): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const add = (path: string, expected: string, received: string, nearest?: string): void => {
    problems.push({
      file: 'matrix.yaml',
      path,
      expected,
      received,
      ...(nearest === undefined ? {} : { nearest }),
    });
  };
  for (const axis of AXES) {
    const first = matrix.axes[axis].values[0];
    if (first !== DEFAULT_VARIANT[axis]) {
      add(`axes.${axis}.values.0`, `the default "${DEFAULT_VARIANT[axis]}"`, JSON.stringify(first));
    }
  }
  if (matrix.sets[DEFAULT_SET] === undefined) add('sets', `a set "${DEFAULT_SET}"`, 'nothing');
  for (const [name, set] of Object.entries(matrix.sets)) {
    set.blocks.forEach((block, index) => {
      const path = `sets.${name}.blocks.${index}`;
      problems.push(...checkGlobs(matrix, 'matrix.yaml', `${path}.variants`, block.variants));
      for (const glob of block.scenarios.filter((g) => !scenarioNames.some((s) => matchGlob(g, s)))) {
        add(`${path}.scenarios`, 'a known scenario', JSON.stringify(glob), nearestName(glob, scenarioNames));
      }
    });
  }
  const ids = new Set<string>();
  matrix.rules.forEach((rule, index) => {
    if (ids.has(rule.id)) add(`rules.${index}.id`, 'a unique id', JSON.stringify(rule.id));
    ids.add(rule.id);
    problems.push(...checkGlobs(matrix, 'matrix.yaml', `rules.${index}.when`, rule.when));
    problems.push(...checkGlobs(matrix, 'matrix.yaml', `rules.${index}.unless`, rule.unless ?? {}));
  });
  return problems;
}

/** Checks one scenario: its name, its victim in the manifests, and the axis values it speaks of. */
export function checkScenario(loaded: LoadedScenario, matrix: Matrix | undefined): ConfigProblem[] {
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
  const containers = listContainerNames(loaded.manifests);
  // Without manifests it is told that they are missing, or what is wrong with them.
  if (loaded.manifests.length > 0 && !containers.includes(scenario.victim.container)) {
    const nearest = nearestName(scenario.victim.container, containers);
    problems.push({
      file,
      path: 'victim.container',
      expected: `a container of ${folder}/manifests/`,
      received: `"${scenario.victim.container}"`,
      ...(nearest === undefined ? {} : { nearest }),
    });
  }
  if (scenario.expect.killer === 'none' && scenario.expect.survivesSeconds === undefined) {
    problems.push({
      file,
      path: 'expect.survivesSeconds',
      expected: 'seconds to watch',
      received: 'nothing',
    });
  }
  if (matrix === undefined) return problems;
  problems.push(...checkGlobs(matrix, file, 'requires', scenario.requires ?? {}));
  scenario.variants.forEach((variant, index) => {
    problems.push(...checkGlobs(matrix, file, `variants.${index}.when`, variant.when));
  });
  return problems;
}

/** A glob with a wildcard is taken as it is; a plain value must be one that its axis knows. */
function checkGlobs(matrix: Matrix, file: string, path: string, globs: AxisGlobs): ConfigProblem[] {
  return AXES.flatMap((axis: Axis) =>
    (globs[axis] ?? [])
      .filter((glob) => !/[*?]/.test(glob) && !isKnownValue(matrix, axis, glob))
      .map((glob) => {
        const nearest = nearestName(glob, matrix.axes[axis].values);
        const problem = {
          file,
          path: `${path}.${axis}`,
          expected: `a value of ${axis}`,
          received: `"${glob}"`,
        };
        return nearest === undefined ? problem : { ...problem, nearest };
      }),
  );
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
