import { describe, expect, it } from 'vitest';
import { judgeCapture, loadCapture } from '../../../fixtures/evidence/load-capture.ts';
import { Story } from '../../../fixtures/told/story.ts';

describe('what happened again and again', () => {
  // The sandbox of gVisor works by faults of its own processes.
  const { findings = [] } = judgeCapture(loadCapture('sandbox-limit--runsc@20230927')).attribution;

  it('is told once, with how often', () => {
    const told = findings.map(({ what }) => what.replace(/, \d+ times$/, ''));
    expect(new Set(told).size).toBe(told.length);
    expect(findings.some(({ what }) => /^SIGSYS from a process of it .*, \d+ times$/.test(what))).toBe(true);
    // Whichever of its processes it was.
    const toThemselves = told.filter((what) => what.endsWith(' to itself'));
    expect(toThemselves).toHaveLength(new Set(toThemselves.map((what) => what.replace(/ .*/, ''))).size);
  });

  it('is shown by its first and its last record', () => {
    for (const { what, because } of findings) {
      expect(because.length, what).toBe(/, \d+ times$/.test(what) ? 2 : 1);
      const lines = because.map(({ line }) => line ?? 0);
      expect(lines, what).toEqual(lines.toSorted((a, b) => a - b));
    }
  });
});

describe('an exec that failed', () => {
  const failed =
    'Liveness probe errored: rpc error: code = Unknown desc = failed to exec in container: OCI runtime exec failed: exec failed: unable to start container process: error executing setns process: exit status 1';
  const findingsOf = (message: string): string[] => {
    const story = new Story().event(8, 'Unhealthy', message, { type: 'Warning' });
    const { findings = [] } = judgeCapture(story.ends(12, 3, { again: true }).capture()).attribution;
    return findings.map(({ what }) => what);
  };

  it('is a finding where the runtime counted an OOM kill meanwhile', () => {
    expect(findingsOf(`${failed} (possibly OOM-killed)`)).toContainEqual(
      'the runtime could not add a process to it, and an OOM kill was counted meanwhile',
    );
    expect(findingsOf(failed)).toEqual([]);
  });
});
