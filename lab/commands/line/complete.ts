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

/** `whodunit complete <line>`: what may be at the end of a command line, a candidate a line; for shells. */
export const runComplete: RunVerb = async (context, [line = '']) => {
  const found = await listCandidates(context, line);
  return found.length === 0 ? { status: 'passed' } : { status: 'passed', text: () => found.join('\n') };
};

/**
 * A shell puts a candidate into the command line as it is. Names of saved runs and of their cells may come from somebody
 * else, and could be more than a word there.
 */
const HARMLESS = /^[\w@%+=:,./[\]-]+$/;

/** Candidates for the last word of a line that begins with the name of the program. */
export async function listCandidates(
  context: Pick<Context, 'projectDir' | 'ownDir' | 'stateDir'>,
  line: string,
): Promise<string[]> {
  const [, ...words] = line.split(/\s+/);
  const last = words.at(-1) ?? '';
  const candidates = await candidatesFor(context, words, last);
  return [...new Set(candidates)]
    .filter((candidate) => candidate.startsWith(last) && candidate !== last && HARMLESS.test(candidate))
    .sort();
}

type Where = Pick<Context, 'projectDir' | 'ownDir' | 'stateDir'>;

async function candidatesFor(
  context: Where,
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

/** What may be put in place of a word that was begun. */
type List = (
  context: Where,
  last: string,
  words: readonly string[],
) => readonly string[] | Promise<readonly string[]>;

const worlds: List = ({ stateDir }) => listFolder(statePaths(stateDir).worlds);
const runs: List = ({ stateDir }) => ['latest', ...listFolder(statePaths(stateDir).runs)];
const scenarios: List = async (context) =>
  (await getConfig(context)).scenarios.map(({ scenario }) => scenario.name);
const bugs: List = async (context) => (await getConfig(context)).bugs.map(({ id }) => id);
const axes: List = async (context, last) => axisWords(await getConfig(context), last);
const selectors: List = async (context, last) => selectorWords(await getConfig(context), last);
const explained: List = async (context) => explainedWords(await getConfig(context));

/** What several lists have. */
const join =
  (...lists: readonly List[]): List =>
  async (...asked) =>
    (await Promise.all(lists.map(async (list) => list(...asked)))).flat();

/** What a flag takes. */
const OF_FLAG: Readonly<Record<string, List>> = {
  '--world': worlds,
  '--run': runs,
  '--format': () => REPORT_FORMATS,
  '--out': files,
  '--affected': axes,
  '--fixed': axes,
};

/** What the words of a verb may be. */
const OF_VERB: Readonly<Record<string, List>> = {
  list: join((_context, _last, words) => (words.length === 1 ? Object.keys(LIST_KINDS) : []), selectors),
  run: selectors,
  lock: selectors,
  up: join(worlds, axes),
  bake: axes,
  sbom: join(() => ['lab'], axes),
  down: join(worlds, axes),
  why: join(runs, addresses, scenarios),
  history: join(addresses, scenarios),
  diff: join(runs, addresses),
  judge: join(runs, files),
  autopsy: files,
  report: runs,
  events: runs,
  export: join(runs, addresses),
  repro: join(bugs, files),
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

/** The parsers take longer to load than a person waits for a TAB: they are loaded only after a file was changed. */
async function getConfig(where: Where): Promise<Config> {
  return findIndexedConfig(where) ?? (await import('../setup/config.ts')).loadQuietly(where);
}

/** Words of `list` and `run`: names, variants, and keys with their values. */
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

/** `os=`, and after it each named value. */
function axisWords({ matrix }: Config, last: string): string[] {
  const all = Object.entries(matrix.axes);
  const [axis, declared] = all.find(([name]) => last.startsWith(`${name}=`)) ?? [];
  return declared === undefined
    ? all.map(([name]) => `${name}=`)
    : declared.values.map((value) => `${axis}=${value}`);
}

/** Words that `explain` knows. Fields of formats are left out: they are too many to offer. */
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

/** Addresses of the cells of the newest run. Only a word is taken of each: HARMLESS decides about it. */
function addresses({ stateDir }: Where): string[] {
  const newest = listFolder(statePaths(stateDir).runs).at(-1);
  if (newest === undefined) return [];
  const { dir, result } = statePaths(stateDir).run(newest);
  try {
    const { cells } = findJsonInside(dir, result) as { cells?: unknown };
    return (Array.isArray(cells) ? cells : []).flatMap((cell: { address?: unknown } | null) =>
      typeof cell?.address === 'string' ? [cell.address] : [],
    );
  } catch {
    return []; // completion says nothing of what is wrong
  }
}

/** Files and folders that begin like this; a folder ends with /, because one goes on from there. */
function files(_context: Where, last: string): string[] {
  const folder = last.slice(0, last.lastIndexOf('/') + 1);
  try {
    return listFolder(folder === '' ? '.' : folder)
      .map((name) => `${folder}${name}`)
      .map((path) => (path.startsWith(last) && isFolder(path) ? `${path}/` : path));
  } catch {
    return [];
  }
}
