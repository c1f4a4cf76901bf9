import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPlatform } from '../../lab/commands/setup/config.ts';
import { readProjectFiles } from '../../lab/drivers/project/project-files.ts';
import { ConfigError, type ConfigProblem } from '../../lab/model/errors/errors.ts';
import { parseConfig, type Config, type ConfigFile } from '../../lab/plan/config/parse-config.ts';

/** The root of the project. */
export const PROJECT = join(import.meta.dirname, '../..');

/** The project's own declarations, as they are shipped. */
export const SHIPPED_FILES: readonly ConfigFile[] = readProjectFiles(PROJECT);

/** Parses the shipped files with some replaced (or, with undefined, left out). */
export function configWith(changes: Readonly<Record<string, string | undefined>> = {}): Config {
  const kept = SHIPPED_FILES.filter((file) => !(file.path in changes));
  const added = Object.entries(changes).flatMap(([path, text]) =>
    text === undefined ? [] : [{ path, text }],
  );
  return parseConfig([...kept, ...added], readPlatform(PROJECT));
}

/**
 * The problems of the shipped files with some replaced, without lines and columns (bad-files.test.ts checks those); none
 * when they are valid.
 */
export function problemsWith(
  changes: Readonly<Record<string, string | undefined>>,
): readonly ConfigProblem[] {
  try {
    configWith(changes);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(withoutPlace);
    throw error;
  }
  return [];
}

function withoutPlace({ line: _line, column: _column, ...problem }: ConfigProblem): ConfigProblem {
  return problem;
}

/** The problems of the shipped files after a piece of one of them, which must be there, was replaced. */
export function problemsAfter(path: string, piece: string, other: string): readonly ConfigProblem[] {
  const text = shippedText(path);
  if (!text.includes(piece)) throw new Error(`${path} does not have ${piece}`);
  return problemsWith({ [path]: text.replace(piece, other) });
}

/** The shipped text of a file. */
export function shippedText(path: string): string {
  const file = SHIPPED_FILES.find((file) => file.path === path);
  if (file === undefined) throw new Error(`no file ${path}`);
  return file.text;
}

/** The text of any file of the project. */
export function readProjectText(path: string): string {
  return readFileSync(join(PROJECT, path), 'utf8');
}
