import { describe, expect, it } from 'vitest';
import { judgeCapture, loadCapture } from '../../../fixtures/evidence/load-capture.ts';

const figuresOf = (name: string) => judgeCapture(loadCapture(name)).attribution.figures;

describe("the victim's memory", () => {
  it('is a peak when it was read until the end, and of a victim that lives', () => {
    expect(figuresOf('oom-single-container')).not.toHaveProperty('readBeforeEndMs');
    expect(figuresOf('within-limits')).not.toHaveProperty('readBeforeEndMs');
  });

  it('is no more than a lower bound when it was read long before the end', () => {
    const { peakBytes = 0, readBeforeEndMs = 0 } = figuresOf('earlyoom') ?? {};
    // earlyoom's log says that the victim had 929 MiB.
    expect(peakBytes).toBeLessThan(100 * 1024 * 1024);
    expect(readBeforeEndMs).toBeGreaterThan(10_000);
  });
});
