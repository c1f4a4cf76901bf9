import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inAnyOrder } from '../../fixtures/evidence/change-capture.ts';
import { HAND_WRITTEN } from '../../fixtures/evidence/hand-written.ts';
import { judgeCapture, withLines } from '../../fixtures/evidence/load-capture.ts';
import { cases } from '../../fixtures/properties.ts';

/** Sources that tell a death by themselves; the rest of a proof is what others say of it. */
const OWN = ['kmsg', 'trace', 'cgroup'];

describe.each(HAND_WRITTEN)('told by hand: $name', ({ capture: told, confidence = 'proven' }) => {
  const capture = told();
  const judged = judgeCapture(capture);

  it('is named, proven, and as expected', () => {
    const { expected } = capture.record;
    expect({ ...judged.attribution, verdict: judged.verdict, note: judged.note }).toMatchObject({
      killer: expected.killer,
      confidence,
      verdict: 'passed',
      ...(expected.how === undefined ? {} : { how: expected.how[0] }),
    });
    expect(judged.mismatches).toEqual([]);
  });

  it('is the same with the lines of every file in another order', () => {
    fc.assert(
      fc.property(inAnyOrder(capture), (changed) => {
        const { killer, how, level } = judgeCapture(changed).attribution;
        expect({ killer, how, level }).toEqual({
          killer: judged.attribution.killer,
          how: judged.attribution.how,
          level: judged.attribution.level,
        });
      }),
      { numRuns: cases(10) },
    );
  });

  it('is no longer proven, and never passed, without one of its own decisive records', () => {
    const decisive = judged.attribution.because.filter((ref) => OWN.includes(ref.source));
    for (const ref of decisive) {
      const without = judgeCapture(
        withLines(capture, ref.file, (lines) => lines.filter((_, index) => index + 1 !== ref.line)),
      );
      expect(without.attribution.confidence, `without ${ref.file}:${ref.line}`).not.toBe('proven');
      expect(without.verdict, `without ${ref.file}:${ref.line}`).not.toBe('passed');
    }
  });
});
