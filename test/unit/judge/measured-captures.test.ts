import { describe, expect, it } from 'vitest';
import { judgeCapture, loadCapture, withExpected } from '../../fixtures/evidence/load-capture.ts';

/** Captures of a measured bug: the affected cell, the fixed one, and the measures that tell them apart. */
const PAIRS: [affected: string, fixed: string, apart: string[]][] = [
  ['supercronic-zombies', 'supercronic-zombies--0.2.33', ['zombies', 'forks-refused']],
  ['supercronic-lost-status--0.2.32', 'supercronic-lost-status--0.2.33', ['jobs-failed']],
];

/** Judges what one cell measured by what another one expects; returns the measures that do not hold. */
function missedBounds(name: string, expectationOf: string): string[] {
  const judged = judgeCapture(withExpected(loadCapture(name), loadCapture(expectationOf).record.expected));
  const missed = judged.mismatches.map(({ field }) => field.replace(/^measures\./, ''));
  expect(judged.verdict).toBe(missed.length === 0 ? 'passed' : 'failed');
  return [...new Set(missed)];
}

describe.each(PAIRS)('%s beside %s', (affected, fixed, apart) => {
  it('each keeps its own bounds', () => {
    expect(missedBounds(affected, affected)).toEqual([]);
    expect(missedBounds(fixed, fixed)).toEqual([]);
  });

  it('neither keeps the bounds of the other', () => {
    expect(missedBounds(affected, fixed)).toEqual(apart);
    expect(missedBounds(fixed, affected)).toEqual(apart);
  });
});
