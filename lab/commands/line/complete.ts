import { listFolder } from '../../drivers/files/files.ts';
import { AXES } from '../../model/axes/axes.ts';
import { statePaths } from '../../model/host/paths.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { HostError } from '../../model/errors/errors.ts';
import { loadConfig } from '../setup/config.ts';
import type { Context, RunVerb } from '../context/context.ts';
import { readRun } from '../saved/find-run.ts';
import { spellFlag, type FlagName } from '../context/flags.ts';
import { LOG_SOURCES } from '../verbs/logs.ts';
import { VERBS } from './verbs.ts';

/** `whodunit complete <line>`: what may be at the end of a command line, a candidate a line; for shells. */
export const runComplete: RunVerb = async (context, [line = '']) => {
  const found = listCandidates(context, line);
  return found.length === 0 ? { status: 'passed' } : { status: 'passed', text: () => found.join('\n') };
};

/**
 * A shell puts a candidate into the command line as it is. Names of saved runs and of their cells may come from somebody
 * else, and could be more than a word there.
 */
const HARMLESS = /^[\w@%+=:,./[\]-]+$/;

/** Candidates for the last word of a line that begins with the name of the program. */
export function listCandidates(context: Pick<Context, 'projectDir' | 'stateDir'>, line: string): string[] {
  const [, ...words] = line.split(/\s+/);
  const last = words.at(-1) ?? '';
  return candidatesFor(context, words, last)
    .filter((candidate) => candidate.startsWith(last) && candidate !== last && HARMLESS.test(candidate))
    .sort();
}

function candidatesFor(
  context: Pick<Context, 'projectDir' | 'stateDir'>,
  words: readonly string[],
  last: string,
): string[] {
  const [name = '', ...rest] = words;
  const verbs = VERBS.map((verb) => verb.name);
  if (rest.length === 0) return [...verbs, 'help'];
  const verb = VERBS.find((known) => known.name === name);
  if (name === 'help') return verbs;
  if (verb === undefined) return [];
  if (last.startsWith('-')) return Object.keys(verb.flags).map((flag) => spellFlag(flag as FlagName));
  const { stateDir } = context;
  const worlds = (): string[] => listFolder(statePaths(stateDir).worlds);
  const runs = (): string[] => ['latest', ...listFolder(statePaths(stateDir).runs)];
  if (words.at(-2) === '--world') return worlds();
  if (words.at(-2) === '--run') return runs();
  const config = loadConfig(context);
  const scenarios = config.scenarios.map(({ scenario }) => scenario.name);
  const byVerb: Readonly<Record<string, () => string[]>> = {
    list: () => selectors(config, last, scenarios),
    run: () => selectors(config, last, scenarios),
    lock: () => selectors(config, last, scenarios),
    up: () => [...worlds(), ...axisWords(config, last)],
    bake: () => axisWords(config, last),
    sbom: () => ['lab', ...axisWords(config, last)],
    down: () => [...worlds(), ...axisWords(config, last)],
    why: () => [...addresses(stateDir), ...scenarios],
    judge: runs,
    report: runs,
    export: () => [...runs(), ...addresses(stateDir)],
    repro: () => config.bugs.map(({ id }) => id),
    scenarios: () => scenarios,
    explain: () => [...AXES, ...config.matrix.rules.map(({ id }) => id), ...scenarios],
    logs: () => Object.keys(LOG_SOURCES),
    cache: () => ['list', 'why', 'prune'],
    completion: () => ['bash', 'zsh', 'fish'],
    new: () => ['scenario', 'bug'],
  };
  return byVerb[verb.name]?.() ?? [];
}

/** Words of `list` and `run`: names, variants, and keys with their values. */
function selectors(config: Config, last: string, scenarios: readonly string[]): string[] {
  const keys: Readonly<Record<string, readonly string[]>> = {
    set: Object.keys(config.matrix.sets),
    scenario: scenarios,
    tag: config.scenarios.flatMap(({ scenario }) => scenario.tags),
    bug: config.bugs.map(({ id }) => id),
  };
  const key = last.slice(0, Math.max(0, last.indexOf('=')));
  if (Object.hasOwn(keys, key)) return [...new Set(keys[key])].map((value) => `${key}=${value}`);
  if (last.includes('/')) {
    const variant = last.slice(0, last.indexOf('/'));
    return scenarios.map((name) => `${variant}/${name}`);
  }
  return [
    ...scenarios,
    'default/',
    ...Object.keys(keys).map((name) => `${name}=`),
    ...axisWords(config, last),
  ];
}

/** `os=`, and after it each named value. */
function axisWords({ matrix }: Config, last: string): string[] {
  const axis = AXES.find((name) => last.startsWith(`${name}=`));
  return axis === undefined
    ? AXES.map((name) => `${name}=`)
    : matrix.axes[axis].values.map((value) => `${axis}=${value}`);
}

/** Addresses of the cells of the newest run. */
function addresses(stateDir: string): string[] {
  const newest = listFolder(statePaths(stateDir).runs).at(-1);
  if (newest === undefined) return [];
  try {
    return readRun(stateDir, newest).result.cells.map(({ address }) => address);
  } catch (error) {
    if (error instanceof HostError) return []; // completion says nothing of what is wrong
    throw error;
  }
}
