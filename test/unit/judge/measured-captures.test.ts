import { describe, expect, it } from 'vitest';
import { judgeCapture, loadCapture, withExpected } from '../../fixtures/evidence/load-capture.ts';

/** Captures of a measured bug: the affected cell, the fixed one, and the measures that tell them apart. */
const PAIRS: [affected: string, fixed: string, apart: string[]][] = [
  ['supercronic-zombies', 'supercronic-zombies--0.2.33', ['zombies', 'forks-refused']],
  ['supercronic-lost-status--0.2.32', 'supercronic-lost-status--0.2.33', ['jobs-failed']],
  ['crowd-becomes-ready--qps-1', 'crowd-becomes-ready', ['ready-lag-s']],
  ['memory-stall', 'memory-stall--min-ttl', ['heartbeat-gap-s']],
];

/** Judges what one cell measured by what another one expects; returns the measures that do not hold. */
function missedBounds(name: string, expectationOf: string): string[] {
  const judged = judgeCapture(withExpected(loadCapture(name), loadCapture(expectationOf).record.expected));
  expect(judged.verdict).toBe(judged.mismatches.length === 0 ? 'passed' : 'failed');
  const missed = judged.mismatches.flatMap(({ field }) => /^measures\.(.*)$/.exec(field)?.[1] ?? []);
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
