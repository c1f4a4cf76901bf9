import { describe, expect, it } from 'vitest';
import { judgeCapture } from '../../fixtures/evidence/load-capture.ts';
import { leaveOnly, modesOf, SUBSETS } from '../../fixtures/evidence/take-away.ts';
import { findFault, isRight, judgedCases } from '../../fixtures/judged-cases/load-judged-case.ts';

const cases = judgedCases();
const CONFIDENCE = ['none', 'likely', 'proven'];
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

/**
 * Only the trace tells of these that a stranger was there, or only an event dates the deadline: without it the records of an
 * ordinary stop are all that is left.
 */
const TOLD_BY_ONE_SOURCE = /^(?:N06|N12|P01)-/;

describe('a source that is missing leaves the killer of a case, or makes it unknown', () => {
  it.each(SUBSETS.flatMap(([name, left]) => modesOf(left).map((mode) => [name, mode, left] as const)))(
    '%s, the others %s',
    (_name, mode, left) => {
      const changed = cases.flatMap(({ name, capture, answer }) => {
        const fewer = TOLD_BY_ONE_SOURCE.test(name) ? undefined : leaveOnly(capture, left, mode);
        if (fewer === undefined) return [];
        const [before, now] = [judgeCapture(capture).attribution, judgeCapture(fewer).attribution];
        const rises = CONFIDENCE.indexOf(now.confidence) > CONFIDENCE.indexOf(before.confidence);
        const isOther = now.killer !== 'unknown' && now.killer !== before.killer;
        const isFalse = isOther && !answer.want.includes(now.killer);
        return rises || isFalse ? [`${name}: ${before.killer} -> ${now.killer} (${now.confidence})`] : [];
      });
      expect(changed).toEqual([]);
    },
  );
});
