import { JSON_FLAG, type Verb } from './verb.ts';

/** The verb that turns a bug report into cells. */
export const CASE_VERB: Verb = {
  name: 'case',
  words: '<path...>',
  about: 'read a bug report: its facts, the nearest variant, and the cells that may reproduce it',
  flags: {
    ...JSON_FLAG,
    markdown: 'print Markdown that can be pasted into the report',
    write: 'write a bug, and a scenario made from its manifests',
    run: 'run the candidates, cheapest first, and compare each death with the traces in the report',
    dryRun: 'with --run: show what would be run, and how long it takes',
  },
  switches: ['run'],
  unused: [
    { flags: ['dryRun'], when: (_, { run }) => run === undefined, why: 'nothing is run without --run' },
    { flags: ['markdown'], when: (_, { json }) => json === true, why: 'it cannot be combined with --json' },
  ],
  details: `Paths are files and folders with the text of a report: Markdown, YAML or logs; - is standard input. The report is only read:
nothing is sent anywhere, nothing in it is executed, and no AI model is asked. Each fact quotes the words that it comes
from. Each difference between the report and the variant is named. With --run, a death counts as reproduced only if no
trace in the report is missing or differs.`,
  exits: {
    passed: 'the report was read; with --run: a death in it was reproduced',
    inconclusive: 'with --run: no death in it was reproduced',
  },
  answers: ['case'],
  examples: [
    'npx whodunit case report.md',
    'npx whodunit case -',
    'npx whodunit case report.md --markdown',
    'npx whodunit case report.md --write',
    'npx whodunit case report.md --run --dry-run',
  ],
  load: async () => (await import('../verbs/case.ts')).runCase,
};
