import { JSON_FLAG, type Verb } from './verb.ts';

/** The verbs that read saved runs over time, or for programs. */
export const RECORD_VERBS: readonly Verb[] = [
  {
    name: 'events',
    words: '[run]',
    about: 'show what happened in a run and when, also of one that was killed; --follow waits for more',
    flags: {
      json: 'print each event as a line of JSON',
      follow: 'go on until the run ends, or its process dies',
    },
    details: `A run is latest, an id of \`whodunit runs\`, or the beginning of one. Without one: the newest.

Exit code: 0, or 3 when the run broke off: its process is gone, and it did not end.`,
    examples: ['npx whodunit events --follow'],
    load: async () => (await import('../verbs/events.ts')).runEvents,
  },
  {
    name: 'history',
    words: '<address-or-scenario>',
    about: 'show what saved runs said of a cell over time: trend, how often it fails, since when',
    flags: JSON_FLAG,
    details: `An address (default/oom-single-container), a scenario on all its variants, or a glob over either. Shares have the bounds of
a 95 % Wilson interval. An index, .lab/history.jsonl, is made of the run folders and made again when they change.`,
    examples: ['npx whodunit history oom-single-container'],
    load: async () => (await import('../verbs/history.ts')).runHistory,
  },
  {
    name: 'diff',
    words: '<runs-or-addresses...>',
    about: 'compare two runs, or two cells: variant, what they were made of, timeline, verdict',
    flags: {
      ...JSON_FLAG,
      run: 'of two addresses: take them from this run (default: the newest that has them)',
    },
    details: `Two runs (latest, ids, or beginnings of ids): flips, other changes, new cells, gone cells. With an address: that cell in
both. Two addresses: both cells, each from the newest run that has it. A flip is another verdict or another killer.

Exit code: 0 no flip, 1 some.`,
    examples: ['npx whodunit diff default/oom-single-container v1/oom-single-container'],
    load: async () => (await import('../verbs/diff.ts')).runDiff,
  },
  {
    name: 'mcp',
    about: 'answer programs that reason (Model Context Protocol, on standard input and output); reads only',
    flags: {},
    details: `Tools: list_runs, run, why, diff, history, evidence_files, evidence, killers, scenarios. None starts, changes or removes
anything. A client starts it itself: {"command": "npx", "args": ["whodunit", "mcp"]}.`,
    examples: ['npx whodunit mcp'],
    load: async () => (await import('../verbs/mcp.ts')).runMcp,
  },
];
