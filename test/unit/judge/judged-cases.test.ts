import { describe, expect, it } from 'vitest';
import type { Attribution } from '../../../lab/model/saved/formats.ts';
import { judgeCapture, type Capture } from '../../fixtures/evidence/load-capture.ts';
import { findWrongAnswer, isLookAlike } from '../../fixtures/evidence/other-answer.ts';
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

const known = new Map<Capture, Attribution>();

/** The answer to all sources of a case, which is judged once. */
function attributionOf(capture: Capture): Attribution {
  const attribution = known.get(capture) ?? judgeCapture(capture).attribution;
  known.set(capture, attribution);
  return attribution;
}

/**
 * Cases of which nothing but the trace says that it was not an ordinary stop: so many of the ways in which sources are missing
 * leave records of which each one is what that stop leaves. Another case, and one way more, is a fault of the judge.
 */
const LOOK_ALIKES = {
  // A stranger's request, which the program still answered when the probe failed.
  'N12: liveness-probe': 45,
  // A stranger's signal in the second of a deletion.
  'P01: api-deletion': 41,
  // A person at the runtime, in the second before the deadline; no event, and no definition, says when that was.
  'N06: deadline': 8,
};

describe('a source that is missing leaves the killer of a case, or does not exclude it', () => {
  const likely: Record<string, number> = {};

  it.each(SUBSETS.flatMap(([name, left]) => modesOf(left).map((mode) => [name, mode, left] as const)))(
    '%s, the others %s',
    (_name, mode, left) => {
      const wrong = cases.flatMap(({ name, capture, answer }) => {
        const fewer = leaveOnly(capture, left, mode);
        if (fewer === undefined) return [];
        const [before, now] = [attributionOf(capture), judgeCapture(fewer).attribution];
        const answers = { now, before, left, truth: answer.want };
        const row = `${name.slice(0, 3)}: ${now.killer}`;
        if (isLookAlike(answers)) likely[row] = (likely[row] ?? 0) + 1;
        const found = findWrongAnswer(answers);
        return found === undefined ? [] : [`${name}: ${found}`];
      });
      expect(wrong).toEqual([]);
    },
  );

  it('names somebody else, likely, only where nothing but the trace told them apart', () => {
    expect(likely).toEqual(LOOK_ALIKES);
  });
});
