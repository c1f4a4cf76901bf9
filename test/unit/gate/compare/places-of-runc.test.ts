import { describe, expect, it } from 'vitest';
import { listOtherPlaces } from '../../../../lab/gate/compare/places-of-runc.ts';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';

const cellsOf = (runtime: string) => [
  { address: `${runtime}/a`, scenario: 'a', variant: { ...DEFAULT_VARIANT, runtime } },
];

describe('a gate of runc', () => {
  it.each([
    ['runc@1.1.14', 'runc@1.1.15+everywhere'],
    ['runc@1.1.14+everywhere', 'runc@git:../runc'],
  ])('tells where it would compare more than runc: %s with %s', (base, head) => {
    expect(listOtherPlaces(cellsOf(base), cellsOf(head), 'runc')).toHaveLength(1);
  });

  it('says which side runs what', () => {
    expect(listOtherPlaces(cellsOf('runc@1.1.14+everywhere'), cellsOf('runc@1.1.15'), 'runc')).toEqual([
      'runc@1.1.15/a runs only workloads under its runc, and in the baseline runc@1.1.14+everywhere/a ran the control plane too',
    ]);
  });

  it.each([
    ['runc', 'runc@1.1.15'],
    ['runc', 'runc@1.1.15+everywhere'],
    ['runc@1.1.14', 'runc'],
    ['runc@1.1.14', 'runc@1.1.15'],
    ['runc@1.1.14+everywhere', 'runc@1.1.15+everywhere'],
  ])('compares %s with %s', (base, head) => {
    expect(listOtherPlaces(cellsOf(base), cellsOf(head), 'runc')).toEqual([]);
  });

  it('does not compare what is not the same cell', () => {
    expect(listOtherPlaces(cellsOf('runc@1.1.14'), cellsOf('runc@1.1.15+everywhere'), 'kubelet')).toEqual([]);
  });
});
