import { describe, expect, it } from 'vitest';
import { watchMs } from '../../../../lab/world/cell/watch-time.ts';

describe('the time of a cell', () => {
  it('is that of its scenario, and on an emulated node twice as long', () => {
    expect(watchMs(90, 'kvm')).toBe(90_000);
    expect(watchMs(90, 'tcg')).toBe(180_000);
  });
});
