import { describe, expect, it } from 'vitest';
import { growForest, listLineSearches } from '../../../../lab/experiment/bisect/release-lines.ts';

const CONTAINERD = ['1.6.20', '1.6.25', '1.7.0', '1.7.4', '1.7.27', '2.0.0', '2.0.3', '2.1.0', '2.1.4'];

describe('release lines', () => {
  it('has the first release of each line on the trunk, from the good end to the bad one', () => {
    expect(growForest(CONTAINERD, '1.6.20', '2.1.4').trunk).toEqual([
      '1.6.20',
      '1.7.0',
      '2.0.0',
      '2.1.0',
      '2.1.4',
    ]);
    expect(growForest(CONTAINERD, '2.1.4', '1.7.4').trunk).toEqual(['2.1.4', '2.1.0', '2.0.0', '1.7.4']);
  });

  it('has all releases on the trunk where there is one line', () => {
    const dates = ['runsc@20221203', 'runsc@20230927', 'runsc@20240916'];
    expect(growForest(dates, 'runsc@20221203', 'runsc@20240916').trunk).toEqual(dates);
    expect(growForest(CONTAINERD, '1.7.0', '1.7.27').trunk).toEqual(['1.7.0', '1.7.4', '1.7.27']);
  });

  it('searches the patch line that turns, or the line before the minor that turns', () => {
    const forest = growForest(CONTAINERD, '1.6.20', '2.1.4');
    expect(listLineSearches(forest, { before: '1.7.0', after: '2.0.0', all: false })).toEqual([
      { line: ['1.7.0', '1.7.4', '1.7.27'], isClosed: false },
    ]);
    expect(listLineSearches(forest, { before: '1.7.0', after: '2.0.0', all: true })).toEqual([
      { line: ['1.6.20', '1.6.25'], isClosed: false },
      { line: ['1.7.0', '1.7.4', '1.7.27'], isClosed: false },
    ]);
  });

  it('searches between the ends of the line that has both sides', () => {
    const forest = growForest(['2.0.0', '2.1.0', '2.1.2', '2.1.4'], '2.0.0', '2.1.4');
    expect(listLineSearches(forest, { before: '2.1.0', after: '2.1.4', all: false })).toEqual([
      { line: ['2.1.0', '2.1.2', '2.1.4'], isClosed: true },
    ]);
  });
});
