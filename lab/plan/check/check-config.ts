import type { Components } from '../../model/components/components.ts';
import { isConditionKey, type Condition } from '../../model/declared/condition.ts';
import { configProblem, type ConfigProblem } from '../../model/errors/errors.ts';
import { DEFAULT_SET, type Matrix } from '../../model/declared/matrix.ts';
import type { LoadedScenario, Scenario } from '../../model/declared/scenario.ts';
import { nearestName } from '../../model/text/nearest.ts';
import { checkAxes } from './check-axes.ts';
import {
  checkCondition,
  checkParameterTexts,
  collectDeclared,
  type DeclaredParameters,
} from './check-condition.ts';
import { checkImages } from './check-images.ts';
import { checkMeasures } from './check-measures.ts';
import { checkObjectNames, checkSchemas } from './check-objects.ts';
import { checkOnNode } from './check-on-node.ts';
import { checkOutcomes } from './check-outcomes.ts';
import { checkPods } from './check-pods.ts';
import { checkQuantities } from './check-quantities.ts';
import { checkRegistry } from './check-registry.ts';
import { checkShells } from './check-shells.ts';
import { checkTries } from './check-tries.ts';
import { checkAxisVersions } from './check-versions.ts';
import { checkVictim } from './check-victim.ts';
import type { FindApi } from './kubernetes-api.ts';
import { matchesVersions } from '../variants/match-condition.ts';
import { matchGlob } from '../../model/text/match-glob.ts';

/** What the matrix refers to. */
export interface MatrixContext {
  readonly scenarioNames: readonly string[];
  /** The tags of all scenarios; undefined when not all of them could be read. */
  readonly tags: readonly string[] | undefined;
  /** Ids, by the names of their files. */
  readonly bugNames: readonly string[];
  /** What the scenarios declare: name of a parameter → all that have it; undefined when it is not known of all. */
  readonly declared: DeclaredParameters | undefined;
  /** Undefined when components.yaml has problems of its own. */
  readonly catalogue: Components | undefined;
}

/** Checks what a schema cannot say about the matrix: names that refer to something must find it. */
export function checkMatrix(
  matrix: Matrix,
  { scenarioNames, tags, bugNames, declared, catalogue }: MatrixContext,
): ConfigProblem[] {
  const problems = [...checkAxes(matrix), ...checkAxisVersions(matrix, catalogue)];
  const add = (path: string, expected: string, received: string, nearest?: string): void => {
    problems.push(configProblem('matrix.yaml', path, expected, received, nearest));
  };
  if (matrix.sets[DEFAULT_SET] === undefined) add('sets', `a set "${DEFAULT_SET}"`, 'nothing');
  for (const [name, set] of Object.entries(matrix.sets)) {
    for (const glob of set.bugs.filter((bugGlob) => !bugNames.some((id) => matchGlob(bugGlob, id))))
      add(`sets.${name}.bugs`, 'a known bug', JSON.stringify(glob), nearestName(glob, bugNames));
    set.blocks.forEach((block, index) => {
      const path = `sets.${name}.blocks.${index}`;
      problems.push(...checkCondition(matrix, 'matrix.yaml', `${path}.variants`, block.variants));
      for (const glob of block.scenarios.filter((g) => !scenarioNames.some((s) => matchGlob(g, s)))) {
        add(`${path}.scenarios`, 'a known scenario', JSON.stringify(glob), nearestName(glob, scenarioNames));
      }
      if (tags !== undefined)
        for (const field of ['withTags', 'withoutTags'] as const)
          for (const tag of block[field].filter((named) => !tags.includes(named)))
            add(`${path}.${field}`, 'a tag of a scenario', JSON.stringify(tag), nearestName(tag, tags));
      if (declared !== undefined)
        problems.push(
          ...checkParameterTexts('matrix.yaml', `${path}.parameters`, block.parameters, declared),
        );
    });
  }
  return [...problems, ...checkStatements(matrix, declared)];
}

/**
 * Ids are unique across rules, start failures, cold worlds and notes: a report names them without their kind. Rules may name parameters,
 * as they refuse cells; the others speak of whole worlds.
 */
function checkStatements(matrix: Matrix, declared: DeclaredParameters | undefined): ConfigProblem[] {
  const file = 'matrix.yaml';
  const ids = new Set<string>();
  return (['rules', 'startFailures', 'cold', 'notes'] as const).flatMap((field) =>
    matrix[field].flatMap(({ id, when, unless }, index) => {
      const path = `${field}.${index}`;
      const speaksOf = field === 'rules' ? declared : {};
      const check = (part: string, condition: Condition): ConfigProblem[] =>
        speaksOf === undefined && Object.keys(condition).some((key) => !isConditionKey(key))
          ? []
          : checkCondition(matrix, file, `${path}.${part}`, condition, speaksOf);
      const isTaken = ids.has(id);
      ids.add(id);
      return [
        ...(isTaken
          ? [{ file, path: `${path}.id`, expected: 'a unique id', received: JSON.stringify(id) }]
          : []),
        ...check('when', when),
        ...check('unless', unless ?? {}),
      ];
    }),
  );
}

/** What scenarios may speak of; undefined where that file has problems of its own. */
export interface ScenarioContext {
  readonly matrix: Matrix | undefined;
  readonly catalogue: Components | undefined;
  readonly platform: Platform;
}

/** What nodes and clusters have, whatever the project declares. */
export interface Platform {
  /** Names of the container images that every node has. */
  readonly nodeImages: readonly string[];
  readonly findApi: FindApi;
}

/** Checks one scenario: its name, its victim in the manifests, its images, and the axis values it speaks of. */
export function checkScenario(
  loaded: LoadedScenario,
  { matrix, catalogue, platform }: ScenarioContext,
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
  const release = matrix === undefined ? undefined : findCheckedRelease(matrix, scenario);
  const api = release === undefined ? undefined : platform.findApi(release);
  const ofObjects = api === undefined ? [] : checkSchemas(loaded, api);
  // The pods of an object of an unknown kind are not known.
  const areKnown = !ofObjects.some(({ path }) => /^document \d+\.(kind|apiVersion)$/.test(path));
  problems.push(
    ...(areKnown ? checkVictim(loaded) : []),
    ...ofObjects,
    ...checkOutcomes(loaded),
    ...checkOnNode(loaded),
    ...checkObjectNames(loaded),
    ...checkImages(loaded, { catalogue, nodeImages: platform.nodeImages }),
    ...checkShells(loaded, catalogue),
    ...checkQuantities(loaded),
    ...checkPods(loaded),
    ...checkMeasures(loaded),
    ...checkRegistry(loaded),
    ...checkTries(loaded),
  );
  return matrix === undefined ? problems : [...problems, ...checkConditionsOf(loaded, matrix)];
}

/**
 * The minor release whose API a scenario is checked against before cells are chosen: the default one, else the first that
 * the scenario does not refuse. Undefined when it refuses all that have a name.
 */
function findCheckedRelease(matrix: Matrix, { requires }: Scenario): string | undefined {
  const texts = requires?.kubernetes;
  return matrix.axes.kubernetes.values.find(
    (value) =>
      texts === undefined || texts.some((text) => matchesVersions(text, matrix.releases?.[value] ?? value)),
  );
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
