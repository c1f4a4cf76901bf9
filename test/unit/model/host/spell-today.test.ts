import { describe, expect, it } from 'vitest';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import { spellToday } from '../../../../lab/model/host/spell-today.ts';

const cellOf = (world: string, runtime: string) => ({
  address: `${world}/tiny-limit-start[limit=64Mi]`,
  variant: { ...DEFAULT_VARIANT, cgroup: 'v1', runtime },
  verdict: 'passed',
});

describe('a saved cell as it is written today', () => {
  it('is one whose runc ran the control plane too, if the nodes had no other', () => {
    const cell = cellOf('v1_runc@1.1.15', 'runc@1.1.15');
    expect(spellToday(cell, () => ({ kernel: '6.1', runc: '1.1.15' }))).toEqual({
      ...cell,
      address: 'v1_runc@1.1.15+everywhere/tiny-limit-start[limit=64Mi]',
      variant: { ...cell.variant, runtime: 'runc@1.1.15+everywhere' },
    });
  });

  it.each<[string, string, Record<string, string> | undefined]>([
    ['the nodes had another beside it', 'runc@1.1.15', { runc: '1.1.5', 'runc-under-test': '1.1.15' }],
    ['nothing was read back', 'runc@1.1.15', undefined],
    ['no runc was read back', 'runc@1.1.15', { kernel: '6.1' }],
    ['it says so', 'runc@1.1.15+everywhere', { runc: '1.1.15' }],
    ['it is the runc of the suite', 'runc', { runc: '1.1.5' }],
    ['workloads ran under another runtime', 'crun@1.7.1', { runc: '1.1.5', crun: '1.7.1' }],
  ])('stays as it is where %s', (_, runtime, versions) => {
    const cell = cellOf(`v1_${runtime}`, runtime);
    expect(spellToday(cell, () => versions)).toBe(cell);
  });
});
