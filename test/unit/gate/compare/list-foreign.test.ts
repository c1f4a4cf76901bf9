import { describe, expect, it } from 'vitest';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import { listForeign } from '../../../../lab/gate/compare/list-foreign.ts';

const cell = (runtime: string, more: { digest?: string; accelerator?: 'kvm' | 'tcg' } = {}) => ({
  address: `${runtime}/the-cell`,
  variant: { ...DEFAULT_VARIANT, runtime },
  scenario: 'the-cell',
  ...more,
});
const base = [cell('runc@1.4.3', { digest: 'a', accelerator: 'tcg' })];
const foreignTo = (more: Parameters<typeof cell>[1]) =>
  listForeign({ base, head: [cell('runc@1.5.2', more)], program: 'runc' });

describe('what a baseline cannot be compared with', () => {
  it.each([
    ['a changed scenario', { digest: 'b' }, 'the scenario the-cell is not the one that the baseline ran'],
    [
      'another accelerator',
      { digest: 'a', accelerator: 'kvm' },
      'runc@1.5.2/the-cell runs with kvm, and ran in the baseline with tcg',
    ],
  ] as const)('is %s', (_, more, why) => {
    expect(foreignTo(more)).toEqual([why]);
  });

  it.each([{}, { digest: 'a' }, { accelerator: 'tcg' }] as const)(
    'is not what nobody knows yet: %o',
    (more) => {
      expect(foreignTo(more)).toEqual([]);
    },
  );
});
