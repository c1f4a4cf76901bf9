import { describe, expect, it } from 'vitest';
import { longestMs } from '../../../../lab/world/cell/scenario-time.ts';

describe('the time of a cell, or of a script of its scenario', () => {
  it('is what the scenario says, and on an emulated node twice as long', () => {
    expect(longestMs(90, 'kvm')).toBe(90_000);
    expect(longestMs(90, 'tcg')).toBe(180_000);
  });
});
