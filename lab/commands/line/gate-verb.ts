import { GATED_PROGRAMS } from '../../model/variants/gated-programs.ts';
import { COLD_FLAG, JSON_FLAG, LOCKED_FLAG, NO_WAIT_FLAG, type Verb } from './verb.ts';

/** The verb that tests a change of a program, such as runc (docs/gate.md). */
export const GATE_VERB: Verb = {
  name: 'gate',
  words: '[selector...]',
  about: 'check whether a change of runc, containerd, the kubelet or the kernel changes how pods die',
  flags: {
    ...JSON_FLAG,
    for: `the program that changed: ${Object.keys(GATED_PROGRAMS).join(', ')}`,
    from: 'choose only cells that this git diff can break: a file, or - for standard input',
    minutes: 'the most minutes that it may take; cells that tell most per minute come first',
    record: 'write a baseline to this file',
    baseline: 'compare with this baseline',
    base: 'compare with these saved runs; starts no machine',
    head: 'saved runs with the change; starts no machine',
    repeat: 'runs of each cell (default: 3 for a baseline; 1 for a change, and more where it differs)',
    save: 'write gate.json, gate.md and gate.xml (JUnit) into this folder',
    markdown: 'print Markdown for a pull request',
    dryRun: 'show the cells, why, and how long they take; starts nothing',
    ...COLD_FLAG,
    ...LOCKED_FLAG,
    ...NO_WAIT_FLAG,
  },
  unused: [
    {
      flags: ['minutes', 'from', 'repeat', 'dryRun', 'cold'],
      when: (_, { base, head }) => base !== undefined || head !== undefined,
      why: 'saved runs are compared as they are',
    },
    { flags: ['markdown'], when: (_, { json }) => json === true, why: 'it cannot be combined with --json' },
    {
      flags: ['markdown', 'save'],
      when: (_, { record, baseline, base, head }) =>
        record !== undefined && baseline === undefined && (base === undefined || head === undefined),
      why: 'recording compares nothing',
    },
  ],
  details: `A death is described by its killer, level, reason and exit code. The gate fails only if a death became more or less frequent
than in the baseline. Cells are paired even if the version of the program differs: a baseline of runc is compared
with runtime=runc@file:./out/runc. With --baseline, the cells are those of the baseline.`,
  exits: {
    passed: 'every cell was observed, and ends as before',
    failed: 'the death of a cell changed',
    inconclusive: 'no death changed, but a cell is missing or was not observed often enough',
  },
  answers: ['gate', 'gate-plan', 'baseline'],
  examples: [
    'npx whodunit gate --for runc --minutes 60 --record base.json',
    'npx whodunit gate --for runc --minutes 20 --baseline base.json runtime=runc@file:./out/runc',
    'git diff main | npx whodunit gate --for containerd --from - --dry-run',
    'npx whodunit gate --base 20260101 --head latest --markdown',
  ],
  load: async () => (await import('../gating/gate.ts')).runGate,
};
