import { namesOf } from '../../model/text/names-of.ts';
import { isListKind } from '../context/list-words.ts';
import {
  COLD_FLAG,
  JSON_FLAG,
  LIST_FLAGS,
  LOCKED_FLAG,
  NO_WAIT_FLAG,
  type Verb,
  type VerbFlags,
} from './verb.ts';

/** The flags that choose among the selected cells and order them. */
export const PLAN_FLAGS = {
  pairwise: 'pick the fewest of these cells that still cover every pair of values',
  sample: 'draw this many of these cells at random; --seed decides which',
  sampleWorlds:
    'draw this many worlds first, and the cells of --sample from these, as many from each as from any other',
  seed: 'shuffle the order of worlds and cells (default: nearest to the default variant first); with --sample: decide the draw',
} satisfies VerbFlags;

/** The names of {@link PLAN_FLAGS}, for calls in which none of them has an effect. */
export const PLAN_FLAG_NAMES = namesOf(PLAN_FLAGS);

/** The help of `--keep-evidence`, for every verb that has it. */
export const KEEP_EVIDENCE =
  'keep the evidence only of these cells: all, failed, or failed,1% (failed ones, and 1% of the others)';

/** The calls in which a flag of {@link PLAN_FLAGS} has no effect. */
export const PLAN_UNUSED: NonNullable<Verb['unused']> = [
  {
    flags: ['sample'],
    when: (_, { seed }) => seed === undefined,
    why: 'it needs --seed, by which anybody draws the same cells',
  },
  {
    flags: ['sample'],
    when: (_, { pairwise }) => pairwise === true,
    why: '--pairwise chooses the cells',
  },
  {
    flags: ['sampleWorlds'],
    when: (_, { sample }) => sample === undefined,
    why: 'it is about how --sample draws',
  },
];

const DRY_RUN = 'show what would be run, and how long it takes; starts nothing';

/** The help about selectors. */
export const SELECTOR_DETAILS = `A scenario is a way to kill a pod. A variant is a configuration of the cluster. A cell is one scenario on one variant.
Its address is <variant>/<scenario>, followed by [name=value,…] if the workload has parameters that are not at their
default. Selectors choose among all scenarios, on the default variant unless they name another one. Without selectors:
the set quick.

Selectors:
  default/oom-*  oom-*  v1            globs for addresses, scenarios and variants; several of them add up
  cgroup=v1,v2 drivers=*              variants by axis; other axes keep their default, and * means all named values
  kubernetes=1.29.14 containerd=2.1.4 any exact version; your own build as file:<path>, a checkout as git:<folder>
  limit=64Mi  'oom-*[limit=64Mi]'     scenarios that have this parameter, with these values; * means all values
  scenario=… tag=…                    only these scenarios; globs and commas are allowed
  bug=…                               affected, fixed and control cells of a bug, and its table; with axes: its scenario there
  set=quick, deaths, nightly or full  a named set of matrix.yaml, which the other words then filter`;

/** The verbs that choose and run cells. */
export const RUN_VERBS: readonly Verb[] = [
  {
    name: 'list',
    words: '[kind] [word...]',
    about:
      'list cells (what a run would include, and what it costs), scenarios, bugs, killers, runs or worlds',
    flags: {
      ...LIST_FLAGS,
      ...PLAN_FLAGS,
      ...COLD_FLAG,
      summary: 'count the cells of each world and of each rule',
    },
    unused: [
      ...PLAN_UNUSED,
      {
        flags: ['output'],
        when: (_, { summary, output }) => summary === true && output !== 'json',
        why: '--summary prints counts, not a list',
      },
      {
        flags: [...PLAN_FLAG_NAMES, 'cold', 'summary'],
        when: ([kind = '']) => isListKind(kind) && kind !== 'cells',
        why: 'it is about cells',
      },
    ],
    details: `The kind is cells, scenarios, bugs, killers, runs or worlds. Words after scenarios, bugs, killers and runs are searched
for. Without a kind, and after cells, words are selectors. A scenario with the name of a kind is selected by
scenario=<name>.

${SELECTOR_DETAILS}`,
    answers: ['list', 'list-summary', 'scenarios', 'bugs', 'killers', 'runs', 'status'],
    examples: [
      'npx whodunit list set=full --summary',
      'npx whodunit list set=full --sample 150 --seed 1',
      'npx whodunit list bugs memory oom',
      'npx whodunit list runs failed',
      "npx whodunit list 'oom-*' cgroup=v1,v2",
      'npx whodunit list drivers=* plain-exit --json',
    ],
    load: async () => (await import('./list-by-kind.ts')).runListByKind,
  },
  {
    name: 'run',
    words: '[selector...]',
    about: 'run scenarios: start the clusters, let pods die, and prove who killed each',
    flags: {
      ...JSON_FLAG,
      ...PLAN_FLAGS,
      ...COLD_FLAG,
      lastFailed: 'run the cells that failed or were inconclusive in the newest run',
      resume: 'resume the newest run, or the named one: run its cells that have no verdict',
      failFast: 'stop after the first failed cell',
      investigate: 'run each failed cell again in other ways, and say what the failure follows',
      dryRun: DRY_RUN,
      plan: 'run a shard of this plan file, made by `whodunit plan`',
      shard:
        'which shard: 3, 3/8 (without a plan), or auto (from Slurm, an Indexed Job, Buildkite, CircleCI, GitLab or WHODUNIT_SHARD)',
      evidence: 'the folder of the saved evidence, for a plan that only judges',
      keepEvidence: KEEP_EVIDENCE,
      parallel:
        'how many worlds may run at once (default: as many as the CPUs allow; two CPUs each when emulated)',
      lanes:
        'fork each world this many times, and divide its cells among the forks; auto: as many as CPUs and memory admit (default: 1)',
      exitFor:
        'use the exit codes that another program expects: git-bisect (0 good, 1 bad, 125 skip, 255 stop)',
      ...LOCKED_FLAG,
      ...NO_WAIT_FLAG,
    },
    unused: [
      ...PLAN_UNUSED,
      {
        flags: ['lastFailed', ...PLAN_FLAG_NAMES],
        when: (_, { resume }) => resume === true,
        why: '--resume runs what was planned',
      },
      {
        flags: ['plan', 'shard', 'evidence'],
        when: (_, { resume, lastFailed }) => resume === true || lastFailed === true,
        why: 'a run knows which shard it is',
      },
      {
        flags: PLAN_FLAG_NAMES,
        when: (_, { plan }) => plan !== undefined,
        why: 'the plan has its cells and their order',
      },
      {
        flags: ['investigate'],
        when: (_, { plan, shard }) => plan !== undefined || shard !== undefined,
        why: 'a shard runs what its plan has, and others wait for it',
      },
      {
        flags: ['investigate'],
        when: (_, { exitFor }) => exitFor !== undefined,
        why: '--exit-for asks whether the cell fails, and not why',
      },
      {
        flags: ['evidence'],
        when: (_, { plan }) => plan === undefined,
        why: 'it belongs to a plan that judges: --plan',
      },
    ],
    details: `${SELECTOR_DETAILS}

Several worlds run at once if memory and CPUs allow it. A world that has no cells left is parked when another one needs
the memory: its machines are switched off, and its snapshot is kept.

A lane is a fork of a saved world, on machines of its own. As soon as a lane is free, it takes the longest cell that is
left. It is removed when no cell is left.

With --investigate a failed cell is run again by itself, in a fresh world, with the programs and with the scenario of its last
good run (docs/prove.md); --dry-run shows which of these there are, and their cost.`,
    exits: {
      passed: 'all cells passed or were skipped',
      failed: 'some failed',
      inconclusive: 'some were inconclusive',
      interrupted: 'interrupted',
    },
    answers: ['run-result', 'list'],
    examples: [
      'npx whodunit run oom-single-container within-limits',
      'npx whodunit run cgroup=v1 tag=oom --dry-run',
      'npx whodunit run --last-failed',
      'npx whodunit run oom-single-container --investigate --dry-run',
      'npx whodunit run --resume',
      'npx whodunit run set=deaths --lanes auto --dry-run',
      'npx whodunit run --exit-for git-bisect oom-single-container',
      'npx whodunit run --plan plan.json --shard auto',
      'npx whodunit run set=deaths --shard 3/8',
    ],
    load: async () => (await import('../verbs/run.ts')).runRun,
  },
  {
    name: 'repro',
    words: '<bug-or-replay>',
    about: 'reproduce a reported bug: run an affected and a fixed variant, and compare the verdicts',
    flags: {
      ...JSON_FLAG,
      markdown: 'print only the Markdown for the issue',
      affected: 'change axes or parameters of the affected side: does the bug still happen with these?',
      fixed: 'change axes or parameters of the fixed side',
      repeat: 'run each side this many times (default: from the bug file)',
      prove: 'then take the cause away on the affected side, and see whether the pod lives (as prove does)',
      ...LOCKED_FLAG,
      ...NO_WAIT_FLAG,
      dryRun: DRY_RUN,
    },
    unused: [
      {
        flags: ['json'],
        when: (_, { markdown }) => markdown === true,
        why: '--markdown prints only Markdown',
      },
      {
        flags: ['prove'],
        when: ([word = '']) => /\.ya?ml$/.test(word),
        why: 'a replay is repeated exactly',
      },
      {
        flags: ['prove'],
        when: (_, { dryRun }) => dryRun === true,
        why: 'what can be taken away is known after the runs',
      },
    ],
    details: `A bug is an id from \`whodunit bugs\`, the link of an issue or pull request, or kubernetes#131567. Write it before
--affected and --fixed, which take all words up to the next flag.

Instead of a bug you can name a replay.yaml of \`whodunit export\`. It is repeated exactly; if that is not possible, nothing
is started, and everything that has changed since is named.`,
    exits: {
      passed: 'reproduced',
      failed: 'not reproduced',
      inconclusive: 'inconclusive',
      interrupted: 'interrupted',
    },
    answers: ['repro', 'list', 'run-result'],
    examples: [
      'npx whodunit repro driver-mismatch-kill-loop',
      'npx whodunit repro https://github.com/kubernetes/kubernetes/issues/131567 --dry-run',
      'npx whodunit repro driver-mismatch-kill-loop --affected kubernetes=1.36',
    ],
    load: async () => (await import('../verbs/repro.ts')).runRepro,
  },
];
