import { END_FIELDS } from '../../model/saved/end-fields.ts';
import { JSON_FLAG, LOCKED_FLAG, NO_WAIT_FLAG, type UnusedFlags, type Verb, type VerbFlags } from './verb.ts';

const SEARCH_FLAGS: VerbFlags = {
  budget: 'the most time that the search may take: 90m, 1h30m',
  what: `what two outcomes differ in: fields of ${END_FIELDS.join(',')}, and bounds of measures such as zombies.max.atLeast=40 (default: killer,level,how,reason)`,
  saved: 'answer from these saved runs; starts no machine',
  resume: 'resume the newest search, or the named one',
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

/** The verbs that search for the version or the setting which changes a death (docs/bisect.md). */
export const SEARCH_VERBS: readonly Verb[] = [
  {
    name: 'bisect',
    words: '[cell-or-bug]',
    about: 'find the version with which a death changes, even if it does not happen in every run',
    flags: {
      axis: 'the axis (such as containerd) or parameter whose versions are searched (default for a bug: the one in which its sides differ)',
      good: 'the version at one end (default for a bug: that of its fixed side)',
      bad: 'the version at the other end (default: that of the cell)',
      branches: 'search every release line that began before the change, because fixes are backported',
      write: 'write the answer into the file of the bug, as firstBad or firstGood',
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
    details: `Red is how the cell ends with the bad version, green how it ends with the good one. Any other outcome is a third colour: it
is reported, and counts for neither. An inconclusive run counts as not observed, and so does a version that does not
build. Every run is saved, so --resume continues a search that was killed.`,
    exits: {
      passed: 'found',
      inconclusive: 'not found: a range, several changes, ends that do not differ, or too few runs',
    },
    answers: ['bisect'],
    examples: [
      'npx whodunit bisect containerd-2.1.4/oom-label --axis containerd --good 1.6.20 --budget 2h --dry-run',
      'npx whodunit bisect supercronic-lost-status --branches',
      'npx whodunit bisect supercronic-zombies --what zombies.max.atLeast=30 --dry-run',
      'npx whodunit bisect --resume',
      'npx whodunit bisect containerd-2.1.4/oom-label --axis containerd --good 1.6.20 --saved latest --markdown',
    ],
    load: async () => (await import('../searching/bisect.ts')).runBisect,
  },
  {
    name: 'difference',
    words: '[red-cell] [green-cell]',
    about: 'find the smallest set of axes and parameters that turns a green cell into a red one',
    flags: { repeat: 'run each cell between the two at most this many times (default: 8)', ...SEARCH_FLAGS },
    unused: [
      { flags: ['repeat'], when: isResumed, why: '--resume asks what was asked before' },
      ...SEARCH_UNUSED,
    ],
    details: `Both cells have the same scenario. Red is how the first one ends, green how the second one does. The search applies half of
their differences to the green cell, then halves of that half, until no difference can be left out. Each cell in between
is run until it is clearly red or green (at most 5 % of these decisions are wrong). At the end, every difference that was
found is left out once more, as a check.`,
    exits: { passed: 'found', inconclusive: 'not found: ends that do not differ, or too few runs' },
    answers: ['difference'],
    examples: [
      'npx whodunit difference systemd+cgroupfs/plain-exit default/plain-exit --dry-run',
      'npx whodunit difference v1_containerd-2.1.4/oom-label default/oom-label --budget 90m',
    ],
    load: async () => (await import('../searching/difference.ts')).runDifference,
  },
];
