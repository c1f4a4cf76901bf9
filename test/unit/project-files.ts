import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPlatform } from '../../lab/commands/setup/config.ts';
import { readProjectFiles } from '../../lab/drivers/project/project-files.ts';
import type { LoadedScenario } from '../../lab/model/declared/scenario.ts';
import { ConfigError, type ConfigProblem } from '../../lab/model/errors/errors.ts';
import { checkFileNames } from '../../lab/plan/check/check-files.ts';
import { parseScenario } from '../../lab/plan/config/parse-scenario.ts';
import { parseConfig, type Config, type ConfigFile } from '../../lab/plan/config/parse-config.ts';

/** The root of the project. */
export const PROJECT = join(import.meta.dirname, '../..');

/** The project's own declarations, as they are shipped. */
export const SHIPPED_FILES: readonly ConfigFile[] = readProjectFiles(PROJECT);

/** Files by their path; with undefined, one that is left out. */
type Changes = Readonly<Record<string, string | undefined>>;

/** What the shipped files declare. Nobody changes it, so it is read once. */
let shippedConfig: Config | undefined;

/** Parses the shipped files with some replaced (or, with undefined, left out). */
export function configWith(changes: Changes = {}): Config {
  if (Object.keys(changes).length > 0) return parseConfig(filesWith(changes), readPlatform(PROJECT));
  return (shippedConfig ??= parseConfig(SHIPPED_FILES, readPlatform(PROJECT)));
}

function filesWith(changes: Changes): ConfigFile[] {
  const kept = SHIPPED_FILES.filter((file) => !(file.path in changes));
  const added = Object.entries(changes).flatMap(([path, text]) =>
    text === undefined ? [] : [{ path, text }],
  );
  return [...kept, ...added];
}

/**
 * Reads one scenario, shipped or not, with some of its files replaced: what the other files say is taken as right. It takes a
 * hundredth of the time of reading all of them.
 */
function readScenario(changes: Changes): { loaded: LoadedScenario | undefined; problems: ConfigProblem[] } {
  const folders = new Set(Object.keys(changes).map((path) => /^scenarios\/[^/]+/.exec(path)?.[0] ?? path));
  const [folder = '', ...others] = folders;
  if (others.length > 0) throw new Error(`files of more than one scenario: ${[...folders].join(' ')}`);
  const { matrix, catalogue } = configWith();
  const files = filesWith(changes);
  const problems = checkFileNames(files);
  const loaded = parseScenario(
    folder,
    files,
    { matrix, catalogue, platform: readPlatform(PROJECT) },
    problems,
  );
  return { loaded, problems };
}

/** One scenario with some of its files replaced. */
export function scenarioWith(changes: Changes): LoadedScenario {
  const { loaded, problems } = readScenario(changes);
  if (loaded === undefined || problems.length > 0) throw new ConfigError(problems);
  return loaded;
}

/** The problems of one scenario with some of its files replaced. */
export const problemsOfScenario = (changes: Changes): readonly ConfigProblem[] =>
  readScenario(changes).problems;

/**
 * The problems of the shipped files with some replaced, without lines and columns (bad-files.test.ts checks those); none
 * when they are valid.
 */
export function problemsWith(changes: Changes): readonly ConfigProblem[] {
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

/** A shipped file of which a piece, which must be there, is replaced. */
export function shippedWith(path: string, piece: string, other: string): Changes {
  const text = shippedText(path);
  if (!text.includes(piece)) throw new Error(`${path} does not have ${piece}`);
  return { [path]: text.replace(piece, other) };
}

/** The problems of the shipped files after a piece of one of them, which must be there, was replaced. */
export const problemsAfter = (path: string, piece: string, other: string): readonly ConfigProblem[] =>
  problemsWith(shippedWith(path, piece, other));

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
