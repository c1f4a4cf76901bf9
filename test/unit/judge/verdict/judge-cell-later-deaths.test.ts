import { describe, expect, it } from 'vitest';
import type { Judgement } from '../../../../lab/judge/verdict/judgement.ts';
import type { Outcome } from '../../../../lab/model/declared/scenario.ts';
import { judgeCapture } from '../../../fixtures/evidence/load-capture.ts';
import { NEXT } from '../../../fixtures/told/cast.ts';
import { Story } from '../../../fixtures/told/story.ts';
import { twoDeaths } from '../../../fixtures/told/two-deaths.ts';

function judgeTwoDeaths(expected: Partial<Outcome>): Judgement {
  return judgeCapture(twoDeaths(expected));
}

describe('a later death', () => {
  it('is judged by its number', () => {
    const judged = judgeTwoDeaths({ attempt: 2, reason: ['Error'], exitCode: [137] });
    expect(judged).toMatchObject({ verdict: 'passed', attribution: { killer: 'external-signal' } });
    expect(judged.attribution.proof?.victim).toMatchObject({ containerId: NEXT.id });
  });

  it('is not the first one', () => {
    const judged = judgeTwoDeaths({ attempt: 1, exitCode: [137] });
    expect(judged).toMatchObject({ verdict: 'failed', attribution: { killer: 'self-exit' } });
  });

  it('is any that is as expected', () => {
    expect(judgeTwoDeaths({ attempt: 'any', exitCode: [137] }).verdict).toBe('passed');
    expect(judgeTwoDeaths({ attempt: 'any', killer: 'self-exit', exitCode: [1] }).verdict).toBe('passed');
    expect(judgeTwoDeaths({ attempt: 'any', exitCode: [143] }).verdict).toBe('failed');
  });

  it('fails the cell when it has not come', () => {
    expect(judgeTwoDeaths({ attempt: 3 })).toMatchObject({
      verdict: 'failed',
      mismatches: [{ field: 'attempt', expected: 'death 3 of the victim', observed: 'it ended 2 times' }],
    });
  });

  it.each<[string, Partial<Outcome>, string]>([
    ['stays dead after it', { attempt: 2, then: 'stays-dead' }, 'passed'],
    ['was restarted before it, and not after it', { attempt: 2, then: 'restarts' }, 'failed'],
  ])('%s', (_, expected, verdict) => {
    expect(judgeTwoDeaths(expected).verdict).toBe(verdict);
  });
});

describe('the time of a death', () => {
  it.each<[string, Partial<Outcome>, string[]]>([
    ['is late enough', { attempt: 2, notBeforeSeconds: 5 }, []],
    ['is too early', { attempt: 2, notBeforeSeconds: 10 }, ['notBeforeSeconds']],
    ['is between its bounds', { attempt: 2, notBeforeSeconds: 5, withinSeconds: 10 }, []],
    ['is too late', { attempt: 2, notBeforeSeconds: 1, withinSeconds: 3 }, ['withinSeconds']],
  ])('%s', (_, expected, fields) => {
    expect(judgeTwoDeaths(expected).mismatches.map(({ field }) => field)).toEqual(fields);
  });

  it.each<[string, Partial<Outcome>, string[]]>([
    ['counts from there', { notBeforeSeconds: 15, withinSeconds: 20 }, []],
    ['is too late, though it was asked in time', { withinSeconds: 10 }, ['withinSeconds']],
  ])('is the end and not the request: a program that takes 15 s after SIGTERM %s', (_, expected, fields) => {
    const story = new Story().deletion(6, { takes: 15, code: 7 }).vanishes(21, 7);
    const judged = judgeCapture(story.capture({ killer: 'api-deletion', ...expected }));
    expect(judged.attribution.killer).toBe('api-deletion');
    expect(judged.mismatches.map(({ field }) => field)).toEqual(fields);
  });
});
