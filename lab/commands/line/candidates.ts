import { isFolder, pathExists, listFolder } from '../../drivers/files/files.ts';
import { findJsonInside } from '../../drivers/files/inside.ts';
import { ERROR_CODES } from '../../model/errors/errors.ts';
import { statePaths } from '../../model/host/paths.ts';
import { KILLERS, rowOf } from '../../model/killers/killers.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { listTerms } from '../../report/terminal/explain-terms.ts';
import type { Context } from '../context/context.ts';
import { findIndexedConfig } from '../setup/indexed-config.ts';

/** The folders in which candidates are looked up. */
export type CompletionFolders = Pick<Context, 'projectDir' | 'ownDir' | 'stateDir'>;

/** Lists what may complete the word `last`; `before` are the words of the verb before it, without its flags. */
export type ListCandidates = (
  folders: CompletionFolders,
  last: string,
  before: readonly string[],
) => readonly string[] | Promise<readonly string[]>;

/** Joins the candidates of several lists. */
export const allOf =
  (...lists: readonly ListCandidates[]): ListCandidates =>
  async (...request) =>
    (await Promise.all(lists.map(async (list) => list(...request)))).flat();

export const worlds: ListCandidates = ({ stateDir }) => listFolder(statePaths(stateDir).worlds);

export const runs: ListCandidates = ({ stateDir }) => ['latest', ...listFolder(statePaths(stateDir).runs)];

export const scenarios: ListCandidates = async (folders) => namesOfScenarios(await getConfig(folders));

export const bugs: ListCandidates = async (folders) => (await getConfig(folders)).bugs.map(({ id }) => id);

export const killers: ListCandidates = () => KILLERS;

/** The ids of searches of `bisect`, of `difference`, or of both. */
export const searches =
  (...kinds: readonly ('bisect' | 'difference')[]): ListCandidates =>
  ({ stateDir }) => {
    const state = statePaths(stateDir);
    return listFolder(state.searches).filter((id) =>
      kinds.some((kind) => pathExists(state.search(id)[kind])),
    );
  };

/** The nodes of all worlds. */
export const savedNodes: ListCandidates = ({ stateDir }) => {
  const state = statePaths(stateDir);
  return listFolder(state.worlds).flatMap((world) => {
    const { dir, record } = state.world(world);
    return listTexts(dir, record, 'nodes', 'name');
  });
};

/** Names of axes (`cgroup`). */
export const axisNames: ListCandidates = async (folders) =>
  Object.keys((await getConfig(folders)).matrix.axes);

/** Axes (`os=`), and the named values after such a word (`os=trixie`). */
export const axes: ListCandidates = async (folders, last) => axisWords(await getConfig(folders), last);

/** Names, variants, and keys with their values. */
export const selectors: ListCandidates = async (folders, last) => {
  const config = await getConfig(folders);
  const names = namesOfScenarios(config);
  const keys: Readonly<Record<string, readonly string[]>> = {
    set: Object.keys(config.matrix.sets),
    scenario: names,
    tag: config.scenarios.flatMap(({ scenario }) => scenario.tags),
    bug: config.bugs.map(({ id }) => id),
  };
  const key = last.slice(0, Math.max(0, last.indexOf('=')));
  if (Object.hasOwn(keys, key)) return (keys[key] ?? []).map((value) => `${key}=${value}`);
  if (last.includes('/')) return cellsOfVariant(config, last);
  return [...names, 'default/', ...Object.keys(keys).map((name) => `${name}=`), ...axisWords(config, last)];
};

/** The addresses of the cells of the newest run that has any. HARMLESS leaves out what a stranger may have put into one. */
export const addresses: ListCandidates = ({ stateDir }) => {
  const state = statePaths(stateDir);
  for (const run of listFolder(state.runs).reverse()) {
    const { dir, result } = state.run(run);
    const found = listTexts(dir, result, 'cells', 'address');
    if (found.length > 0) return found;
  }
  return [];
};

/** Addresses of cells that were run, and of those that can be. */
export const cells: ListCandidates = async (folders, last, before) => {
  const can = last.includes('/') ? cellsOfVariant(await getConfig(folders), last) : ['default/'];
  return [...(await addresses(folders, last, before)), ...can];
};

/** The words that `explain` knows, without the fields of formats, which are too many. */
export const explained: ListCandidates = async (folders) => {
  const { matrix, scenarios: declared, bugs: reported } = await getConfig(folders);
  return [
    ...Object.keys(matrix.axes),
    ...[matrix.rules, matrix.startFailures, matrix.notes].flatMap((list) => list.map(({ id }) => id)),
    ...Object.keys(matrix.sets),
    ...KILLERS.flatMap((killer) => [killer, ...Object.keys(rowOf(killer).hows)]),
    ...ERROR_CODES,
    ...listTerms().map(({ name }) => name),
    ...declared.flatMap(({ scenario }) => [scenario.name, ...Object.keys(scenario.parameters)]),
    ...reported.map(({ id }) => id),
  ];
};

/** Files and folders that begin with a text. A folder ends with /, so that a person can go on inside it. */
export const files: ListCandidates = (_, last) => {
  const folder = last.slice(0, last.lastIndexOf('/') + 1);
  try {
    return listFolder(folder === '' ? '.' : folder)
      .map((name) => `${folder}${name}`)
      .map((path) => (path.startsWith(last) && isFolder(path) ? `${path}/` : path));
  } catch {
    return []; // completion reports no errors
  }
};

/** Folders that begin with a text. */
export const folders: ListCandidates = async (...request) =>
  (await files(...request)).filter((path) => path.endsWith('/'));

/**
 * Loads the configuration. Its parsers take longer than a person waits for a TAB, so they are loaded only after a
 * change.
 */
async function getConfig(project: CompletionFolders): Promise<Config> {
  return findIndexedConfig(project) ?? (await import('../setup/config.ts')).loadQuietly(project);
}

function namesOfScenarios({ scenarios: declared }: Config): string[] {
  return declared.map(({ scenario }) => scenario.name);
}

function cellsOfVariant(config: Config, last: string): string[] {
  const variant = last.slice(0, last.indexOf('/'));
  return namesOfScenarios(config).map((name) => `${variant}/${name}`);
}

function axisWords({ matrix }: Config, last: string): string[] {
  const all = Object.entries(matrix.axes);
  const [axis, declared] = all.find(([name]) => last.startsWith(`${name}=`)) ?? [];
  return declared === undefined
    ? all.map(([name]) => `${name}=`)
    : declared.values.map((value) => `${axis}=${value}`);
}

/** Lists a text of each row of a list in a file of JSON; of a file that cannot be read, nothing. */
function listTexts(dir: string, path: string, list: string, key: string): string[] {
  try {
    const { [list]: rows } = findJsonInside(dir, path) as Record<string, unknown>;
    return (Array.isArray(rows) ? rows : []).flatMap((row: Record<string, unknown> | null) => {
      const text = row?.[key];
      return typeof text === 'string' ? [text] : [];
    });
  } catch {
    return []; // completion reports no errors
  }
}
