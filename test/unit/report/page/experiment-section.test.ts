import { describe, expect, it } from 'vitest';
import type { Investigated } from '../../../../lab/model/saved/investigate.ts';
import type { ProveResult } from '../../../../lab/model/saved/prove.ts';
import { renderExperiments } from '../../../../lab/report/page/experiment-section.ts';

const EVIL = '<img src=x onerror=alert(1)>\u001b[31m';
const MOMENT = { source: 'pod', at: '2026-01-01T00:00:01.000Z', file: 'pods.jsonl', afterMs: 0 };
const proved: ProveResult = {
  formatVersion: 1,
  run: 'run-1',
  of: { run: 'run-0', address: 'default/oom' },
  named: { killer: 'memcg-oom' },
  conclusion: 'confirmed',
  says: `it died ${EVIL}`,
  runs: 6,
  arms: [
    { kind: 'as-it-was', made: [], of: 2, same: 2, ends: [EVIL], undecided: [EVIL] },
    {
      kind: 'without-cause',
      killer: 'memcg-oom',
      made: [EVIL],
      of: 2,
      same: 0,
      ends: ['2 of 2 survived'],
      undecided: [],
    },
  ],
  timeline: [
    { step: 'end', before: { ...MOMENT, text: `killed ${EVIL}` } },
    { step: 'end', now: { ...MOMENT, text: 'lives' } },
  ],
};
const investigated: Investigated = {
  address: 'default/oom',
  follows: 'world',
  says: `it follows the world: ${EVIL}`,
  legs: [
    {
      kind: 'alone',
      changes: [],
      address: 'default/oom-again-alone',
      passed: 0,
      failed: 2,
      undecided: [EVIL],
    },
    { kind: 'versions', changes: [EVIL], leftOut: EVIL, passed: 0, failed: 0, undecided: [] },
  ],
};

describe('the section of experiments', () => {
  const { text } = renderExperiments(proved, [investigated]);

  it('has the conclusion, what was taken away, both timelines, and what a failure follows', () => {
    expect(text).toContain('confirmed by experiment (N = 6)');
    expect(text).toContain('2 of 2 survived');
    expect(text).toMatch(/<pre[^>]*>[\s\S]*killed[\s\S]*lives/);
    expect(text).toContain('it follows the world');
    expect(text).toContain('href="#cell=default/oom-again-alone"');
    expect(text).toContain('left out: ');
  });

  it('runs no text of evidence, and shows no letter that moves a cursor', () => {
    expect(text).not.toContain('<img');
    expect(text).not.toContain('\u001b');
    expect(text.match(/&lt;img/g)?.length).toBeGreaterThanOrEqual(7);
  });

  it('is nothing for any other run', () => {
    expect(renderExperiments(undefined).text.trim()).toBe('');
  });
});
