import { describe, expect, it } from 'vitest';
import { readEvidence } from '../../../../lab/evidence/read-evidence.ts';
import type { CaseFile } from '../../../../lab/judge/case/case-file.ts';
import { openCase } from '../../../../lab/judge/case/open-case.ts';
import { attribute } from '../../../../lab/judge/killer/attribute.ts';
import { weigh } from '../../../../lab/judge/killer/confidence.ts';
import { HYPOTHESES } from '../../../../lab/judge/killer/hypothesis-table.ts';
import type { Hypothesis, LeftTrace } from '../../../../lab/judge/killer/hypothesis.ts';
import { KILLERS } from '../../../../lab/model/killers/killers.ts';
import { captureNames, judgeCapture, loadCapture } from '../../../fixtures/evidence/load-capture.ts';
import { leaveOnly } from '../../../fixtures/evidence/take-away.ts';
import { indexEvidence } from '../../../../lab/judge/records/evidence-index.ts';

const capture = loadCapture('sigkill-from-node');
const file = openCase(capture.record, indexEvidence(readEvidence(capture.files, capture.record))) as CaseFile;
const traced = file.killingSignal?.sent.ref;

const UNSEEN: LeftTrace = {
  sources: [['kmsg']],
  by: 'the kernel log is whole and tells of none',
  wanted: 'the kernel log',
  isSeen: () => false,
};

/** A hypothesis that nothing speaks for. */
const SILENT: Hypothesis = {
  what: 'a made-up end',
  killers: ['seccomp'],
  acts: ['outside'],
  left: UNSEEN,
  hear: () => undefined,
};

const SEEN: Hypothesis = {
  ...SILENT,
  hear: () => ({ killer: 'seccomp', steps: { signal: [traced] }, decisive: [] }),
};

const SUSPECTED: Hypothesis = {
  ...SILENT,
  hear: () => ({
    killer: 'unknown',
    steps: { cause: [traced] },
    decisive: [],
    note: 'it may have been that',
  }),
};

const EXTERNAL = HYPOTHESES.filter(({ killers }) => killers.includes('external-signal'));

describe('the judge hears every hypothesis', () => {
  it.each<[string, Hypothesis, string]>([
    ['one that is seen as well leaves the killer unknown', SEEN, 'unknown'],
    ['one that records speak for does, too', SUSPECTED, 'unknown'],
    [
      'one that predicts another last act is contradicted by the last act',
      { ...SEEN, acts: ['oom'] },
      'external-signal',
    ],
    [
      'one that a record speaks against is contradicted',
      { ...SEEN, against: () => 'it rained' },
      'external-signal',
    ],
    [
      'one that nothing tells apart is explained by the other',
      { ...SEEN, residual: true },
      'external-signal',
    ],
    ['one whose trace is missing in a whole source is contradicted', SILENT, 'external-signal'],
  ])('%s', (_, added, killer) => {
    for (const order of [
      [...EXTERNAL, added],
      [added, ...EXTERNAL],
    ])
      expect(attribute(file, order).conclusion.killer).toBe(killer);
  });

  it('says of a table of two that both are seen, and what would decide', () => {
    const { conclusion, open } = attribute(file, [...EXTERNAL, SEEN]);
    expect(conclusion.note).toContain('a signal from outside and a made-up end');
    expect(open.map(({ what }) => what)).toEqual(['a signal from outside', 'a made-up end']);
  });

  it.each<[string, LeftTrace['sources'], 'excluded' | 'open']>([
    ['excludes what is left over where its source was heard', [['kmsg']], 'excluded'],
    ['leaves what is left over open where no source of its own can tell', [], 'open'],
  ])('%s', (_, sources, where) => {
    const added = { ...SEEN, residual: true, left: { ...UNSEEN, sources } } as const;
    const table = attribute(file, [...EXTERNAL, added]);
    expect(table.conclusion.killer).toBe('external-signal');
    expect(table[where].map(({ what }) => what)).toEqual(['a made-up end']);
  });

  it.each<[string, Partial<Hypothesis>, 'excluded' | 'open']>([
    ['the last act', { acts: ['oom'] }, 'excluded'],
    ['a silence that was earned', {}, 'excluded'],
    ['nothing, when no source can tell', { left: { ...UNSEEN, sources: [] } }, 'open'],
  ])('excludes by %s', (_, change, where) => {
    const table = attribute(file, [...EXTERNAL, { ...SILENT, ...change }]);
    expect(table[where].map(({ what }) => what)).toEqual(['a made-up end']);
  });

  it('is likely at most when another one is open', () => {
    const openOne = { ...SILENT, left: { ...UNSEEN, sources: [] } };
    const { conclusion, open } = attribute(file, [...EXTERNAL, openOne]);
    expect(weigh(file, conclusion, [], open)).toMatchObject({
      confidence: 'likely',
      doubts: [expect.stringContaining('not excluded: a made-up end')],
    });
  });

  it('knows a killer by one more row: nothing else asks for its name or its place', () => {
    const { conclusion } = attribute(file, [...HYPOTHESES.filter((row) => !EXTERNAL.includes(row)), SEEN]);
    expect(conclusion.killer).toBe('seccomp');
  });
});

describe('the table of hypotheses', () => {
  it('has every killer that can be named', () => {
    const named = new Set(HYPOTHESES.flatMap(({ killers }) => killers));
    expect(KILLERS.filter((killer) => killer !== 'unknown' && !named.has(killer))).toEqual([]);
  });

  it.each(captureNames())(
    'is in the verdict on %s, and of a proven one everything else is excluded',
    (name) => {
      const { killer, confidence, excluded = [], open = [] } = judgeCapture(loadCapture(name)).attribution;
      if (confidence === 'proven') expect(open).toEqual([]);
      const rows = new Set([...excluded, ...open].map(({ what }) => what));
      const missing = HYPOTHESES.filter(({ what, killers }) => !killers.includes(killer) && !rows.has(what));
      if (killer !== 'unknown') expect(missing.map(({ what }) => what)).toEqual([]);
    },
  );

  it('names the source that would decide, where one is missing', () => {
    const fewer = leaveOnly(capture, ['pods', 'events', 'kubelet', 'containerd'], 'absent');
    const { open = [] } = judgeCapture(fewer!).attribution;
    expect(open.find(({ what }) => what === 'a signal from outside')?.wanted).toContain('a trace of signals');
  });
});
