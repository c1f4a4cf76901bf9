import { describe, expect, it } from 'vitest';
import { judgeCapture } from '../../fixtures/evidence/load-capture.ts';
import { findWrongAnswer } from '../../fixtures/evidence/other-answer.ts';
import { leaveOnly, modesOf, SUBSETS } from '../../fixtures/evidence/take-away.ts';
import { findFault, isRight, judgedCases } from '../../fixtures/judged-cases/load-judged-case.ts';

const cases = judgedCases();
/** So many must be named right, and not left unknown where a name can be proven. */
const RIGHT = 42;

describe('a case that was made to fool the judge', () => {
  it.each(cases.map((judged) => [judged.name, judged] as const))('%s', (_, { capture, answer }) => {
    expect(findFault(judgeCapture(capture).attribution, answer), answer.why).toBeUndefined();
  });

  it(`is judged right in ${RIGHT} cases of ${cases.length}, and unknown in the others`, () => {
    const right = cases.filter(({ capture, answer }) => isRight(judgeCapture(capture).attribution, answer));
    expect(right.length).toBeGreaterThanOrEqual(RIGHT);
  });
});

describe('a source that is missing leaves the killer of a case, or does not exclude it', () => {
  it.each(SUBSETS.flatMap(([name, left]) => modesOf(left).map((mode) => [name, mode, left] as const)))(
    '%s, the others %s',
    (_name, mode, left) => {
      const wrong = cases.flatMap(({ name, capture, answer }) => {
        const fewer = leaveOnly(capture, left, mode);
        if (fewer === undefined) return [];
        const [before, now] = [judgeCapture(capture).attribution, judgeCapture(fewer).attribution];
        const found = findWrongAnswer({ now, before, left, truth: answer.want });
        return found === undefined ? [] : [`${name}: ${found}`];
      });
      expect(wrong).toEqual([]);
    },
  );
});
