import { describe, expect, it } from 'vitest';
import type { CellResult } from '../../../../lab/model/formats.ts';
import type { PlannedCell } from '../../../../lab/plan/plan-cells.ts';
import { trackRun } from '../../../../lab/world/run/track-run.ts';

const cells = ['default/a', 'default/b', 'v1/a'].map(
  (address) => ({ address, estimateSeconds: 100 }) as PlannedCell,
);
const ended = (address: string, verdict = 'passed'): CellResult => ({ address, verdict }) as CellResult;

describe('the progress of a run', () => {
  it('counts its cells, and the verdicts that are not passed', () => {
    const clock = { now: () => 0, sleep: () => Promise.resolve() };
    const tracker = trackRun(clock, cells, 2, 500);
    expect(tracker.describe()).toBe('0/3 cells');
    expect(tracker.mark()).toBe('✓');
    tracker.add(ended('default/a', 'failed'));
    tracker.add(ended('default/a'));
    tracker.add(ended('v1/a', 'failed'));
    tracker.add(ended('nobody/knows'));
    expect(tracker.describe()).toBe('2/3 cells, 2 failed');
    expect(tracker.mark()).toBe('✗ 2 failed:');
  });

  it('says what is left: a world counts with its first cell, and time passes meanwhile', () => {
    let now = 0;
    const clock = { now: () => now, sleep: () => Promise.resolve() };
    const tracker = trackRun(clock, cells, 2, 500);
    expect(tracker.remaining(50_000)).toBe(450_000);
    // 200 of 500 seconds: its world and itself, just as long as estimated.
    now = 200_000;
    tracker.add(ended('default/a'));
    expect(tracker.remaining(now)).toBe(300_000);
    expect(tracker.remaining(now + 10_000)).toBe(290_000);
    now = 300_000;
    tracker.add(ended('default/b'));
    expect(tracker.remaining(now)).toBe(200_000);
  });
});
