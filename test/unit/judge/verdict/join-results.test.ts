import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chooseResults,
  joinDisagreeing,
  type PartialResult,
} from '../../../../lab/judge/verdict/join-results.ts';
import type { Verdict } from '../../../../lab/model/killers/killers.ts';
import { createCell } from '../../report/made-run.ts';

const result = (
  verdict: Verdict,
  run: string,
  killer: 'memcg-oom' | 'global-oom' = 'memcg-oom',
): PartialResult => {
  const cell = createCell('dies', { verdict });
  return {
    cell: { ...cell, attribution: { ...cell.attribution, killer } },
    startedAt: `2026-01-0${run}`,
    run,
  };
};
const runsOf = (results: readonly PartialResult[]): string[] => chooseResults(results).map(({ run }) => run);

describe('which results of a cell count', () => {
  it.each<[string, PartialResult[], string[]]>([
    ['the first of two that agree', [result('passed', '2'), result('passed', '1')], ['1']],
    ['both that disagree on the verdict', [result('failed', '2'), result('passed', '1')], ['1', '2']],
    [
      'both that disagree on the killer',
      [result('passed', '1'), result('passed', '2', 'global-oom')],
      ['1', '2'],
    ],
    ['what was judged, not what could not be', [result('inconclusive', '1'), result('passed', '2')], ['2']],
    [
      'what could not be judged, not what was interrupted',
      [result('interrupted', '1'), result('inconclusive', '2')],
      ['2'],
    ],
    ['none that was interrupted', [result('interrupted', '1')], []],
    ['none of none', [], []],
  ])('%s', (_, results, runs) => {
    expect(runsOf(results)).toEqual(runs);
  });

  it('in any order and in any steps', () => {
    const one = fc
      .tuple(
        fc.constantFrom<Verdict>('passed', 'failed', 'skipped', 'inconclusive', 'interrupted'),
        fc.constantFrom('1', '2', '3', '4', '5'),
        fc.constantFrom('memcg-oom' as const, 'global-oom' as const),
      )
      .map(([verdict, run, killer]) => result(verdict, run, killer));
    const unique = fc.uniqueArray(one, { selector: ({ run }) => run, maxLength: 5 });
    fc.assert(
      fc.property(unique, fc.nat(5), fc.nat(), (results, cut, turn) => {
        const steps = chooseResults([
          ...chooseResults(results.slice(0, cut)),
          ...chooseResults(results.slice(cut)),
        ]);
        const turned = results.map((_, index) => results[(index + turn) % results.length]!);
        expect(steps).toEqual(chooseResults(results));
        expect(chooseResults(turned)).toEqual(chooseResults(results));
        expect(chooseResults(chooseResults(results))).toEqual(chooseResults(results));
      }),
    );
  });
});

describe('results that disagree', () => {
  it('are attempts of a cell without a verdict', () => {
    const [one, other] = [result('passed', '1').cell, result('failed', '2', 'global-oom').cell];
    const joined = joinDisagreeing([
      { ...one, evidence: 'cells/a/host-1' },
      { ...other, evidence: 'cells/a/host-2' },
    ]);
    expect(joined.verdict).toBe('inconclusive');
    expect(joined.note).toBe('hosts disagree: passed (memcg-oom), failed (global-oom)');
    expect(joined.attempts?.map(({ verdict, killer, evidence }) => [verdict, killer, evidence])).toEqual([
      ['passed', 'memcg-oom', 'cells/a/host-1'],
      ['failed', 'global-oom', 'cells/a/host-2'],
    ]);
  });
});
