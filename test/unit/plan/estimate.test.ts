import { describe, expect, it } from 'vitest';
import { estimateRest } from '../../../lab/plan/estimate.ts';

describe('what is left of a run', () => {
  it('is the estimate when nothing is done', () => {
    expect(estimateRest({ totalSeconds: 600, doneSeconds: 0, elapsedSeconds: 0 })).toBe(600);
  });

  it('follows the pace the more, the more is done', () => {
    const early = estimateRest({ totalSeconds: 6000, doneSeconds: 10, elapsedSeconds: 60 });
    expect(early).toBeGreaterThan(5990);
    expect(early).toBeLessThan(1.5 * 5990);
    const late = estimateRest({ totalSeconds: 6000, doneSeconds: 3000, elapsedSeconds: 6000 });
    expect(late).toBeCloseTo(5885, 0);
  });

  it('is shorter when worlds run at once', () => {
    expect(estimateRest({ totalSeconds: 6000, doneSeconds: 3000, elapsedSeconds: 1500 })).toBeLessThan(1600);
  });

  it('is never less than nothing', () => {
    expect(estimateRest({ totalSeconds: 600, doneSeconds: 700, elapsedSeconds: 900 })).toBe(0);
  });
});
