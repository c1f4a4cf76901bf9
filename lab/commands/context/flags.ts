/** Every flag of every verb: its name in the code, and its form on the command line as commander reads it. */
export const FLAGS = {
  json: '--json',
  project: '--project <folder>',
  output: '-o, --output <format>',
  wait: '--no-wait',
  pairwise: '--pairwise',
  sample: '--sample <cells>',
  sampleWorlds: '--sample-worlds <worlds>',
  seed: '--seed <seed>',
  parallel: '--parallel <worlds>',
  lanes: '--lanes <lanes>',
  keep: '--keep',
  cold: '--cold',
  locked: '--locked',
  all: '--all',
  run: '--run <id>',
  world: '--world <variant>',
  format: '--format <format>',
  table: '--table',
  dryRun: '--dry-run',
  fix: '--fix',
  maxSize: '--max-size <size>',
  allUnused: '--all-unused',
  affected: '--affected <axis=value...>',
  fixed: '--fixed <axis=value...>',
  repeat: '--repeat <runs>',
  markdown: '--markdown',
  write: '--write',
  out: '-o, --out <file>',
  summary: '--summary',
  lastFailed: '--last-failed',
  resume: '--resume',
  failFast: '--fail-fast',
  node: '--node <node>',
  follow: '-f, --follow',
  since: '--since <time>',
  pod: '--pod <ns/name>',
  container: '-c, --container <name>',
  attempt: '--attempt <n>',
  list: '--list',
  save: '--save <folder>',
  redact: '--redact <how>',
  printCommands: '--print-commands',
  timezone: '--timezone <zone>',
  year: '--year <year>',
  kubeconfig: '--kubeconfig <file>',
  context: '--context <name>',
  nodeAccess: '--node-access <way>',
  debugNamespace: '--debug-namespace <ns>',
  shards: '--shards <n>',
  maxMinutes: '--max-minutes <minutes>',
  timings: '--timings <file>',
  host: '--host <class>',
  evidence: '--evidence <folder>',
  plan: '--plan <file>',
  shard: '--shard <index>',
  keepEvidence: '--keep-evidence <which>',
  engine: '--engine <name>',
  for: '--for <program>',
  from: '--from <diff>',
  minutes: '--minutes <minutes>',
  record: '--record <file>',
  baseline: '--baseline <file>',
  base: '--base <run...>',
  head: '--head <run...>',
  prove: '--prove',
  axis: '--axis <axis>',
  good: '--good <value>',
  bad: '--bad <value>',
  budget: '--budget <time>',
  what: '--what <fields>',
  branches: '--branches',
  saved: '--saved <run...>',
  exitFor: '--exit-for <program>',
  investigate: '--investigate',
} as const;

type Spelled = typeof FLAGS;

/** Name of a flag. */
export type FlagName = keyof Spelled;

/** Returns a flag as it is typed, without its value: `--seed`. */
export function spellFlag(name: FlagName): string {
  return FLAGS[name].replace(/^-\w, | .*/g, '');
}

/**
 * The flags of a command line with their values: a list for a flag that takes several words, a text or a number for one
 * that takes one, and `true` (for `--no-…`: `false`) for the others.
 */
export type Flags = {
  readonly [Name in FlagName]?: Name extends NumberFlag
    ? number
    : Spelled[Name] extends `${string} <${string}...>`
      ? readonly string[]
      : Spelled[Name] extends `${string} <${string}>`
        ? string
        : boolean;
};

/** The flags whose value is read as a number (lab/commands/line/flag-values.ts). */
export type NumberFlag =
  | 'parallel'
  | 'repeat'
  | 'maxSize'
  | 'attempt'
  | 'year'
  | 'shards'
  | 'maxMinutes'
  | 'minutes'
  | 'sample'
  | 'sampleWorlds'
  | 'budget';

/** Whether a flag was given. Commander sets a `--no-…` flag to true when it was not. */
export function isGiven(name: FlagName, flags: Flags): boolean {
  return FLAGS[name].startsWith('--no-') ? flags[name] === false : flags[name] !== undefined;
}
