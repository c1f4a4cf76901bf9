import { isFolder, listFolder } from '../../drivers/files/files.ts';
import { findJsonInside } from '../../drivers/files/inside.ts';
import { statePaths } from '../../model/host/paths.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { CONTAINER_REASONS } from '../../model/declared/container-reasons.ts';
import { ERROR_CODES } from '../../model/errors/errors.ts';
import { EVIDENCE_FILES } from '../../model/evidence/evidence-files.ts';
import { KILLERS, rowOf } from '../../model/killers/killers.ts';
import { REPORT_FORMATS } from '../../model/saved/report-formats.ts';
import { GLOSSARY } from '../../model/text/glossary.ts';
import { findIndexedConfig } from '../setup/indexed-config.ts';
import type { Context, RunVerb } from '../context/context.ts';
import { spellFlag, type FlagName } from '../context/flags.ts';
import { LIST_KINDS } from './list-kinds.ts';
import { VERBS } from './verbs.ts';

/** `whodunit complete <line>`: prints the candidates for the last word of a command line, one a line, for shells. */
export const runComplete: RunVerb = async (context, [line = '']) => {
  const found = await listCandidates(context, line);
  return found.length === 0 ? { status: 'passed' } : { status: 'passed', text: () => found.join('\n') };
};

/**
 * A candidate that is one word in every shell. A shell inserts it unchanged, and names of saved runs and of their cells may
 * come from somebody else.
 */
const HARMLESS = /^[\w@%+=:,./[\]-]+$/;

/** The folders in which candidates are looked up. */
type Folders = Pick<Context, 'projectDir' | 'ownDir' | 'stateDir'>;

/** Lists the candidates for the last word of a line that begins with the name of the program. */
export async function listCandidates(context: Folders, line: string): Promise<string[]> {
  const [, ...words] = line.split(/\s+/);
  const last = words.at(-1) ?? '';
  const candidates = await candidatesFor(context, words, last);
  return [...new Set(candidates)]
    .filter((candidate) => candidate.startsWith(last) && candidate !== last && HARMLESS.test(candidate))
    .sort();
}

async function candidatesFor(
  context: Folders,
  words: readonly string[],
  last: string,
): Promise<readonly string[]> {
  const [name = '', ...rest] = words;
  const verbs = VERBS.map((verb) => verb.name);
  if (rest.length === 0) return [...verbs, 'help'];
  const verb = VERBS.find((known) => known.name === name);
  if (name === 'help') return [...verbs, '--all'];
  if (verb === undefined) return [];
  if (last.startsWith('-')) return Object.keys(verb.flags).map((flag) => spellFlag(flag as FlagName));
  const flag = OF_FLAG[words.at(-2) ?? ''];
  return (await (flag ?? OF_VERB[verb.name])?.(context, last, rest)) ?? [];
}

/** Lists what may complete the word `last`; `words` are those after the verb. */
type ListCandidates = (
  context: Folders,
  last: string,
  words: readonly string[],
) => readonly string[] | Promise<readonly string[]>;

const worlds: ListCandidates = ({ stateDir }) => listFolder(statePaths(stateDir).worlds);
const runs: ListCandidates = ({ stateDir }) => ['latest', ...listFolder(statePaths(stateDir).runs)];
const scenarios: ListCandidates = async (context) =>
  (await getConfig(context)).scenarios.map(({ scenario }) => scenario.name);
const bugs: ListCandidates = async (context) => (await getConfig(context)).bugs.map(({ id }) => id);
const axes: ListCandidates = async (context, last) => axisWords(await getConfig(context), last);
const selectors: ListCandidates = async (context, last) => selectorWords(await getConfig(context), last);
const explained: ListCandidates = async (context) => explainedWords(await getConfig(context));

/** Joins the candidates of several lists. */
const allOf =
  (...lists: readonly ListCandidates[]): ListCandidates =>
  async (...request) =>
    (await Promise.all(lists.map(async (list) => list(...request)))).flat();

/** The candidates for the value of a flag. */
const OF_FLAG: Readonly<Record<string, ListCandidates>> = {
  '--world': worlds,
  '--run': runs,
  '--format': () => REPORT_FORMATS,
  '--out': files,
  '--affected': axes,
  '--fixed': axes,
};

/** The candidates for the words of a verb. */
const OF_VERB: Readonly<Record<string, ListCandidates>> = {
  list: allOf((_context, _last, words) => (words.length === 1 ? Object.keys(LIST_KINDS) : []), selectors),
  run: selectors,
  lock: selectors,
  up: allOf(worlds, axes),
  bake: axes,
  sbom: allOf(() => ['lab'], axes),
  down: allOf(worlds, axes),
  why: allOf(runs, addresses, scenarios),
  history: allOf(addresses, scenarios),
  diff: allOf(runs, addresses),
  judge: allOf(runs, files),
  autopsy: files,
  report: runs,
  events: runs,
  export: allOf(runs, addresses),
  repro: allOf(bugs, files),
  scenarios,
  bugs,
  killers: () => KILLERS,
  runs,
  explain: explained,
  logs: async () => Object.keys((await import('../verbs/logs.ts')).LOG_SOURCES),
  cache: () => ['list', 'why', 'prune'],
  completion: () => ['bash', 'zsh', 'fish'],
  new: () => ['scenario', 'bug'],
  init: files,
};

/**
 * Loads the configuration. Its parsers take longer than a person waits for a TAB, so they are loaded only after a
 * change.
 */
async function getConfig(folders: Folders): Promise<Config> {
  return findIndexedConfig(folders) ?? (await import('../setup/config.ts')).loadQuietly(folders);
}

/** Lists selectors: names, variants, and keys with their values. */
function selectorWords(config: Config, last: string): string[] {
  const names = config.scenarios.map(({ scenario }) => scenario.name);
  const keys: Readonly<Record<string, readonly string[]>> = {
    set: Object.keys(config.matrix.sets),
    scenario: names,
    tag: config.scenarios.flatMap(({ scenario }) => scenario.tags),
    bug: config.bugs.map(({ id }) => id),
  };
  const key = last.slice(0, Math.max(0, last.indexOf('=')));
  if (Object.hasOwn(keys, key)) return (keys[key] ?? []).map((value) => `${key}=${value}`);
  if (last.includes('/')) {
    const variant = last.slice(0, last.indexOf('/'));
    return names.map((name) => `${variant}/${name}`);
  }
  return [...names, 'default/', ...Object.keys(keys).map((name) => `${name}=`), ...axisWords(config, last)];
}

/** Lists axes (`os=`), and the named values after such a word (`os=trixie`). */
function axisWords({ matrix }: Config, last: string): string[] {
  const all = Object.entries(matrix.axes);
  const [axis, declared] = all.find(([name]) => last.startsWith(`${name}=`)) ?? [];
  return declared === undefined
    ? all.map(([name]) => `${name}=`)
    : declared.values.map((value) => `${axis}=${value}`);
}

/** Lists the words that `explain` knows, without the fields of formats, which are too many. */
function explainedWords({ matrix, scenarios, bugs }: Config): string[] {
  return [
    ...Object.keys(matrix.axes),
    ...[matrix.rules, matrix.startFailures, matrix.notes].flatMap((list) => list.map(({ id }) => id)),
    ...Object.keys(matrix.sets),
    ...KILLERS.flatMap((killer) => [killer, ...Object.keys(rowOf(killer).hows)]),
    ...ERROR_CODES,
    ...Object.values(EVIDENCE_FILES).map(({ file }) => file),
    ...Object.keys(CONTAINER_REASONS),
    ...GLOSSARY.flatMap(({ names }) => names),
    ...scenarios.flatMap(({ scenario }) => [scenario.name, ...Object.keys(scenario.parameters)]),
    ...bugs.map(({ id }) => id),
  ];
}

/** Lists the addresses of the cells of the newest run. HARMLESS leaves out what a stranger may have put into one. */
function addresses({ stateDir }: Folders): string[] {
  const newest = listFolder(statePaths(stateDir).runs).at(-1);
  if (newest === undefined) return [];
  const { dir, result } = statePaths(stateDir).run(newest);
  try {
    const { cells } = findJsonInside(dir, result) as { cells?: unknown };
    return (Array.isArray(cells) ? cells : []).flatMap((cell: { address?: unknown } | null) =>
      typeof cell?.address === 'string' ? [cell.address] : [],
    );
  } catch {
    return []; // completion reports no errors
  }
}

/** Lists files and folders that begin with a text. A folder ends with /, so that a person can go on inside it. */
function files(_context: Folders, last: string): string[] {
  const folder = last.slice(0, last.lastIndexOf('/') + 1);
  try {
    return listFolder(folder === '' ? '.' : folder)
      .map((name) => `${folder}${name}`)
      .map((path) => (path.startsWith(last) && isFolder(path) ? `${path}/` : path));
  } catch {
    return [];
  }
}
