import { describe, expect, it } from 'vitest';
import { readEvidence } from '../../../../lab/evidence/read-evidence.ts';
import { openCase } from '../../../../lab/judge/case/open-case.ts';
import { judgeCell, type Judgement } from '../../../../lab/judge/verdict/judge-cell.ts';
import { combineTries, type JudgedTry } from '../../../../lab/judge/verdict/judge-tries.ts';
import type { Outcome } from '../../../../lab/model/declared/scenario.ts';
import type { ShareBound, Tries } from '../../../../lab/model/declared/tries.ts';
import type { CellRecord } from '../../../../lab/model/evidence/observation.ts';
import { loadCapture, type Capture } from '../../../fixtures/evidence/load-capture.ts';
import { Story } from '../../../fixtures/told/story.ts';
import { twoDeaths } from '../../../fixtures/told/two-deaths.ts';
import { indexEvidence } from '../../../../lab/judge/records/evidence-index.ts';

/** Judges a capture as that of a cell with tries; what it says of one death only is left out. */
function judgeTries({ record, files }: Capture, tries: Tries, more: Partial<Outcome> = {}): Judgement {
  const expected: Outcome = { ...record.expected, ...more };
  delete expected.then;
  const tried: CellRecord = { ...record, tries, expected };
  return judgeCell(tried, readEvidence(files, tried));
}

const TWO: Tries = { restarts: 2 };

describe('the deaths of a cell', () => {
  it.each<[string, string, Partial<Outcome>]>([
    ['oom-single-container--v1', 'passed', {}],
    ['oom-single-container--crun', 'passed', {}],
    ['sandbox-limit--runsc-child-seen-first', 'passed', {}],
    ['tmpfs-oom-loop', 'failed', {}],
    ['cron-job-oom--oom-event-lost', 'failed', { reason: ['OOMKilled'] }],
    ['cron-job-oom--oom-event-lost', 'passed', { reason: ['OOMKilled', 'Error'] }],
    ['minute-survivor--systemd+cgroupfs', 'inconclusive', {}],
  ])('of %s are judged each: %s', (name, verdict, more) => {
    expect(judgeTries(loadCapture(name), TWO, more).verdict).toBe(verdict);
  });

  it('have shares, with the interval of each', () => {
    const judged = judgeTries(loadCapture('tmpfs-oom-loop'), TWO);
    const half = {
      count: 1,
      low: expect.closeTo(0.095, 3) as number,
      high: expect.closeTo(0.905, 3) as number,
    };
    expect(judged.tried).toEqual({
      wanted: 2,
      judged: 2,
      asExpected: 1,
      killer: [
        { value: 'container-init-oom', ...half },
        { value: 'memcg-oom', ...half },
      ],
      reason: [
        { value: 'OOMKilled', ...half },
        { value: 'StartError', ...half },
      ],
      exitCode: [
        { value: '128', ...half },
        { value: '137', ...half },
      ],
      bounds: [],
      method: 'wilson-95',
    });
  });

  it('say of how many a mismatch is, and show the first of them', () => {
    expect(judgeTries(twoDeaths(), TWO)).toMatchObject({
      verdict: 'failed',
      attribution: { killer: 'self-exit' },
      mismatches: [
        { field: 'killer', observed: expect.stringMatching(/self-exit.* \(1 of 2 deaths\)$/) as string },
      ],
    });
  });

  it('that did not come leave it open', () => {
    const judged = judgeTries(loadCapture('oom-single-container--v1'), { restarts: 3 });
    expect(judged).toMatchObject({ verdict: 'inconclusive', note: '2 of 3 deaths came' });
  });

  it('beyond those that were asked for do not count', () => {
    expect(judgeTries(loadCapture('tmpfs-oom-loop'), { restarts: 1 }).tried?.judged).toBe(1);
  });

  it('were none: the cell is judged as any other', () => {
    const judged = judgeTries(new Story().lives().capture({ killer: 'memcg-oom' }), TWO);
    expect(judged).toMatchObject({ verdict: 'failed', attribution: { killer: 'none' } });
    expect(judged.tried).toBeUndefined();
  });

  it('of a cell that was interrupted have no verdict', () => {
    const capture = loadCapture('oom-single-container--v1');
    const record = { ...capture.record, interrupted: 'Ctrl-C' };
    expect(judgeTries({ ...capture, record }, TWO)).toMatchObject({ verdict: 'interrupted', note: 'Ctrl-C' });
  });
});

/** Deaths as captures have them: so many times the first of `name`, and so many times the second. */
function deathsOf(
  name: string,
  [firsts, seconds]: readonly [number, number],
  more: Partial<Outcome> = {},
): [JudgedTry, ...JudgedTry[]] {
  const { record, files } = loadCapture(name);
  const expected: Outcome = { ...record.expected, ...more };
  delete expected.then;
  const observations = readEvidence(files, record);
  const index = indexEvidence(observations);
  const nth = (attempt: number): JudgedTry => {
    const ofOne = { ...record, expected: { ...expected, attempt } };
    const file = openCase(ofOne, index, attempt);
    if (file === undefined) throw new Error(`${name} has no death ${attempt}`);
    return { file, judged: judgeCell(ofOne, observations) };
  };
  const [first, second] = [nth(1), nth(2)];
  return [
    ...Array.from({ length: firsts }, () => first),
    ...Array.from({ length: seconds }, () => second),
  ] as [JudgedTry, ...JudgedTry[]];
}

describe('a share of the deaths', () => {
  const LOST = 'cron-job-oom--oom-event-lost'; // Error, then OOMKilled
  const LOOP = 'tmpfs-oom-loop'; // memcg-oom, then container-init-oom
  const OPEN = 'minute-survivor--systemd+cgroupfs'; // kubelet-cgroup-missing, then unknown
  const ALL = { reason: ['OOMKilled', 'Error'] } satisfies Partial<Outcome>;

  it.each<[string, string, readonly [number, number], Partial<Outcome>, ShareBound, string]>([
    ['is settled above', LOST, [1, 19], ALL, { reason: 'OOMKilled', atLeast: 0.7 }, 'passed'],
    ['is not settled', LOST, [4, 16], ALL, { reason: 'OOMKilled', atLeast: 0.7 }, 'inconclusive'],
    ['is settled below', LOST, [14, 6], ALL, { reason: 'OOMKilled', atLeast: 0.7 }, 'failed'],
    ['is small enough', LOST, [1, 49], ALL, { reason: 'Error', atMost: 0.2 }, 'passed'],
    ['is too large', LOST, [20, 30], ALL, { reason: 'Error', atMost: 0.2 }, 'failed'],
    [
      'lets what it names come',
      LOST,
      [1, 49],
      { reason: ['OOMKilled'] },
      { reason: 'Error', atMost: 0.2 },
      'passed',
    ],
    [
      'lets no other come',
      LOST,
      [1, 49],
      { reason: ['StartError'] },
      { reason: 'Error', atMost: 0.2 },
      'failed',
    ],
    ['of the killer lets others come', LOOP, [19, 1], {}, { killer: 'memcg-oom', atLeast: 0.7 }, 'passed'],
    [
      'of another killer lets it come',
      LOOP,
      [49, 1],
      {},
      { killer: 'container-init-oom', atMost: 0.2 },
      'passed',
    ],
    ['of a third one lets none come', LOOP, [49, 1], {}, { killer: 'self-exit', atMost: 0.2 }, 'failed'],
    [
      'of an exit code lets it come',
      LOOP,
      [50, 0],
      { exitCode: [1] },
      { exitCode: 137, atLeast: 0.9 },
      'passed',
    ],
    [
      'is no word about unknown deaths',
      OPEN,
      [49, 1],
      {},
      { killer: 'kubelet-cgroup-missing', atLeast: 0.7 },
      'inconclusive',
    ],
    [
      'is broken whatever unknown ones were',
      OPEN,
      [2, 48],
      {},
      { killer: 'self-exit', atLeast: 0.99 },
      'failed',
    ],
    ['of unknown deaths lets them come', OPEN, [49, 1], {}, { killer: 'unknown', atMost: 0.2 }, 'passed'],
    ['of unknown deaths may be too large', OPEN, [25, 25], {}, { killer: 'unknown', atMost: 0.2 }, 'failed'],
  ])('%s', (_, name, counts, more, bound, verdict) => {
    const all = deathsOf(name, counts, more);
    expect(combineTries({ pods: all.length }, all, [bound]).verdict).toBe(verdict);
  });

  it('counts deaths that did not come for both sides', () => {
    const all = deathsOf(LOST, [0, 20], ALL);
    const judge = (pods: number, atLeast: number): Judgement =>
      combineTries({ pods }, all, [{ reason: 'OOMKilled', atLeast }]);
    expect(judge(24, 0.8)).toMatchObject({
      verdict: 'inconclusive',
      note: '20 of 24 deaths came; not settled: reason OOMKilled in at least 80 % of the deaths; 20 of 24, 64.1 % to 93.3 % in the long run, and 4 that may be either',
    });
    expect(
      combineTries({ pods: 24 }, deathsOf(LOST, [20, 0], ALL), [{ reason: 'OOMKilled', atLeast: 0.5 }]),
    ).toMatchObject({
      verdict: 'failed',
      mismatches: [
        {
          field: 'shares',
          expected: 'reason OOMKilled in at least 50 % of the deaths',
          observed: '0 of 24, 0 % to 13.8 % in the long run',
        },
      ],
    });
  });

  it('is in the result with what became of it', () => {
    const judge = (firsts: number): unknown =>
      combineTries({ pods: 20 }, deathsOf(LOST, [firsts, 20 - firsts], ALL), [
        { reason: 'OOMKilled', atLeast: 0.5 },
      ]).tried?.bounds;
    const expected = 'reason OOMKilled in at least 50 % of the deaths';
    expect(judge(0)).toEqual([{ expected, holds: true }]);
    expect(judge(10)).toEqual([{ expected, holds: null }]);
    expect(judge(20)).toEqual([{ expected, holds: false }]);
  });
});
