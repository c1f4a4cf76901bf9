import { describe, expect, it } from 'vitest';
import { findSearchedMeasure, spellSide } from '../../../../lab/model/saved/searched-measure.ts';

describe('a bound of --what', () => {
  it.each([
    ['zombies.atLeast=40', { statistic: 'last', atLeast: 40 }],
    ['zombies.max.atMost=0.5', { statistic: 'max', atMost: 0.5 }],
    ['zombies.slope.between=-1:20', { statistic: 'slope', between: [-1, 20] }],
  ])('is read: %s', (word, bound) => {
    expect(findSearchedMeasure(word)).toEqual({ measure: 'zombies', ...bound });
  });

  it.each([
    'zombies',
    'zombies.max',
    'zombies>3',
    'zombies.atleast=3',
    'zombies.min.atLeast=3',
    'zombies.atLeast=',
    'zombies.atLeast=1e9',
    'zombies.atLeast=3,4',
    'zombies.between=3',
    '.atLeast=3',
    'Zombies.atLeast=3',
    'zombies.atLeast=3 ',
  ])('is not: %s', (word) => {
    expect(findSearchedMeasure(word)).toBeUndefined();
  });

  it.each([
    ['zombies.atLeast=40', 40, 'zombies.last>=40'],
    ['zombies.atLeast=40', 39.9, 'zombies.last<40'],
    ['zombies.max.atMost=3', 3, 'zombies.max<=3'],
    ['zombies.max.atMost=3', 4, 'zombies.max>3'],
    ['zombies.between=3:5', 5, 'zombies.last within 3:5'],
    ['zombies.between=3:5', 6, 'zombies.last outside of 3:5'],
    ['zombies.between=3:5', 2, 'zombies.last outside of 3:5'],
  ])('has two sides: %s and %d', (word, value, side) => {
    expect(spellSide(findSearchedMeasure(word)!, value)).toBe(side);
  });
});
