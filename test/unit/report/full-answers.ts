import type { Case } from '../../../lab/model/saved/case.ts';
import type { GateResult } from '../../../lab/model/saved/gate.ts';
import type { ProveResult } from '../../../lab/model/saved/prove.ts';
import type { BisectResult, DifferenceResult } from '../../../lab/model/saved/search.ts';
import { FORMAT_VERSION } from '../../../lab/model/files/format-version.ts';

/** Answers with every text that their Markdown prints. */

const AT = '2026-04-12T10:00:00.000Z';
const REF = { source: 'kmsg', at: AT, file: 'node-1/kmsg.log', line: 1, text: 'a record' };

const side = (address: string): GateResult['changed'][number]['base'] => ({
  address,
  of: 3,
  deaths: [
    {
      killer: 'memcg-oom',
      reason: 'a reason',
      exitCode: 137,
      count: 3,
      claims: [{ layer: 'api', says: 'a claim', agrees: false }],
      because: [REF],
      evidence: 'a-run/cells/x',
      text: 'a death',
    },
  ],
  undecided: ['a gap'],
});

const compared = (address: string): GateResult['changed'][number] => ({
  address,
  says: 'a sentence',
  confidence: 0.99,
  base: side(address),
  head: side(address),
  claims: ['another claim'],
});

/** Of `whodunit gate`. */
export const FULL_GATE: GateResult = {
  formatVersion: FORMAT_VERSION,
  baseline: 'base.json',
  head: ['a-run'],
  rule: { confidence: 0.95, least: 3 },
  changed: [compared('default/a')],
  flaky: [compared('default/b')],
  notDecided: [{ address: 'default/c', why: 'a cause' }],
  same: [compared('default/d')],
  new: ['default/e'],
  leftOut: ['default/f'],
};

/** Of `whodunit case`. */
export const FULL_CASE: Case = {
  formatVersion: FORMAT_VERSION,
  title: 'a title',
  links: ['https://e.example/x'],
  facts: [
    {
      name: 'kernel',
      value: '6',
      role: 'works',
      words: 'some words',
      file: 'report.md',
      line: 1,
      note: 'a note',
    },
  ],
  traces: [{ layer: 'kernel', what: 'a record', value: 'oom' }],
  deaths: [],
  variant: { name: 'default', words: ['os=sid'] },
  distances: [{ of: 'os', report: 'theirs', lab: 'ours', why: 'a reason' }],
  candidates: [{ kind: 'bug', name: 'a-bug', title: 'its title', why: 'a reason', command: 'a command' }],
  made: {
    name: 'made',
    changes: ['a change'],
    files: [{ path: 'a.yaml', text: 'a text' }],
    problems: ['a problem'],
  },
  tried: [
    {
      candidate: 'a-bug',
      address: 'default/x',
      outcome: 'not-reproduced',
      because: 'it lives',
      traces: [{ layer: 'api', what: 'a reason', value: 'Error', cell: 'another', state: 'differs' }],
    },
  ],
  problems: ['a problem'],
  next: 'npx whodunit list',
};

const COLOURS = { red: 1, green: 0, other: 1, none: 1, others: ['another end'], why: ['a gap'] };
const ENDS = { green: 'killer=none', red: 'killer=memcg-oom' };

/** Of `whodunit bisect`. */
export const FULL_BISECT: BisectResult = {
  formatVersion: FORMAT_VERSION,
  search: 'a-search',
  what: ['killer'],
  ends: ENDS,
  outcome: 'range',
  runs: 3,
  seconds: 60,
  address: 'default/x',
  axis: 'containerd',
  good: '1',
  bad: '3',
  bug: 'a-bug',
  isFix: false,
  isSaved: true,
  lines: [
    {
      values: ['1', '2', '3'],
      outcome: 'range',
      lastGood: '1',
      firstBad: '3',
      among: ['2', '3'],
      probability: 0.9,
      confirmed: false,
      misfits: ['2'],
      sameBytes: false,
    },
    {
      values: ['4', '5'],
      outcome: 'several-changes',
      among: ['5'],
      probability: 0.5,
      confirmed: false,
      misfits: ['5'],
      sameBytes: false,
    },
  ],
  versions: [
    { value: '1', ...COLOURS },
    { value: '2', ...COLOURS, refused: 'it does not build' },
  ],
  notes: ['a note'],
  mostSeconds: 600,
};

/** Of `whodunit difference`. */
export const FULL_DIFFERENCE: DifferenceResult = {
  formatVersion: FORMAT_VERSION,
  search: 'a-search',
  what: ['killer'],
  ends: ENDS,
  outcome: 'found',
  runs: 3,
  seconds: 60,
  red: 'v1/x',
  green: 'default/x',
  differences: [
    { name: 'cgroup', red: 'one', green: 'two', isNeeded: true },
    { name: 'limit', red: '1Mi', green: '2Mi', isNeeded: true, isUnsure: true },
  ],
  cells: [{ address: 'v1/y', changed: ['cgroup'], ...COLOURS, says: 'a sentence' }],
  mostCells: 4,
  mostSeconds: 600,
};

const moment = (text: string): NonNullable<NonNullable<ProveResult['timeline']>[number]['now']> => ({
  afterMs: 10,
  at: AT,
  source: 'kmsg',
  file: 'kmsg.log',
  line: 1,
  text,
});

/** Of `whodunit prove`. */
export const FULL_PROVE: ProveResult = {
  formatVersion: FORMAT_VERSION,
  run: 'a-proof',
  of: { run: 'a-run', address: 'default/x' },
  named: { killer: 'memcg-oom' },
  conclusion: 'confirmed',
  says: 'a sentence',
  runs: 9,
  probability: 0.99,
  arms: [
    {
      kind: 'without-innocent',
      killer: 'kubelet-eviction',
      takes: 'an eviction',
      made: ['a change', 'another'],
      address: 'default/y',
      of: 3,
      same: 3,
      ends: ['an end', 'another'],
      undecided: ['a gap'],
    },
  ],
  timeline: [{ step: 'cause', before: moment('before'), now: moment('now') }],
};
