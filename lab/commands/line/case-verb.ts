import { JSON_FLAG, type Verb } from './verb.ts';

/** The verb that makes cells of reports. */
export const CASE_VERB: Verb = {
  name: 'case',
  words: '<path...>',
  about: 'read a report of somebody: its facts, the nearest variant, and what may show it',
  flags: {
    ...JSON_FLAG,
    markdown: 'print Markdown that can be pasted into the report',
    write: 'write a bug and a scenario made of its manifests',
    run: 'stage the candidates, cheapest first, and hold each against the traces of the report',
    dryRun: 'with --run: what would be staged, and how long it takes',
  },
  switches: ['run'],
  unused: [
    { flags: ['dryRun'], when: (_, { run }) => run === undefined, why: 'nothing is staged without --run' },
    { flags: ['markdown'], when: (_, { json }) => json === true, why: 'it cannot be combined with --json' },
  ],
  details: `Paths are files and folders with the text of a report: Markdown, YAML, logs, or - for standard input. It is read, and never
obeyed: nothing is sent anywhere, nothing in it is executed, and no model is asked. Each fact names the words that it comes
from, and each difference between the report and the variant has a name. With --run a death is called reproduced only when
no trace of the report is missing or differs.`,
  exits: {
    passed: 'the report was read; with --run: a death of it was reproduced',
    inconclusive: 'with --run: no death of it was reproduced',
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
