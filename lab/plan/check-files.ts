import { configProblem, type ConfigProblem } from '../model/errors.ts';
import { nearestName } from '../model/nearest.ts';
import type { ScenarioSource } from '../model/scenario.ts';

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
  const used = samplers.map(({ name }) => name);
  return [
    ...findMissing(listFiles(scenario, 'stimulus'), folder, 'later', Object.keys(later)),
    ...findMissing(samplers, folder, 'samplers', Object.keys(scripts)),
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
