import { COLD_FLAG, JSON_FLAG, LOCKED_FLAG, NO_WAIT_FLAG, RUN_DETAILS, type Verb } from './verb.ts';

/** The verb that tests a verdict by removing the named cause (docs/prove.md). */
export const PROVE_VERB: Verb = {
  name: 'prove',
  words: '<address-or-run>',
  about: 'stage a saved death again without its cause, and see whether the pod lives',
  flags: {
    ...JSON_FLAG,
    run: 'the run that has the verdict (default: the newest with this cell)',
    repeat: 'runs of each cell in a round (default: 3)',
    budget: 'the most that it may take (90m, 1h30m); each cell is run at least twice',
    markdown: 'print Markdown for an issue',
    dryRun: 'show what is taken away, the cells, and how long they take; starts nothing',
    ...COLD_FLAG,
    ...LOCKED_FLAG,
    ...NO_WAIT_FLAG,
  },
  unused: [
    {
      flags: ['json'],
      when: (_, { markdown }) => markdown === true,
      why: '--markdown prints only Markdown',
    },
    {
      flags: ['markdown'],
      when: (_, { dryRun }) => dryRun === true,
      why: 'nothing has come out before the runs',
    },
  ],
  details: `The death is staged three ways from one snapshot: as it was, without the cause that the verdict names, and without an
innocent suspect. The verdict is confirmed by experiment only if the pod dies as it was, lives without the cause, and
dies without the innocent suspect. Until it is 95 % certain that the rates differ, another round is run, up to 20 runs of each
cell or the budget. Name a run of prove that broke off to continue it. A run that is complete is concluded again, offline;
give it a budget for more rounds. ${RUN_DETAILS}`,
  exits: {
    passed: 'confirmed by experiment',
    failed: 'refuted: without the named cause the pod dies in the same way',
    inconclusive: 'not settled, or no experiment can take this cause away',
  },
  answers: ['prove', 'prove-plan'],
  examples: [
    'npx whodunit prove default/oom-single-container --dry-run',
    'npx whodunit prove oom-single-container --budget 20m',
    'npx whodunit prove latest --markdown',
  ],
  load: async () => (await import('../proving/prove.ts')).runProve,
};
