import { describe, expect, it } from 'vitest';
import { listShortcomings, parseHostClass } from '../../../../lab/plan/shards/host-class.ts';
import { messageOf } from '../plan-words.ts';

describe('the class of a host', () => {
  it('has memory, CPUs and KVM, in any order', () => {
    expect(parseHostClass('kvm,memory=64GiB,cpus=16')).toEqual({ memoryMiB: 65536, cpus: 16, kvm: true });
    expect(parseHostClass('cpus=2')).toEqual({ cpus: 2 });
  });

  it('is refused with every part that is wrong', () => {
    const message = messageOf(() => parseHostClass('memory=much,cpus=0,kwm,kvm'));
    expect(message).toContain('memory takes a size');
    expect(message).toContain('cpus takes a number from 1, not "0"');
    expect(message).toContain('"kwm" says nothing of a host (did you mean "kvm"?)');
  });

  const host = { memoryMiB: 16_000, cpus: 4, accelerator: 'tcg' } as const;
  it.each([
    ['what it is', { memoryMiB: 16_384, cpus: 4 }, 3072, []],
    ['nothing', {}, 3072, []],
    [
      'more memory',
      { memoryMiB: 65_536 },
      3072,
      ['it has 16000 MiB of memory, and the plan is for 65536 MiB'],
    ],
    ['a larger world', {}, 20_000, ['it has 16000 MiB of memory, and the plan is for 20000 MiB']],
    ['more CPUs', { cpus: 8 }, 3072, ['it has 4 CPUs, and the plan is for 8']],
    ['KVM', { kvm: true }, 3072, ['guests do not run under KVM, and the plan is for KVM']],
  ])('is compared with a host: %s is asked for', (_, wanted, memoryMiB, problems) => {
    expect(listShortcomings(wanted, { memoryMiB }, host)).toEqual(problems);
  });
});
