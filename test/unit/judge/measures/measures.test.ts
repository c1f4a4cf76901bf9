import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { medianInterval, medianOf } from '../../../../lab/judge/measures/statistics.ts';
import { medianSlope } from '../../../../lab/judge/measures/theil-sen.ts';
import type { CellRecord } from '../../../../lab/model/evidence/observation.ts';
import { judgeCapture, withLines, type Capture } from '../../../fixtures/evidence/load-capture.ts';
import {
  bound,
  everySecond,
  toldSamples,
  ZOMBIES,
  type RunTold,
} from '../../../fixtures/evidence/samples.ts';
import { CAST, scopeOf } from '../../../fixtures/told/cast.ts';
import { cases } from '../../../fixtures/properties.ts';

const SAMPLES = 'node-1/samples.jsonl';
/** One zombie more each second. */
const RISING = everySecond((second) => `zombies ${second - 3}\n`);
const FLAT = everySecond(() => 'zombies 0\n');

const verdictOf = (runs: readonly RunTold[], ...given: Parameters<typeof bound>): string =>
  judgeCapture(toldSamples(runs, [bound(...given)])).verdict;
const noteOf = (runs: readonly RunTold[], ...given: Parameters<typeof bound>): string | undefined =>
  judgeCapture(toldSamples(runs, [bound(...given)])).note;

describe('a measure', () => {
  it('holds or does not hold by its last, its largest, its middle number or its slope', () => {
    expect(verdictOf(RISING, { atLeast: 26 })).toBe('passed');
    expect(verdictOf(RISING, { atLeast: 27 })).toBe('failed');
    expect(verdictOf(RISING, { statistic: 'median', between: [13, 14] })).toBe('passed');
    expect(verdictOf(RISING, { statistic: 'slope', between: [59, 61] })).toBe('passed');
    expect(verdictOf(FLAT, { statistic: 'max', atMost: 0 })).toBe('passed');
    expect(verdictOf(RISING, { statistic: 'max', atMost: 0 })).toBe('failed');
    expect(verdictOf(FLAT, { statistic: 'slope', atLeast: 1 })).toBe('failed');
  });

  it('says what was found, where, and why it was expected', () => {
    const judged = judgeCapture(toldSamples(RISING, [bound({ atMost: 3 })]));
    expect(judged.mismatches).toEqual([
      { field: 'measures.zombies', expected: 'last at most 3', observed: 'last 26' },
    ]);
    expect(judged.measures).toMatchObject([
      {
        measure: 'zombies',
        unit: '',
        n: 26,
        last: 26,
        max: 26,
        median: 13.5,
        medianBetween: { low: 8, high: 19 },
        bounds: [
          {
            statistic: 'last',
            expected: 'at most 3',
            value: 26,
            holds: false,
            reason: 'one orphan a second',
          },
        ],
      },
    ]);
    expect(judged.measures?.[0]?.points[0]).toEqual({
      at: '2025-10-09T08:53:24.000Z',
      value: 1,
      source: 'samples',
      file: SAMPLES,
      line: 2,
    });
  });

  it('counts up to its time alone', () => {
    const late = everySecond((second) => `zombies ${second < 20 ? 0 : 9}\n`);
    expect(verdictOf(late, { statistic: 'max', atMost: 0, bySeconds: 15 })).toBe('passed');
    expect(verdictOf(late, { statistic: 'max', atMost: 0, bySeconds: 20 })).toBe('failed');
  });

  it('is of the judged container: what was sampled in another one does not count', () => {
    const other = RISING.map((run, index) => ({
      ...run,
      cgroup: index < 20 ? scopeOf('ab'.repeat(32)) : scopeOf(CAST.container),
    }));
    expect(judgeCapture(toldSamples(other, [bound({ atLeast: 1 })])).measures).toMatchObject([{ n: 6 }]);
    expect(
      noteOf(
        RISING.map((run) => ({ ...run, cgroup: '' })),
        { atLeast: 1 },
      ),
    ).toContain('nothing was measured');
  });

  it('is shown of a cell that expects nothing of it', () => {
    const { record, files } = toldSamples(RISING, [bound({ atLeast: 1 })]);
    const judged = judgeCapture({ files, expected: {}, record: { ...record, expected: { killer: 'none' } } });
    expect(judged).toMatchObject({ verdict: 'passed', measures: [{ n: 26, bounds: [] }] });
  });

  it('stands beside a killer: both have to be right', () => {
    const { record, files } = toldSamples(RISING, [bound({ atLeast: 26 })]);
    const wanted = (killer: 'none' | 'memcg-oom', atLeast: number): string =>
      judgeCapture({
        files,
        expected: {},
        record: { ...record, expected: { killer, measures: [bound({ atLeast })] } },
      }).verdict;
    expect(wanted('none', 26)).toBe('passed');
    expect(wanted('memcg-oom', 26)).toBe('failed');
    expect(wanted('none', 27)).toBe('failed');
  });
});

describe('a measure that its scenario declares', () => {
  const QUEUE = everySecond((second) => `queue-s ${second}\n`);
  const declared: NonNullable<CellRecord['measures']> = {
    'queue-s': { unit: 's', of: 'node', means: 'how long it waits', sane: [0, 99] },
  };
  const sampler = { ...ZOMBIES, script: 'echo "queue-s 1"' };
  const toldQueue = (measures: CellRecord['measures'], runs: readonly RunTold[] = QUEUE): Capture => {
    const capture = toldSamples(runs, [bound({ measure: 'queue-s', atMost: 30 })]);
    return { ...capture, record: { ...capture.record, samplers: [sampler], measures } };
  };

  it('is read with the unit that the cell saved', () => {
    const judged = judgeCapture(toldQueue(declared));
    expect(judged).toMatchObject({
      verdict: 'passed',
      measures: [{ measure: 'queue-s', unit: 's', n: 26, last: 29, bounds: [{ expected: 'at most 30 s' }] }],
    });
  });

  it('counts while the victim runs, when it is of the victim', () => {
    const elsewhere = QUEUE.map((run) => ({ ...run, cgroup: '' }));
    expect(judgeCapture(toldQueue(declared, elsewhere)).measures).toMatchObject([{ n: 26 }]);
    const ofVictim: CellRecord['measures'] = {
      'queue-s': { unit: 's', of: 'victim', means: 'how long it waits', sane: [0, 99] },
    };
    expect(judgeCapture(toldQueue(ofVictim, elsewhere)).measures).toMatchObject([{ n: 0 }]);
  });

  it('is void when a number cannot be, and when the cell declares no such measure', () => {
    const tooMuch = QUEUE.map((run) => ({ ...run, out: 'queue-s 100\n' }));
    expect(judgeCapture(toldQueue(declared, tooMuch))).toMatchObject({ verdict: 'inconclusive' });
    expect(judgeCapture(toldQueue(declared, tooMuch)).note).toContain('which is not between 0 and 99');
    expect(judgeCapture(toldQueue({})).note).toContain('it printed "queue-s", which is not a measure');
  });

  it('has no unit in an older cell, which does not say what its measures are', () => {
    expect(judgeCapture(toldQueue(undefined))).toMatchObject({
      verdict: 'passed',
      measures: [{ measure: 'queue-s', unit: '', n: 26, bounds: [{ expected: 'at most 30' }] }],
    });
  });

  it('has its place where the samplers print it', () => {
    const both = everySecond((second) => `queue-s ${second}\nzombies 0\n`);
    const { record, files } = toldQueue(declared, both);
    const script = '# zombies come last\necho "queue-s 1"\necho "zombies 0"\n';
    const judged = judgeCapture({
      files,
      expected: {},
      record: { ...record, samplers: [{ ...sampler, script }] },
    });
    expect(judged.measures?.map(({ measure }) => measure)).toEqual(['queue-s', 'zombies']);
  });
});

describe('nobody knows a number', () => {
  it.each<[string, Partial<RunTold>, string]>([
    ['failed', { status: 3, err: 'no such file\n' }, 'it ended with status 3: no such file'],
    ['hung', { status: 124 }, 'it did not end within 5 s'],
    ['printed a sentence', { out: 'zombies are many\n' }, 'which is not "<measure> <number>"'],
    ['printed an unknown measure', { out: 'zombie 3\n' }, '"zombie", which is not a measure'],
    ['printed a number that cannot be', { out: 'zombies -1\n' }, 'which is not between 0 and'],
    ['printed one twice', { out: 'zombies 1\nzombies 2\n' }, 'zombies twice'],
  ])('when a run of its sampler %s', (_, run, why) => {
    const runs = RISING.map((rising, index) => (index === 9 ? { ...rising, ...run } : rising));
    const { verdict, note, measures } = judgeCapture(toldSamples(runs, [bound({ atLeast: 26 })]));
    expect(verdict).toBe('inconclusive');
    expect(note).toContain(why);
    expect(note).toContain(`${SAMPLES}:11`);
    expect(measures?.[0]?.bounds[0]).toMatchObject({ holds: null });
    expect(measures?.[0]?.bounds[0]?.value).toBeUndefined();
  });

  it('of few samples, after a silence, or when the last one came too early', () => {
    expect(noteOf(RISING.slice(0, 4), { atLeast: 1 })).toContain('measured 4 times, which is fewer than 5');
    expect(verdictOf(RISING.slice(0, 4), { atLeast: 1, samples: 4 })).toBe('passed');
    const mute = RISING.map((run) => ({ ...run, out: '\n' }));
    expect(noteOf(mute, { atMost: 99 })).toContain('nothing was measured');
    expect(verdictOf(mute, { atMost: 99 })).toBe('inconclusive');
    const silent = RISING.filter(({ at }) => at < 8 || at > 19);
    expect(noteOf(silent, { atLeast: 1 })).toContain('no sample for 13 s');
    expect(noteOf(RISING.slice(0, 10), { atLeast: 1, bySeconds: 20 })).toContain(
      'the last sample is 10 s too early',
    );
  });

  it('of a victim that was starved', () => {
    const starved = toldSamples(RISING, [bound({ atLeast: 26 })], (story) => {
      story.values(4, scopeOf(CAST.container), 'cpu.pressure', { some: 0, full: 0 });
      story.values(29, scopeOf(CAST.container), 'cpu.pressure', { some: 24e6, full: 24e6 });
    });
    expect(judgeCapture(starved)).toMatchObject({ verdict: 'inconclusive' });
    expect(judgeCapture(starved).note).toContain('starved');
  });
});

describe('forks that the limit refused', () => {
  const refusing = (max: number): Capture =>
    toldSamples(FLAT, [bound({ measure: 'forks-refused', statistic: 'max', atLeast: 1 })], (story) =>
      story.values(20, scopeOf(CAST.container), 'pids.events', { max }),
    );

  it('are read from the cgroup, of which every change is told', () => {
    expect(judgeCapture(refusing(7))).toMatchObject({
      verdict: 'passed',
      measures: [{ measure: 'zombies' }, { measure: 'forks-refused', max: 7 }],
    });
    expect(judgeCapture(refusing(0)).verdict).toBe('failed');
  });

  it('are unknown once a record of the witness is missing', () => {
    const cut = withLines(refusing(7), 'node-1/witness.jsonl', (lines) =>
      lines.filter((line) => !(line.includes('pids.events') && line.includes('"max":"7"'))),
    );
    expect(judgeCapture(cut).verdict).toBe('inconclusive');
  });
});

describe('taking samples away', () => {
  const given: readonly (readonly [string, Capture])[] = [
    ['a cell that failed', toldSamples(RISING, [bound({ atMost: 3 })])],
    [
      'one that failed by its largest number',
      toldSamples(RISING, [bound({ statistic: 'max', atMost: 25, samples: 1 })]),
    ],
    [
      'one that failed by its slope',
      toldSamples(FLAT, [bound({ statistic: 'slope', atLeast: 1, samples: 1 })]),
    ],
    [
      'one whose sampler failed once',
      toldSamples([...RISING.slice(0, 25), { at: 29, out: 'junk' }], [bound({ atLeast: 1, samples: 1 })]),
    ],
    ['one that passed', toldSamples(RISING, [bound({ statistic: 'median', between: [13, 14], samples: 1 })])],
  ];

  it.each(given)('never makes passed out of anything else: %s', (_, capture) => {
    const before = judgeCapture(capture).verdict;
    const count = (capture.files.get(SAMPLES) ?? '').trimEnd().split('\n').length;
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(count - 1), { minLength: 1, maxLength: count }), (taken) => {
        const left = withLines(capture, SAMPLES, (lines) =>
          lines.filter((__, index) => !taken.includes(index)),
        );
        const { verdict } = judgeCapture(left);
        expect(['inconclusive', before === 'failed' ? 'failed' : 'inconclusive']).toContain(verdict);
      }),
      { numRuns: cases(50) },
    );
  });

  it('cannot be hidden by another order of the lines', () => {
    const capture = toldSamples(RISING, [bound({ atLeast: 26 })]);
    const judged = judgeCapture(withLines(capture, SAMPLES, (lines) => lines.toReversed()));
    expect(judged).toMatchObject({ verdict: 'passed', measures: [{ last: 26 }] });
  });
});

describe('statistics', () => {
  it('of few numbers are what they are by hand', () => {
    expect([medianOf([]), medianOf([3]), medianOf([4, 1]), medianOf([9, 1, 5])]).toEqual([
      undefined,
      3,
      2.5,
      5,
    ]);
    expect(medianSlope([{ at: 0, value: 1 }])).toBeUndefined();
    expect(
      medianSlope([
        { at: 0, value: 1 },
        { at: 30_000, value: 2 },
      ]),
    ).toBe(2);
  });

  it('an outlier does not move a slope', () => {
    const points = Array.from({ length: 21 }, (_, index) => ({
      at: index * 1000,
      value: index === 20 ? 9999 : index,
    }));
    expect(medianSlope(points)).toBe(60);
  });

  it('the interval of a median is that of the sign test', () => {
    const upTo = (n: number): number[] => Array.from({ length: n }, (_, index) => index + 1);
    // Table of the binomial distribution with p = 1/2: ranks of the 95 % interval.
    expect(medianInterval(upTo(5))).toBeUndefined();
    expect(medianInterval(upTo(6))).toEqual({ low: 1, high: 6 });
    expect(medianInterval(upTo(10))).toEqual({ low: 2, high: 9 });
    expect(medianInterval(upTo(20))).toEqual({ low: 6, high: 15 });
    expect(medianInterval(upTo(2000))).toEqual({ low: 956, high: 1045 });
  });
});
