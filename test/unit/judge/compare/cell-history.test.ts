import { describe, expect, it } from 'vitest';
import { readHistories } from '../../../../lab/judge/compare/cell-history.ts';
import type { Verdict } from '../../../../lab/model/killers/killers.ts';
import {
  READING,
  type CellHistory,
  type PastCell,
  type PastRun,
} from '../../../../lab/model/saved/history.ts';

const LETTERS: Readonly<Record<string, Verdict>> = {
  p: 'passed',
  f: 'failed',
  i: 'inconclusive',
  s: 'skipped',
};

/** Runs of `default/a`, one for each letter: p(assed), f(ailed), i(nconclusive), s(kipped). */
const runsOf = (verdicts: string, cell: Partial<PastCell> = {}): PastRun[] =>
  [...verdicts].map((letter, index) => ({
    formatVersion: 1,
    reading: READING,
    run: `r${index}`,
    stamp: '',
    startedAt: `2026-01-${10 + index}T00:00:00.000Z`,
    cells: [
      {
        address: 'default/a',
        scenario: 'a',
        killer: 'none',
        totalMs: (index + 1) * 1000,
        verdict: LETTERS[letter] ?? 'interrupted',
        ...cell,
      },
    ],
  }));

const historyOf = (runs: readonly PastRun[]): CellHistory => {
  const [history] = readHistories(runs, () => true);
  if (history === undefined) throw new Error('no history');
  return history;
};

describe('the history of a cell', () => {
  it('counts what passed or failed, and bounds the share that fails', () => {
    const { failing, changes, medianMs } = historyOf(runsOf('pfipsp'));
    // Wilson 95 % of 1 in 4, as R's prop.test(1, 4, correct = FALSE) prints it.
    expect(failing).toMatchObject({ failed: 1, of: 4, method: 'wilson-95' });
    expect(failing.low).toBeCloseTo(0.0456, 4);
    expect(failing.high).toBeCloseTo(0.6994, 4);
    expect(changes).toBe(2);
    expect(medianMs).toBe(3000);
  });

  it('counts each attempt of a repeated cell', () => {
    const repeated = runsOf('ff', { passed: 3, of: 5 });
    expect(historyOf(repeated).failing).toMatchObject({ failed: 4, of: 10 });
  });

  it.each([
    ['ppff', { run: 'r2', after: 'r1' }],
    ['pfif', { run: 'r1', after: 'r0' }],
    ['ff', { run: 'r0' }],
    ['pffp', undefined],
    ['pf', { run: 'r1', after: 'r0' }],
    ['pfi', { run: 'r1', after: 'r0' }],
    ['ii', undefined],
  ])('of %s it names the first bad run and the last good one', (verdicts, expected) => {
    const { firstBad } = historyOf(runsOf(verdicts));
    if (expected === undefined) expect(firstBad).toBeUndefined();
    else expect(firstBad).toEqual({ startedAt: expect.any(String) as string, ...expected });
  });

  it('goes by when runs began, whatever their ids', () => {
    const [first, second] = runsOf('pf');
    expect(historyOf([second!, first!]).runs.map(({ run }) => run)).toEqual(['r0', 'r1']);
  });

  it('is of each address by itself, and of the wanted ones', () => {
    const runs = [...runsOf('p'), ...runsOf('f', { address: 'v1/a' }), ...runsOf('f', { address: 'v1/b' })];
    const found = readHistories(runs, ({ address }) => address !== 'v1/b');
    expect(found.map(({ address, failing }) => [address, failing.failed])).toEqual([
      ['default/a', 0],
      ['v1/a', 1],
    ]);
  });
});
