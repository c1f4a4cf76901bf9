import type { Replaces, MatrixOverlay } from '../../model/declared/own-project.ts';
import type { Matrix } from '../../model/declared/matrix.ts';
import { configProblem, type ConfigProblem } from '../../model/errors/errors.ts';
import { MATRIX_FILE, SHIPPED } from '../../model/files/declarations.ts';
import { PROJECT_FILE } from '../../model/host/project-folders.ts';
import { nearestName } from '../../model/text/nearest.ts';

const MAPS = ['suites', 'knobs', 'sets'] as const;
const LISTS = ['rules', 'startFailures', 'cold', 'notes'] as const;

/** The matrix of whodunit with what a project adds to it. */
export interface MergedMatrix {
  readonly matrix: Matrix;
  /** Names that both have. */
  readonly problems: readonly ConfigProblem[];
  /** Says in which of the two files a problem of the merged matrix is, and where there. */
  readonly locate: (problem: ConfigProblem) => ConfigProblem;
}

/** Adds the matrix of a project to that of whodunit. Statements of the project come last. Pure. */
export function mergeMatrix(base: Matrix, own: MatrixOverlay, replaces: Replaces): MergedMatrix {
  const kept = {
    rules: keep(base.rules, own.rules, replaces.rules),
    startFailures: keep(base.startFailures, own.startFailures, replaces.startFailures),
    cold: keep(base.cold, own.cold, replaces.cold),
    notes: keep(base.notes, own.notes, replaces.notes),
  };
  const matrix: Matrix = {
    ...base,
    machine: {
      memoryMiB: own.machine.memoryMiB ?? base.machine.memoryMiB,
      vcpus: own.machine.vcpus ?? base.machine.vcpus,
      diskGiB: own.machine.diskGiB ?? base.machine.diskGiB,
    },
    axes: mergeAxes(base, own),
    suites: { ...base.suites, ...own.suites },
    knobs: { ...base.knobs, ...own.knobs },
    sets: { ...base.sets, ...own.sets },
    rules: [...kept.rules, ...own.rules],
    startFailures: [...kept.startFailures, ...own.startFailures],
    cold: [...kept.cold, ...own.cold],
    notes: [...kept.notes, ...own.notes],
  };
  return {
    matrix,
    problems: [...listClashes(base, own, replaces), ...listUnknown(base, own, replaces)],
    locate: (problem) =>
      problem.file === MATRIX_FILE ? { ...problem, ...findPlace(problem.path, base, own, kept) } : problem,
  };
}

interface Named {
  readonly id: string;
}

function keep<T extends Named>(base: readonly T[], own: readonly Named[], replaced: readonly string[]): T[] {
  return base.filter(({ id }) => !(replaced.includes(id) && own.some((other) => other.id === id)));
}

function mergeAxes(base: Matrix, own: MatrixOverlay): Matrix['axes'] {
  const axes = Object.entries(base.axes).map(([name, axis]) => {
    const added = own.axes[name as keyof typeof own.axes];
    return [
      name,
      added === undefined
        ? axis
        : {
            ...axis,
            values: [...axis.values, ...added.values],
            patterns: [...axis.patterns, ...added.patterns],
          },
    ];
  });
  return Object.fromEntries(axes) as Matrix['axes'];
}

/** Names that both files have, and that no `replaces` gives to the project. */
function listClashes(base: Matrix, own: MatrixOverlay, replaces: Replaces): ConfigProblem[] {
  const ofMaps = MAPS.flatMap((field) =>
    Object.keys(own[field])
      .filter((name) => Object.hasOwn(base[field], name) && !replaces[field].includes(name))
      .map((name) => clash(`${field}.${name}`, field, name)),
  );
  const ofLists = LISTS.flatMap((field) =>
    own[field].flatMap(({ id }, index) =>
      base[field].some((other) => other.id === id) && !replaces[field].includes(id)
        ? [clash(`${field}.${index}.id`, field, id)]
        : [],
    ),
  );
  const ofAxes = Object.entries(own.axes).flatMap(([axis, { values }]) =>
    values.flatMap((value, index) =>
      base.axes[axis as keyof typeof base.axes].values.includes(value)
        ? [
            configProblem(
              MATRIX_FILE,
              `axes.${axis}.values.${index}`,
              `a value that ${SHIPPED}${MATRIX_FILE} does not have`,
              JSON.stringify(value),
            ),
          ]
        : [],
    ),
  );
  return [...ofMaps, ...ofLists, ...ofAxes];
}

function clash(path: string, field: string, name: string): ConfigProblem {
  const expected = `a name that ${SHIPPED}${MATRIX_FILE} does not have, or \`replaces: { ${field}: [${name}] }\` in ${PROJECT_FILE}`;
  return configProblem(MATRIX_FILE, path, expected, JSON.stringify(name));
}

/** Names that are to be replaced, and that one of the two does not have. */
function listUnknown(base: Matrix, own: MatrixOverlay, replaces: Replaces): ConfigProblem[] {
  const names = (matrix: Matrix | MatrixOverlay, field: (typeof MAPS)[number] | (typeof LISTS)[number]) => {
    const found = matrix[field];
    return Array.isArray(found) ? found.map(({ id }) => id) : Object.keys(found);
  };
  return [...MAPS, ...LISTS].flatMap((field) =>
    replaces[field].flatMap((name, index) => {
      const lacking = [
        { of: names(base, field), file: `${SHIPPED}${MATRIX_FILE}` },
        { of: names(own, field), file: MATRIX_FILE },
      ].find(({ of }) => !of.includes(name));
      if (lacking === undefined) return [];
      const path = `replaces.${field}.${index}`;
      const expected = `a name under \`${field}\` of ${lacking.file}`;
      return [
        configProblem(PROJECT_FILE, path, expected, JSON.stringify(name), nearestName(name, lacking.of)),
      ];
    }),
  );
}

/** Where a field of the merged matrix was written. */
function findPlace(
  path: string,
  base: Matrix,
  own: MatrixOverlay,
  kept: Readonly<Record<(typeof LISTS)[number], readonly Named[]>>,
): Pick<ConfigProblem, 'file' | 'path'> {
  const shipped = { file: `${SHIPPED}${MATRIX_FILE}`, path };
  const mine = { file: MATRIX_FILE, path };
  const [top = ''] = path.split('.', 1);
  const map = MAPS.find((field) => field === top);
  if (map !== undefined)
    return Object.keys(own[map]).some((name) => `${path}.`.startsWith(`${map}.${name}.`)) ? mine : shipped;
  const list = LISTS.find((field) => field === top);
  if (list !== undefined) {
    const [, number = '', ...rest] = path.split('.');
    const index = Number(number);
    if (number === '' || Number.isNaN(index)) return mine;
    const at = kept[list][index];
    if (at === undefined)
      return { ...mine, path: [list, String(index - kept[list].length), ...rest].join('.') };
    return { ...shipped, path: [list, String(base[list].findIndex((row) => row === at)), ...rest].join('.') };
  }
  const [, axis = '', number = '', ...rest] =
    /^axes\.([^.]+)\.(?:values|patterns)\.(\d+)(.*)$/.exec(path) ?? [];
  const field = path.includes('.patterns.') ? 'patterns' : 'values';
  const count = base.axes[axis as keyof typeof base.axes]?.[field].length ?? Infinity;
  if (axis !== '' && Number(number) >= count)
    return { ...mine, path: `axes.${axis}.${field}.${Number(number) - count}${rest.join('')}` };
  const isOwnMachine = Object.keys(own.machine).some((name) => path === `machine.${name}`);
  return isOwnMachine ? mine : shipped;
}
