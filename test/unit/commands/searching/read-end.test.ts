import { describe, expect, it } from 'vitest';
import { readEnd } from '../../../../lab/commands/searching/read-end.ts';
import { judgeCapture } from '../../../fixtures/evidence/load-capture.ts';
import { bound, everySecond, toldSamples, type RunTold } from '../../../fixtures/evidence/samples.ts';

const WHAT = ['zombies.max.atLeast=10', 'zombies.slope.atLeast=1', 'pids.atMost=3'];
/** One zombie more each second. */
const RISING = everySecond((second) => `zombies ${second - 3}\n`);

/** Another bound is expected, which any number meets: what is missing must not be told by it. */
const endOf = (runs: readonly RunTold[], what: readonly string[] = WHAT): ReturnType<typeof readEnd> => {
  const { attribution, claims, measures } = judgeCapture(
    toldSamples(runs, [bound({ atLeast: 0, samples: 1 })]),
  );
  return readEnd({ attribution, claims, measures }, what);
};

describe('the end of a run', () => {
  it('has the numbers that are asked for, and says which were not taken', () => {
    expect(endOf(RISING)).toMatchObject({
      measured: { 'zombies.max': 26, 'zombies.slope': 60 },
      notMeasured: { 'pids.last': 'the run did not measure pids' },
    });
  });

  it('has none that was not asked for', () => {
    expect(endOf(RISING, ['killer'])).not.toHaveProperty('measured');
    expect(endOf(RISING, ['zombies.max.atLeast=10'])).not.toHaveProperty('notMeasured');
  });

  it.each([
    ['too few', RISING.slice(0, 3), 'measured 3 times, which is fewer than 5'],
    ['a sampler failed', RISING.map((run, index) => (index === 9 ? { ...run, status: 1 } : run)), 'sampler'],
    ['a hole', RISING.filter((_, index) => index < 6 || index > 20), 'no sample for'],
  ])('takes no number where some may be missing: %s', (_, runs, why) => {
    const { measured, notMeasured } = endOf(runs, ['zombies.max.atLeast=10']);
    expect(measured).toEqual({});
    expect(notMeasured?.['zombies.max']).toContain(why);
  });
});
