import { KEEP_EVIDENCE, PLAN_FLAG_NAMES, PLAN_FLAGS, PLAN_UNUSED, SELECTOR_DETAILS } from './run-verbs.ts';
import { JSON_FLAG, LOCKED_FLAG, NO_WAIT_FLAG, type Verb } from './verb.ts';

const EVIDENCE_DETAILS =
  'With --evidence the cells are those saved below a folder. The shards judge them again, which starts no machine.';

/** The verbs for one run on several hosts (docs/beyond-one-machine.md). */
export const SHARD_VERBS: readonly Verb[] = [
  {
    name: 'plan',
    words: '[selector...]',
    about: 'divide cells into shards for several hosts; starts nothing',
    flags: {
      ...JSON_FLAG,
      shards: 'the number of shards (default: as few as --max-minutes allows)',
      maxMinutes: 'the most minutes that a shard may take (default: 20, unless --shards is given)',
      timings: 'estimate by this timings.jsonl (default: declared estimates, the same everywhere)',
      host: 'what every host has at least, such as memory=64GiB,cpus=16,kvm',
      evidence: 'plan to judge the evidence saved below this folder again',
      out: 'write the plan to this file',
      ...PLAN_FLAGS,
    },
    unused: [
      ...PLAN_UNUSED,
      {
        flags: ['maxMinutes', 'timings', 'host', ...PLAN_FLAG_NAMES],
        when: (_, { evidence }) => evidence !== undefined,
        why: 'judging saved evidence takes no machine, and little time',
      },
    ],
    details: `The same words give the same plan on every host: earlier runs, saved worlds and the memory of this host do not count.
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
    about:
      'print the job file of a plan (Slurm, Kubernetes, GitHub, GitLab, GNU parallel), or build one of its images',
    flags: {
      plan: 'the plan file',
      engine: 'manifest: slurm, indexed-job, github, gitlab or parallel',
      evidence: 'manifest: for a plan that judges, the folder of the evidence on the hosts of the tasks',
      keepEvidence: `manifest: ${KEEP_EVIDENCE}`,
      out: 'manifest: write it to this file',
      shard: 'bake: the number of the image in the plan, or auto (default)',
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
    details: `Actions:
  manifest  print the job file: the number of tasks, what each one needs, and what its exit codes mean
  bake      build the image with this number before the shards start, so that no two shards build the same one`,
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
    flags: { ...JSON_FLAG, plan: 'the plan file', keepEvidence: KEEP_EVIDENCE },
    details: `The words are folders of runs, ids of saved runs, or folders above them. Every planned cell is in the result once. A cell that
two hosts judged differently is inconclusive, and both results are kept as attempts. Merging in any order, or in steps,
gives the same run.`,
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
