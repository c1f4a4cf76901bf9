import { describe, expect, it } from 'vitest';
import { findGrowth, type ProcessFigures } from '../../../bin/reliability/long-run.ts';

const standing = (more: Partial<ProcessFigures> = {}): ProcessFigures => ({
  cells: 1,
  residentMiB: 100,
  handles: 20,
  temporary: 0,
  ...more,
});

describe('a long run', () => {
  it('does not grow when a cell has connections open at the last look', () => {
    const more = [standing(), standing(), standing(), standing(), standing({ handles: 38 })];
    expect(findGrowth(more)).toEqual([]);
  });

  it('grows when its second half needs more than its beginning', () => {
    const start = [standing(), standing()];
    expect(findGrowth([...start, standing({ residentMiB: 150, handles: 25 })])).toEqual([]);
    expect(findGrowth([...start, standing({ residentMiB: 151, handles: 26, temporary: 1 })])).toEqual([
      'memory (MiB) grew from 100 to 151',
      'handles grew from 20 to 26',
      'temporary files grew from 0 to 1',
    ]);
    expect(findGrowth(start)).toEqual(['the run was too short to be looked at']);
  });
});
