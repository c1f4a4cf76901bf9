import { describe, expect, it } from 'vitest';
import { askBug, type BugRequest } from '../../../../lab/plan/cells/ask-bug.ts';
import { getBug } from '../../../../lab/plan/bugs/find-bug.ts';
import { planCells } from '../../../../lab/plan/cells/plan-cells.ts';
import { configWith } from '../../project-files.ts';

const config = configWith();
const ask = (id: string, request: BugRequest = {}) => askBug(config, getBug(config.bugs, id), request);
const planOf = (id: string, request: BugRequest) => {
  const { addresses, cells } = ask(id, request);
  return planCells(config, addresses, { asked: cells });
};

describe('a question about a bug', () => {
  it('is about the cells of the bug, each side run as often as the bug says', () => {
    const { addresses, cells, repeat } = ask('driver-mismatch-kill-loop');
    expect(addresses).toEqual(['systemd+cgroupfs/minute-survivor', 'default/minute-survivor']);
    expect([...cells.values()].map(({ outcome }) => outcome.killer)).toEqual([
      'kubelet-cgroup-missing',
      'none',
    ]);
    expect(repeat).toBe(1);
  });

  it('replaces and adds axes and parameters of either side', () => {
    expect(
      ask('supercronic-zombies', {
        affected: ['supercronic=0.2.45', 'os=trixie'],
        fixed: ['init=tini'],
      }).addresses.slice(0, 2),
    ).toEqual([
      'trixie/supercronic-zombies[supercronic=0.2.45]',
      'default/supercronic-zombies[supercronic=0.2.33,init=tini]',
    ]);
  });

  it('still asks whether the affected side shows the bug, where the scenario itself expects none', () => {
    // With containerd 2.1 the kubelet heals the mismatch.
    const plan = planOf('driver-mismatch-kill-loop', { affected: ['containerd=2.1.4'] });
    const healed = plan.cells.find(
      ({ address }) => address === 'systemd+cgroupfs_containerd-2.1.4/minute-survivor',
    );
    expect(healed?.outcome.killer).toBe('kubelet-cgroup-missing');
    expect(healed?.bug).toBeUndefined();
  });

  it('asks whether no pod starts where that is the bug, also of a variant whose pods should start', () => {
    const id = 'gvisor-busy-cgroup-procs';
    const wantedOf = (request: BugRequest): unknown[] =>
      planOf(id, request).cells.map(({ variant, startFailure }) => [variant.runtime, startFailure]);
    const [good, bad] = ['runsc@20230927', 'runsc-busy-cgroup-procs'];
    expect(wantedOf({})).toEqual(
      expect.arrayContaining([
        ['runsc@20221216', bad],
        [good, undefined],
      ]),
    );
    expect(wantedOf({ affected: ['runtime=runsc@20240916'] })).toContainEqual(['runsc@20240916', bad]);
    // A bug that ends otherwise does not begin to expect it.
    const moved = planOf('gvisor-limit-not-enforced', { affected: ['drivers=cgroupfs+systemd'] });
    expect(moved.cells.map(({ startFailure }) => startFailure)).toEqual([undefined, undefined, undefined]);
  });

  it('costs as many runs as are asked for, and repeats no control', () => {
    const plan = planOf('supercronic-zombies', { repeat: 5 });
    expect(plan.cells.map(({ loaded }) => loaded.scenario.repeat).sort()).toEqual([1, 1, 5, 5]);
    expect(plan.cells.map(({ estimateSeconds }) => estimateSeconds).sort()).toEqual([115, 115, 575, 575]);
  });

  it('has no control that has become a side', () => {
    const { addresses, bug } = ask('supercronic-zombies', { fixed: ['supercronic=0.2.30', 'init=tini'] });
    expect(addresses).toHaveLength(3);
    expect(bug.controls.map(({ variant }) => variant)).toEqual([{ supercronic: '0.2.33', flag: '-no-reap' }]);
  });

  it('is refused when both sides would be the same cell', () => {
    expect(() => ask('supercronic-zombies', { affected: ['supercronic=0.2.33'] })).toThrow(
      'both sides of supercronic-zombies would be the same cell: default/supercronic-zombies[supercronic=0.2.33]',
    );
  });

  it('names every wrong word in one message, with the nearest name', () => {
    expect(() =>
      ask('supercronic-zombies', {
        affected: ['kubernets=1.36', 'os=bookwurm', 'trixie', 'supercronic=0.2.*'],
        fixed: ['init=tiny', 'os=trixie', 'os=sid'],
      }),
    ).toThrow(
      [
        '6 problems',
        '  --affected: there is no axis or parameter "kubernets" (did you mean "kubernetes"?)',
        '  --affected: os has no value "bookwurm" (did you mean "bookworm"?)',
        '  --affected takes axis=value or parameter=value words, not "trixie"',
        '  --affected: "0.2.*" is not a value of supercronic',
        '  --fixed: init has no value "tiny" (did you mean "tini"?)',
        '  --fixed has two values of os: trixie and sid',
      ].join('\n'),
    );
  });
});
