import { describe, expect, it } from 'vitest';
import type { Killer } from '../../../lab/model/killers/killers.ts';
import { isSurer } from '../../fixtures/evidence/judged-subjects.ts';
import { judgeCapture } from '../../fixtures/evidence/load-capture.ts';
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

/**
 * Only the trace tells of these that a stranger was there. Without it the records are those of an ordinary stop, line by
 * line, which may be named as `likely`: this name.
 */
const TOLD_BY_THE_TRACE: Readonly<Record<string, Killer>> = { N12: 'liveness-probe', P01: 'api-deletion' };

describe('a source that is missing leaves the killer of a case, or makes it unknown', () => {
  it.each(SUBSETS.flatMap(([name, left]) => modesOf(left).map((mode) => [name, mode, left] as const)))(
    '%s, the others %s',
    (_name, mode, left) => {
      const changed = cases.flatMap(({ name, capture, answer }) => {
        const fewer = leaveOnly(capture, left, mode);
        if (fewer === undefined) return [];
        const [before, now] = [judgeCapture(capture).attribution, judgeCapture(fewer).attribution];
        const isAlike = TOLD_BY_THE_TRACE[name.slice(0, 3)] === now.killer && !left.includes('witness');
        if (isAlike && now.confidence === 'likely') return [];
        const isOther = now.killer !== 'unknown' && now.killer !== before.killer;
        const isFalse = isOther && !answer.want.includes(now.killer);
        return isSurer(now, before) || isFalse
          ? [`${name}: ${before.killer} -> ${now.killer} (${now.confidence})`]
          : [];
      });
      expect(changed).toEqual([]);
    },
  );
});
