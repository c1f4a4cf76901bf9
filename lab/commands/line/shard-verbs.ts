import { PLAN_FLAGS, PLAN_UNUSED, SELECTOR_DETAILS } from './run-verbs.ts';
import { JSON_FLAG, LOCKED_FLAG, NO_WAIT_FLAG, type Verb } from './verb.ts';

const KEEP = 'keep the evidence only of these cells: all, failed, or failed,1% (and 1% of those that passed)';
const EVIDENCE_DETAILS =
  'With --evidence the cells are those saved below a folder, and the shards judge them again: that takes no machine.';

/** The verbs for one run on several hosts (docs/beyond-one-machine.md). */
export const SHARD_VERBS: readonly Verb[] = [
  {
    name: 'plan',
    words: '[selector...]',
    about: 'divide cells into shards for several hosts; starts nothing',
    flags: {
      ...JSON_FLAG,
      shards: 'how many (default: as few as --max-minutes allows)',
      maxMinutes: 'what a shard may take (default: 20 without --shards)',
      timings: 'estimate by this timings.jsonl (default: declared estimates, the same everywhere)',
      host: 'what each host has at least, such as memory=64GiB,cpus=16,kvm',
      evidence: 'plan to judge the evidence saved below this folder again',
      out: 'write the plan to this file',
      ...PLAN_FLAGS,
    },
    unused: [
      ...PLAN_UNUSED,
      {
        flags: ['maxMinutes', 'timings', 'host', 'pairwise', 'sample', 'seed'],
        when: (_, { evidence }) => evidence !== undefined,
        why: 'judging saved evidence takes no machine, and little time',
      },
    ],
    details: `The same words make the same plan on every host: earlier runs, saved worlds and memory of this host do not count.
${EVIDENCE_DETAILS}

${SELECTOR_DETAILS}`,
    answers: ['shard-plan'],
    examples: [
      'npx whodunit plan set=full --shards 64 --out plan.json',
      'npx whodunit plan set=full --pairwise --max-minutes 30 --host memory=64GiB,cpus=16,kvm -o plan.json',
      'npx whodunit plan --evidence .lab/runs --shards 8 -o plan.json',
    ],
    load: async () => (await import('../verbs/plan.ts')).runPlanFile,
  },
  {
    name: 'shard',
    words: '<action>',
    about: 'print the file with which an engine runs a plan, or make an image of its first phase',
    flags: {
      plan: 'the plan file',
      engine: 'manifest: slurm, indexed-job, github, gitlab or parallel',
      evidence: 'manifest: of a plan that judges, the folder of the evidence where the tasks run',
      keepEvidence: `manifest: ${KEEP}`,
      out: 'manifest: write it to this file',
      shard: 'bake: which image of the plan, or auto (default)',
      ...LOCKED_FLAG,
      ...NO_WAIT_FLAG,
    },
    unused: [
      {
        flags: ['engine', 'evidence', 'keepEvidence', 'out'],
        when: ([action]) => action === 'bake',
        why: 'shard bake makes an image',
      },
      {
        flags: ['shard', 'locked', 'wait'],
        when: ([action]) => action === 'manifest',
        why: 'shard manifest only writes a file',
      },
    ],
    details: `manifest: a file that holds the number of tasks, what each needs, and what its exit code means. bake: makes the image with this
index, so that no two shards make the same one.`,
    examples: [
      'npx whodunit shard manifest --engine slurm --plan plan.json -o shards.sbatch',
      'npx whodunit shard bake --plan plan.json --shard 1',
    ],
    load: async () => (await import('../verbs/shard.ts')).runShardVerb,
  },
  {
    name: 'merge',
    words: '<run...>',
    about: 'combine the results of all shards of a plan into one run',
    flags: { ...JSON_FLAG, plan: 'the plan file', keepEvidence: KEEP },
    details: `The words are folders of runs, ids of saved runs, or folders above them. Every planned cell is in the result once. A cell that two
hosts judged differently is inconclusive, with both as attempts. Merging in any order or in steps makes the same run.`,
    exits: {
      passed: 'every cell has come back, and all passed or were skipped',
      failed: 'every cell has come back, and some failed',
      inconclusive: 'a cell is missing or inconclusive; what to run again is printed',
    },
    answers: ['merge'],
    examples: [
      'npx whodunit merge shards/ --plan plan.json',
      'npx whodunit merge latest --plan plan.json --json',
    ],
    load: async () => (await import('../verbs/merge.ts')).runMerge,
  },
];
