/** The files that a person declares the project in, by their path in it. */

/** Name of the catalogue of programs, in the root of the project. */
export const COMPONENTS_FILE = 'components.yaml';

/** Name of the file with axes, sets and rules, in the root of the project. */
export const MATRIX_FILE = 'matrix.yaml';

/** How files of the catalogue of whodunit are named where a project of somebody's own is read over it. */
export const SHIPPED = 'whodunit/';

/** What is read below `scenarios/<name>/` and `bugs/`, as a pattern and as a person calls it. */
const BELOW = [
  { pattern: /^scenarios\/[^/]+\/scenario\.yaml$/, is: 'scenario.yaml' },
  { pattern: /^scenarios\/[^/]+\/manifests\/[^/]+\.ya?ml$/, is: 'manifests/*.yaml' },
  { pattern: /^scenarios\/[^/]+\/later\/[^/]+\.yaml$/, is: 'later/*.yaml' },
  { pattern: /^scenarios\/[^/]+\/samplers\/[^/]+\.sh$/, is: 'samplers/*.sh' },
  { pattern: /^bugs\/[^/]+\.ya?ml$/, is: '<id>.yaml' },
] as const;

/** Whether the lab reads a file of `scenarios/` or `bugs/`, by its name. */
export function isDeclaration(path: string): boolean {
  return BELOW.some(({ pattern }) => pattern.test(path));
}

/** What the names of files in `scenarios/<name>/`, or in `bugs/`, may be. */
export function listDeclarationNames(root: 'scenarios' | 'bugs'): string[] {
  return BELOW.filter(({ pattern }) => pattern.source.startsWith(`^${root}`)).map(({ is }) => is);
}
