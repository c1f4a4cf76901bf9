/**
 * npm takes flags before `--` as its own settings: `npm run lab up --keep` reaches us without `--keep`. npm exports
 * most of them as npm_config_*, so the loss can be seen. npx takes none after the name of the program.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Flags of our verbs, and whether they take a value. A unit test compares this list with lab/commands/context/flags.ts.
 */
export const LAB_FLAGS = {
  json: false,
  project: true,
  keep: false,
  all: false,
  'all-unused': false,
  fix: false,
  follow: false,
  'dry-run': false,
  'no-wait': false,
  pairwise: false,
  sample: true,
  'sample-worlds': true,
  markdown: false,
  write: false,
  affected: true,
  fixed: true,
  format: true,
  table: false,
  'max-size': true,
  out: true,
  output: true,
  parallel: true,
  lanes: true,
  repeat: true,
  run: true,
  seed: true,
  world: true,
  summary: false,
  'last-failed': false,
  resume: false,
  'fail-fast': false,
  investigate: false,
  node: true,
  since: true,
  pod: true,
  container: true,
  attempt: true,
  list: false,
  timezone: true,
  year: true,
  save: true,
  redact: true,
  'print-commands': false,
  kubeconfig: true,
  context: true,
  'node-access': true,
  'debug-namespace': true,
  shards: true,
  'max-minutes': true,
  timings: true,
  host: true,
  evidence: true,
  plan: true,
  shard: true,
  'keep-evidence': true,
  engine: true,
  for: true,
  from: true,
  minutes: true,
  record: true,
  baseline: true,
  base: true,
  head: true,
  prove: false,
  axis: true,
  good: true,
  bad: true,
  budget: true,
  what: true,
  branches: false,
  saved: true,
  'exit-for': true,
  cold: false,
  locked: false,
};

/** Verbs with flags of other programs: whatever npm took there was meant for them. */
const WITH_FOREIGN_FLAGS = ['kubectl', 'logs', 'shell'];

/** What npm exports without any flag, so that it says nothing. */
const ALWAYS = [
  'user_agent',
  'npm_version',
  'node_gyp',
  'init_module',
  'noproxy',
  'loglevel',
  'color',
  'cache',
  'prefix',
  'userconfig',
  'globalconfig',
  'global_prefix',
  'local_prefix',
];

/**
 * Finds flags that npm kept for itself.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {readonly string[]} words what reached us
 * @returns {{ flags: string[], line?: string } | undefined} the flags, and the line that works. There is none when npm
 *   has left open where a flag was or which word was its value.
 */
export function findEatenFlags(env, words) {
  if (env.npm_lifecycle_event !== 'lab') return undefined;
  const taken = listTaken(env).filter(({ flag }) => !words.some((word) => word.split('=')[0] === flag));
  const ours = taken.filter(({ takesValue }) => takesValue !== undefined);
  const isForeign = WITH_FOREIGN_FLAGS.includes(words[0] ?? '');
  const flags = isForeign ? taken : ours;
  if (flags.length === 0) return undefined;
  const names = flags.map(({ flag }) => flag);
  if (isForeign || flags.some(({ takesValue, value }) => takesValue === (value === 'true')))
    return { flags: names };
  const spelled = flags.map(({ flag, takesValue, value }) => (takesValue ? `${flag}=${value}` : flag));
  return { flags: names, line: ['npx whodunit', ...[...words, ...spelled].map(quote)].join(' ') };
}

/**
 * The settings of npm that are not in any file of settings: `takesValue` is undefined when the flag is none of ours.
 */
function listTaken(env) {
  const known = [...ALWAYS, ...listFileSettings(env)];
  return Object.entries(env).flatMap(([name, value]) => {
    const setting = /^npm_config_(.+)$/.exec(name)?.[1];
    if (setting === undefined || known.includes(setting)) return [];
    const flag = setting.replaceAll('_', '-');
    // `--no-wait` becomes the setting `wait` without a value; an unset boolean of npm looks the same.
    const isOff = value === '' || value === 'false';
    const takesValue = LAB_FLAGS[isOff ? `no-${flag}` : flag];
    if (isOff) return takesValue === undefined ? [] : [{ flag: `--no-${flag}`, takesValue, value: 'true' }];
    return [{ flag: flag.length === 1 ? `-${flag}` : `--${flag}`, takesValue, value }];
  });
}

/** Names of what the .npmrc files set, as npm exports them. */
function listFileSettings(env) {
  const files = [
    env.npm_config_userconfig,
    env.npm_config_globalconfig,
    env.npm_config_local_prefix && join(env.npm_config_local_prefix, '.npmrc'),
    env.npm_execpath && join(env.npm_execpath, '../../npmrc'),
  ];
  return files.flatMap((file) =>
    readIfThere(file).flatMap(
      (line) => line.match(/^\s*([\w-]+)\s*(?:\[\])?=/)?.[1]?.replaceAll('-', '_') ?? [],
    ),
  );
}

function readIfThere(file) {
  try {
    return file ? readFileSync(file, 'utf8').split('\n') : [];
  } catch {
    return []; // most of these files are not there; one that cannot be read sets nothing
  }
}

function quote(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
