import { JSON_FLAG, LIST_FLAGS, RUN_DETAILS, type Verb } from './verb.ts';

/** The verbs that read saved runs. None of them needs a machine. */
export const SAVED_RUN_VERBS: readonly Verb[] = [
  {
    name: 'why',
    words: '<address-or-run>',
    about: 'show who killed the pod of a cell, with file and line of the proof',
    flags: { ...JSON_FLAG, run: 'look in this run (default: the newest that has the cell)' },
    details: `An address is <variant>/<scenario>; a scenario without a variant means default/<scenario>. ${RUN_DETAILS}
For a run, it shows the only cell, or the first one that did not pass. For a run of \`whodunit prove\`, it shows the
result of the experiment with two timelines: as it was, and without the cause.`,
    answers: ['why', 'prove'],
    examples: [
      'npx whodunit why oom-single-container',
      'npx whodunit why latest',
      'npx whodunit why v1/plain-exit --run latest',
    ],
    load: async () => (await import('../verbs/why.ts')).runWhy,
  },
  {
    name: 'report',
    words: '[run-or-search]',
    about: 'print the summary of a run, and write its report as HTML and JUnit files',
    flags: {
      ...JSON_FLAG,
      format: 'print markdown (ready for an issue), html, junit or json instead',
      table: 'print who was killed and what each layer called it, as Markdown; judges the evidence again',
    },
    unused: [
      {
        flags: ['format'],
        when: (_, { json, format }) => json === true && format !== 'json',
        why: '--json is --format json',
      },
      {
        flags: ['json', 'format'],
        when: (_, { table }) => table === true,
        why: '--table prints only Markdown',
      },
    ],
    details: `${RUN_DETAILS} Without one: the newest.
With the id of a search (bisect or difference), it prints what the search found, and writes its page.`,
    answers: ['run-result', 'bisect', 'difference'],
    examples: [
      'npx whodunit report',
      'npx whodunit report latest --format markdown',
      'npx whodunit report --table',
    ],
    load: async () => (await import('../verbs/report.ts')).runReport,
  },
  {
    name: 'judge',
    words: '<run-or-folder...>',
    about: 'judge saved evidence again, offline, and show what has changed',
    flags: JSON_FLAG,
    details: `${RUN_DETAILS} A folder belongs to one cell (it has a cell.json),
contains the folders of several cells, or was written by autopsy --save. With several words, all their cells are judged.`,
    exits: {
      passed: 'nothing changed',
      failed: 'something changed',
      usage: 'the saved evidence cannot be judged',
    },
    answers: ['rejudged'],
    examples: ['npx whodunit judge latest', 'npx whodunit judge test/fixtures/evidence/oom-single-container'],
    load: async () => (await import('../verbs/judge.ts')).runJudge,
  },
  {
    name: 'check',
    words: '<run-or-folder...>',
    about: 'check the proofs of saved verdicts against the raw files, without the judge',
    flags: JSON_FLAG,
    details: `${RUN_DETAILS} A folder belongs to one cell (it has a cell.json),
or contains the folders of several cells. A separate program, which shares no code with the judge, reads the evidence
again. It checks that each quoted line is there and says what is claimed, that the times fit, and that every other killer
is ruled out (docs/verdicts.md). A cell without a saved result is judged first.`,
    exits: {
      passed: 'all proofs are accepted',
      failed: 'a proof is rejected',
      usage: 'the saved result or the evidence cannot be read',
      inconclusive: 'a result has no proof, so there is nothing to check',
    },
    answers: ['checked'],
    examples: ['npx whodunit check latest', 'npx whodunit check test/fixtures/evidence/oom-single-container'],
    load: async () => (await import('../verbs/check.ts')).runCheck,
  },
  {
    name: 'runs',
    words: '[word...]',
    about: 'list the saved runs: id, date, verdicts, and the words that selected their cells',
    flags: LIST_FLAGS,
    details: `Every command that takes a run accepts latest, its id, or the beginning of exactly one id. Words are searched for in
ids, verdicts, selectors, and in addresses and killers of cells; best matches come first.`,
    answers: ['runs'],
    examples: ['npx whodunit runs', 'npx whodunit runs --json'],
    load: async () => (await import('../verbs/runs.ts')).runRuns,
  },
  {
    name: 'events',
    words: '[run]',
    about: 'show what happened in a run and when, even if the run was killed',
    flags: {
      json: 'print each event as a line of JSON',
      follow: 'keep printing until the run ends or its process dies',
    },
    details: `${RUN_DETAILS} Without one: the newest.`,
    exits: {
      passed: 'the run ended, or is still running',
      host: 'the run broke off: its process died before the end',
    },
    answers: ['event'],
    examples: ['npx whodunit events --follow'],
    load: async () => (await import('../verbs/events.ts')).runEvents,
  },
  {
    name: 'history',
    words: '<address-or-scenario>',
    about: 'show the verdicts of a cell over time: trend, how often it fails, and since when',
    flags: JSON_FLAG,
    details: `Name an address (default/oom-single-container), a scenario on all its variants, or a glob for either. Failure rates are
shown with a 95 % Wilson interval.`,
    answers: ['history'],
    examples: ['npx whodunit history oom-single-container'],
    load: async () => (await import('../verbs/history.ts')).runHistory,
  },
  {
    name: 'diff',
    words: '<runs-or-addresses...>',
    about: 'compare two runs, or two cells: variant, versions, timeline and verdict',
    flags: {
      ...JSON_FLAG,
      run: 'look for both addresses in this run (default: the newest that has each)',
    },
    details: `For two runs it shows flips, other changes, new cells and missing cells. For two runs and an address it compares that cell
in both runs. For two addresses it compares the cells, each from the newest run that has it. A flip is another verdict or
another killer.
${RUN_DETAILS}`,
    exits: { passed: 'no flip', failed: 'at least one flip' },
    answers: ['diff'],
    examples: ['npx whodunit diff default/oom-single-container v1/oom-single-container'],
    load: async () => (await import('../verbs/diff.ts')).runDiff,
  },
  {
    name: 'export',
    words: '<run-or-address>',
    about: 'pack a run or a cell into an archive that others can repeat; known kinds of secrets are replaced',
    flags: {
      ...JSON_FLAG,
      out: 'the archive (default: <id of the run>.tar.gz in the working directory)',
      run: 'look for the address in this run (default: the newest that has the cell)',
    },
    details: `${RUN_DETAILS}

Unpack the archive, then \`whodunit judge <folder>\` judges its evidence, and \`whodunit repro <folder>/replay.yaml\` repeats
the run exactly, or says what is missing for that.`,
    answers: ['export'],
    examples: [
      'npx whodunit export latest',
      'npx whodunit export default/oom-single-container --out oom.tar.gz',
    ],
    load: async () => (await import('../verbs/export.ts')).runExport,
  },
  {
    name: 'mcp',
    about: 'serve saved runs to AI agents over MCP, the Model Context Protocol (read-only)',
    flags: {},
    details: `Speaks MCP on standard input and output. Tools: list_runs, run, why, diff, history, evidence_files, evidence, killers,
scenarios. None of them starts, changes or removes anything. The client starts the server:
  {"command": "npx", "args": ["whodunit", "mcp"]}`,
    examples: ['npx whodunit mcp'],
    load: async () => (await import('../verbs/mcp.ts')).runMcp,
  },
];
