import { describe, expect, it } from 'vitest';
import {
  fewestToSettle,
  settleShare,
  type OpenTally,
  type ShareRange,
} from '../../../../lab/model/rates/settle-share.ts';

describe('a share', () => {
  it.each<[string, OpenTally, ShareRange, boolean | undefined]>([
    ['is settled where the whole interval is above', { count: 20, open: 0, of: 20 }, { atLeast: 0.8 }, true],
    [
      'is open where the interval has the bound in it',
      { count: 19, open: 0, of: 20 },
      { atLeast: 0.8 },
      undefined,
    ],
    ['is settled where the whole interval is below', { count: 8, open: 0, of: 20 }, { atLeast: 0.8 }, false],
    ['is settled below a largest share', { count: 0, open: 0, of: 50 }, { atMost: 0.1 }, true],
    ['is settled above a largest share', { count: 20, open: 0, of: 50 }, { atMost: 0.1 }, false],
    ['is settled between two bounds', { count: 50, open: 0, of: 100 }, { atLeast: 0.3, atMost: 0.7 }, true],
    [
      'is open beside one of two bounds',
      { count: 35, open: 0, of: 100 },
      { atLeast: 0.3, atMost: 0.7 },
      undefined,
    ],
    ['is open when open trials could change it', { count: 18, open: 2, of: 20 }, { atLeast: 0.7 }, undefined],
    ['is settled when open trials cannot', { count: 19, open: 1, of: 20 }, { atLeast: 0.7 }, true],
    ['is broken when open trials cannot help', { count: 1, open: 2, of: 20 }, { atLeast: 0.5 }, false],
    ['is open without trials', { count: 0, open: 0, of: 0 }, { atLeast: 0.1 }, undefined],
  ])('%s', (_, tally, range, settled) => {
    expect(settleShare(tally, range)).toBe(settled);
  });

  it.each<[ShareRange, number, number | undefined]>([
    [{ atLeast: 0.8 }, 20, 20],
    [{ atLeast: 0.9 }, 20, 35],
    [{ atMost: 0.01 }, 2, 381],
    [{ atLeast: 0.4, atMost: 0.41 }, 20, undefined],
  ])('%j needs, of %i trials up, %s', (range, from, fewest) => {
    expect(fewestToSettle(range, from, 1000)).toBe(fewest);
  });
});
