import { END_FIELDS } from '../../model/saved/end-fields.ts';
import { JSON_FLAG, LOCKED_FLAG, NO_WAIT_FLAG, type UnusedFlags, type Verb, type VerbFlags } from './verb.ts';

const SEARCH_FLAGS: VerbFlags = {
  budget: 'the most that it may take: 90m, 1h30m',
  what: `what tells one end from another, of ${END_FIELDS.join(',')} (default: killer,level,how,reason)`,
  saved: 'answer from these saved runs; takes no machine',
  resume: 'go on with the newest (or named) search, as if it had not ended',
  dryRun: 'show what would be run, and what it costs; starts nothing. With --resume: the answer so far',
  markdown: 'print Markdown to paste into an issue',
  ...JSON_FLAG,
  ...LOCKED_FLAG,
  ...NO_WAIT_FLAG,
};

const isResumed: UnusedFlags['when'] = (_, { resume }) => resume === true;
const SEARCH_UNUSED: readonly UnusedFlags[] = [
  { flags: ['what', 'saved'], when: isResumed, why: '--resume asks what was asked before' },
  { flags: ['json'], when: (_, { markdown }) => markdown === true, why: '--markdown prints only Markdown' },
  { flags: ['budget'], when: (_, { saved }) => saved !== undefined, why: 'saved runs cost nothing' },
];

const EXITS: Verb['exits'] = {
  passed: 'found',
  inconclusive: 'a range, several changes, ends that do not differ, or more runs are needed',
};

/** The verbs that say what made the difference (docs/bisect.md). */
export const SEARCH_VERBS: readonly Verb[] = [
  {
    name: 'bisect',
    words: '[cell-or-bug]',
    about: 'find the version with which a death changes, although it may not show each time',
    flags: {
      axis: 'the axis (containerd) or parameter whose versions are searched; of a bug the one in which its sides differ',
      good: 'the version at the one end (default: that of the fixed side of a bug)',
      bad: 'the version at the other end (default: that of the cell)',
      branches: 'search every release line that began before the change, since fixes are backported',
      write: 'write firstBad or firstGood into the file of the bug',
      ...SEARCH_FLAGS,
    },
    unused: [
      {
        flags: ['axis', 'good', 'bad', 'branches'],
        when: isResumed,
        why: '--resume asks what was asked before',
      },
      { flags: ['write'], when: (_, { dryRun }) => dryRun === true, why: '--dry-run writes nothing' },
      ...SEARCH_UNUSED,
    ],
    details: `Red is how the bad end ends, green how the good end does. Any other end is a third colour: it is reported and counts for
neither. A run that is inconclusive, and a version that does not build, is no observation. Each run is kept, so that a
search that was killed goes on with --resume.`,
    exits: EXITS,
    answers: ['bisect'],
    examples: [
      'npx whodunit bisect containerd-2.1.4/oom-label --axis containerd --good 1.6.20 --budget 2h --dry-run',
      'npx whodunit bisect supercronic-lost-status --branches',
      'npx whodunit bisect --resume',
      'npx whodunit bisect containerd-2.1.4/oom-label --axis containerd --good 1.6.20 --saved latest --markdown',
    ],
    load: async () => (await import('../searching/bisect.ts')).runBisect,
  },
  {
    name: 'difference',
    words: '[red-cell] [green-cell]',
    about: 'find the smallest set of axes and parameters that makes a red cell of a green one',
    flags: { repeat: 'run a cell between the two at most this many times (default: 8)', ...SEARCH_FLAGS },
    unused: [
      { flags: ['repeat'], when: isResumed, why: '--resume asks what was asked before' },
      ...SEARCH_UNUSED,
    ],
    details: `Both cells are of one scenario. Halves of their differences are changed in the green cell, each cell is run until it is
like one end or the other (at most 5 % of such decisions are wrong), and every difference that is found is left out once.`,
    exits: EXITS,
    answers: ['difference'],
    examples: [
      'npx whodunit difference systemd+cgroupfs/plain-exit default/plain-exit --dry-run',
      'npx whodunit difference v1_containerd-2.1.4/oom-label default/oom-label --budget 90m',
    ],
    load: async () => (await import('../searching/difference.ts')).runDifference,
  },
];
