import { configProblem, type ConfigProblem } from '../../model/errors/errors.ts';
import { nearestName } from '../../model/text/nearest.ts';
import type { ScenarioSource } from '../../model/declared/scenario.ts';
import { isDeclaration, listDeclarationNames } from '../../model/files/declarations.ts';
import type { ConfigFile } from '../../model/files/yaml-file.ts';

/** Checks the names of the files in `scenarios/` and `bugs/`: the lab would not read another one. */
export function checkFileNames(files: readonly ConfigFile[]): ConfigProblem[] {
  return files.flatMap(({ path }) => {
    const root = (['scenarios', 'bugs'] as const).find((folder) => path.startsWith(`${folder}/`));
    if (root === undefined || isDeclaration(path)) return [];
    const expected = `one of the files ${listDeclarationNames(root).join(', ')}`;
    const name = path
      .split('/')
      .slice(root === 'scenarios' ? 2 : 1)
      .join('/');
    return [configProblem(path, '', expected, `"${name}"`, meantName(path))];
  });
}

/** Whether a file whose name means nothing was meant to be this declaration. */
export function meansDeclaration(path: string, declaration: string): boolean {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return !isDeclaration(path) && `${folder}${meantName(path) ?? ''}` === declaration;
}

/** The name that the last part of a path was meant to be, or its folder: `scenario.yaml`, `manifests/pod.yaml`. */
function meantName(path: string): string | undefined {
  const [, , first = '', ...rest] = path.split('/');
  if (!path.startsWith('scenarios/')) return undefined;
  if (rest.length === 0) return nearestName(first, ['scenario.yaml']);
  const part = nearestName(first, ['manifests', 'later', 'samplers']);
  const [name = ''] = rest;
  const meant = [`${part}/${name}`, `${part}/${name.replace(/\.[^.]*$/, '')}.yaml`];
  return part === undefined
    ? undefined
    : meant.find((name) => isDeclaration(`${path.split('/').slice(0, 2).join('/')}/${name}`));
}

/**
 * Checks that the files which a scenario names are there, and that it names every script that is. It reads
 * `scenario.yaml` as it was written, so that no other mistake in it hides a missing file.
 *
 * @param scenario with its parameters filled in, not yet checked.
 */
export function checkFiles(
  scenario: unknown,
  { folder, later, scripts }: Pick<ScenarioSource, 'folder' | 'later' | 'scripts'>,
): ConfigProblem[] {
  const samplers = listFiles(scenario, 'samplers');
  const missing = findMissing(samplers, folder, 'samplers', Object.keys(scripts));
  // A script that was meant is not reported a second time.
  const used = [...samplers.map(({ name }) => name), ...missing.map(({ nearest }) => nearest)];
  return [
    ...findMissing(listFiles(scenario, 'stimulus'), folder, 'later', Object.keys(later)),
    ...missing,
    ...Object.keys(scripts)
      .filter((name) => !used.includes(name))
      .map((name) =>
        configProblem(`${folder}/samplers/${name}`, '', 'a sampler of scenario.yaml that names it', 'none'),
      ),
  ];
}

interface NamedFile {
  readonly name: string;
  readonly path: string;
}

/** The `file` of each entry of a list. */
function listFiles(scenario: unknown, field: string): NamedFile[] {
  const list = fieldOf(scenario, field);
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown, index): NamedFile[] => {
    const name = fieldOf(entry, 'file');
    return typeof name === 'string' ? [{ name, path: `${field}.${index}.file` }] : [];
  });
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function findMissing(
  named: readonly NamedFile[],
  folder: string,
  part: string,
  known: readonly string[],
): ConfigProblem[] {
  return named
    .filter(({ name }) => !known.includes(name))
    .map(({ name, path }) => {
      const expected = `a file of ${folder}/${part}/`;
      return configProblem(`${folder}/scenario.yaml`, path, expected, `"${name}"`, nearestName(name, known));
    });
}
