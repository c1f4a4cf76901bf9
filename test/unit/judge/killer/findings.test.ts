import { describe, expect, it } from 'vitest';
import { judgeCapture, loadCapture } from '../../../fixtures/evidence/load-capture.ts';

describe('what happened again and again', () => {
  // The sandbox of gVisor works by faults of its own processes.
  const { findings = [] } = judgeCapture(loadCapture('sandbox-limit--runsc@20230927')).attribution;

  it('is told once, with how often', () => {
    const told = findings.map(({ what }) => what.replace(/, \d+ times$/, ''));
    expect(new Set(told).size).toBe(told.length);
    expect(findings.some(({ what }) => /^SIGSYS from itself .*, \d+ times$/.test(what))).toBe(true);
  });

  it('is shown by its first and its last record', () => {
    for (const { what, because } of findings) {
      expect(because.length, what).toBe(/, \d+ times$/.test(what) ? 2 : 1);
      const lines = because.map(({ line }) => line ?? 0);
      expect(lines, what).toEqual(lines.toSorted((a, b) => a - b));
    }
  });
});
