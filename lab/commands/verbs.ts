import type { RunVerb } from './context.ts';

/** One verb of the command line, as data. */
export interface Verb {
  readonly name: string;
  /** Positional words as commander writes them: `[selector...]`. */
  readonly words?: string;
  readonly about: string;
  /** Flags: `--dry-run` → what it does. A value is written as `--run <id>`. */
  readonly flags: Readonly<Record<string, string>>;
  /** Shown at the end of the help. */
  readonly example: string;
  /** Further lines of help: what the words mean. */
  readonly details?: string;
  /** Passes every later word on, flags too. */
  readonly passThrough?: boolean;
  /** Imported when the verb runs, so that no verb pays for another. */
  readonly load: () => Promise<RunVerb>;
}

const JSON_FLAG = { '--json': 'print the result as JSON' };
const WORLD_FLAG = { '--world <variant>': 'the world to enter (default: the only one that is up)' };

const SELECTOR_DETAILS = `Selectors:
  default/oom-*  oom-*  v1            globs over addresses, scenarios and variants; several add up
  cgroup=v1,v2 drivers=*              variants by axis; axes not named keep their default
  scenario=… tag=… bug=… set=…        choose scenarios, or start from a named set (default: quick)`;

const VARIANT_DETAILS = `A variant is a name from \`lab list\` (default, v1, systemd+cgroupfs) or axis=value words.`;

/** Every verb, in the order of the help. */
export const VERBS: readonly Verb[] = [
  {
    name: 'up',
    words: '[variant...]',
    about: 'build or restore the world of a variant, and say how to enter it',
    flags: { ...JSON_FLAG, '--keep': 'keep the machines when a step fails, to look at them' },
    details: VARIANT_DETAILS,
    example: 'npm run lab up',
    load: async () => (await import('./up.ts')).runUp,
  },
  {
    name: 'down',
    words: '[variant...]',
    about: 'remove a world (default: the default variant)',
    flags: { ...JSON_FLAG, '--all': 'remove every world' },
    example: 'npm run lab down -- --all',
    load: async () => (await import('./down.ts')).runDown,
  },
  {
    name: 'list',
    words: '[selector...]',
    about: 'show the cells a selector comes to, the skipped ones with their rule, and the cost',
    flags: JSON_FLAG,
    details: SELECTOR_DETAILS,
    example: 'npm run lab list set=full',
    load: async () => (await import('./list.ts')).runList,
  },
  {
    name: 'run',
    words: '[selector...]',
    about: 'run the scenario matrix: bring worlds up, kill, judge, report',
    flags: JSON_FLAG,
    details: SELECTOR_DETAILS,
    example: 'npm run lab run oom-single-container within-limits',
    load: async () => (await import('./run.ts')).runRun,
  },
  {
    name: 'why',
    words: '<address>',
    about: 'show who killed the victim of a cell, with the evidence',
    flags: { ...JSON_FLAG, '--run <id>': 'of this run (default: the newest with that cell)' },
    example: 'npm run lab why default/oom-single-container',
    load: async () => (await import('./why.ts')).runWhy,
  },
  {
    name: 'report',
    words: '[run]',
    about: 'summarise a saved run (default: the newest) and write its JUnit file',
    flags: { ...JSON_FLAG, '--markdown': 'print a Markdown table' },
    example: 'npm run lab report',
    load: async () => (await import('./report.ts')).runReport,
  },
  {
    name: 'shell',
    words: '[words...]',
    about: 'open a root shell on a node, or run one command there',
    flags: WORLD_FLAG,
    passThrough: true,
    example: 'npm run lab shell node-1 uname -- -r',
    load: async () => (await import('./shell.ts')).runShell,
  },
  {
    name: 'kubectl',
    words: '[words...]',
    about: "run the world's own kubectl",
    flags: WORLD_FLAG,
    passThrough: true,
    example: 'npm run lab kubectl get pods -- -A',
    load: async () => (await import('./kubectl.ts')).runKubectl,
  },
  {
    name: 'logs',
    words: '[source]',
    about: 'print a log of a node: kubelet, containerd or kernel',
    flags: WORLD_FLAG,
    example: 'npm run lab logs kubelet',
    load: async () => (await import('./logs.ts')).runLogs,
  },
  {
    name: 'doctor',
    about: 'check the host and say how to fix what is wrong',
    flags: { ...JSON_FLAG, '--fix': 'fix what can be fixed safely' },
    example: 'npm run lab doctor -- --fix',
    load: async () => (await import('./doctor.ts')).runDoctor,
  },
  {
    name: 'gc',
    about: 'remove what crashed labs left on the host',
    flags: { ...JSON_FLAG, '--dry-run': 'print what would be removed' },
    example: 'npm run lab gc -- --dry-run',
    load: async () => (await import('./gc.ts')).runGc,
  },
  {
    name: 'bake',
    words: '[variant...]',
    about: 'build the components and the base image of a variant, start nothing',
    flags: JSON_FLAG,
    details: VARIANT_DETAILS,
    example: 'npm run lab bake',
    load: async () => (await import('./bake.ts')).runBake,
  },
];
