/**
 * npm takes flags before `--` as its own settings: `npm run lab run --keep` reaches us without `--keep`. npm exports
 * them as npm_config_*, so the loss can be seen and reported.
 */

/** Flags of our verbs, and whether they take a value. A unit test compares this list with lab/cli.ts. */
export const LAB_FLAGS = {
  json: false,
  keep: false,
  all: false,
  'all-unused': false,
  fix: false,
  'dry-run': false,
  'no-wait': false,
  pairwise: false,
  markdown: false,
  affected: true,
  fixed: true,
  format: true,
  table: false,
  'max-size': true,
  out: true,
  parallel: true,
  repeat: true,
  run: true,
  seed: true,
  world: true,
};

/**
 * Finds flags that npm kept for itself.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {readonly string[]} words what reached us
 * @returns {{ flags: string[], line: string } | undefined} the flags, and the line that works
 */
export function findEatenFlags(env, words) {
  if (env.npm_lifecycle_event !== 'lab') return undefined;
  const flags = [];
  for (const [name, takesValue] of Object.entries(LAB_FLAGS)) {
    const value = findSetting(env, name);
    const isGiven = words.some((word) => word === `--${name}` || word.startsWith(`--${name}=`));
    // An unset boolean of npm is the empty string or "false".
    if (value === undefined || value === '' || value === 'false' || isGiven) continue;
    flags.push(takesValue && value !== 'true' ? `--${name}=${value}` : `--${name}`);
  }
  if (flags.length === 0) return undefined;
  return { flags, line: ['npm run lab --', ...words, ...flags].join(' ') };
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string} name of a flag
 * @returns {string | undefined} what npm made of it: `--no-wait` becomes its setting `wait`, empty for false
 */
function findSetting(env, name) {
  if (!name.startsWith('no-')) return env[`npm_config_${name.replaceAll('-', '_')}`];
  return env[`npm_config_${name.slice('no-'.length).replaceAll('-', '_')}`] === '' ? 'true' : undefined;
}
