import { describe, expect, it } from 'vitest';
import type { CellResult } from '../../../../lab/model/saved/formats.ts';
import type { PlannedCell } from '../../../../lab/plan/cells/plan-cells.ts';
import { trackRun } from '../../../../lab/world/run/track-run.ts';

const cells = ['default/a', 'default/b', 'v1/a'].map(
  (address) => ({ address, estimateSeconds: 100 }) as PlannedCell,
);
const ended = (address: string, verdict = 'passed'): CellResult => ({ address, verdict }) as CellResult;

describe('the progress of a run', () => {
  it('counts its cells, and the verdicts that are not passed', () => {
    const clock = { now: () => 0, elapsed: () => 0, sleep: () => Promise.resolve() };
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

  it('says what is left, at the pace of what came after the first world', () => {
    let now = 0;
    const clock = { now: () => now, elapsed: () => now, sleep: () => Promise.resolve() };
    const tracker = trackRun(clock, cells, 2, 500);
    expect(tracker.remaining(50_000)).toBe(450_000);
    // Half an hour for programs that nobody estimated says nothing of the cells.
    now = 1_800_000;
    tracker.addWorld('default');
    expect(tracker.remaining(now)).toBe(400_000);
    now += 100_000;
    tracker.add(ended('default/a'));
    expect(tracker.remaining(now)).toBe(300_000);
    expect(tracker.remaining(now + 10_000)).toBe(290_000);
    // Twice as slow as estimated: 320 s for 220, and 200 s are left.
    now += 200_000;
    tracker.add(ended('default/b'));
    expect(tracker.remaining(now)).toBeCloseTo((200_000 * 420) / 320);
  });

  it('counts a world once, also one whose cells were given up before it was up', () => {
    let now = 0;
    const clock = { now: () => now, elapsed: () => now, sleep: () => Promise.resolve() };
    const tracker = trackRun(clock, cells, 2, 500);
    tracker.add(ended('v1/a', 'inconclusive'));
    expect(tracker.remaining(0)).toBeCloseTo((300_000 * 120) / 220);
    tracker.addWorld('v1');
    expect(tracker.remaining(0)).toBeCloseTo((300_000 * 120) / 220);
    now = 100_000;
    tracker.addWorld('default');
    expect(tracker.remaining(now)).toBeCloseTo((200_000 * 220) / 320);
  });
});
