import { describe, expect, it } from 'vitest';
import { AXES, DEFAULT_VARIANT, variantName, type Variant } from '../../../../lab/model/axes/axes.ts';
import { planWorlds } from '../../../../lab/plan/worlds/plan-worlds.ts';
import { configWith } from '../../project-files.ts';

const { matrix } = configWith();
const none = new Set<string>();

const variant = (changed: Partial<Variant>): Variant => ({ ...DEFAULT_VARIANT, ...changed });
const plan = (variants: readonly Variant[], saved: ReadonlySet<string> = none, cold = false): string[] => {
  const asked = new Set(variants.map(variantName));
  return planWorlds(variants, matrix, { saved, cold }).map(({ name, parent }) =>
    [name, ...(parent === undefined ? [] : ['<-', parent]), ...(asked.has(name) ? [] : ['(added)'])].join(
      ' ',
    ),
  );
};

const pulls = variant({ knobs: 'parallel-pulls' });
const qps = variant({ knobs: 'qps-1' });
const runsc = variant({ runtime: 'runsc@20230927' });

describe('the plan of worlds', () => {
  it('derives from the default world, which comes first, whatever differs on axes that can be changed', () => {
    expect(plan([pulls, DEFAULT_VARIANT, runsc])).toEqual([
      'default',
      'parallel-pulls <- default',
      'runsc@20230927 <- default',
    ]);
  });

  it('derives from a saved world that nobody asked for', () => {
    expect(plan([pulls], new Set(['default']))).toEqual(['parallel-pulls <- default']);
  });

  it('builds a parent that nobody asked for when two worlds need it, and for one world none', () => {
    expect(plan([pulls])).toEqual(['parallel-pulls']);
    expect(plan([pulls, qps])).toEqual(['default (added)', 'parallel-pulls <- default', 'qps-1 <- default']);
  });

  it('keeps every axis that cannot be changed: cgroup v1 has a parent of its own', () => {
    const v1 = variant({ cgroup: 'v1' });
    expect(plan([DEFAULT_VARIANT, v1, variant({ cgroup: 'v1', runtime: 'runsc@20230927' })])).toEqual([
      'v1',
      'default',
      'v1_runsc@20230927 <- v1',
    ]);
  });

  it('builds what matrix.yaml declares cold, with its reason', () => {
    const variants = [DEFAULT_VARIANT, variant({ runtime: 'crun' }), variant({ containerd: 'file:./out' })];
    expect(plan(variants)).toEqual(['default', 'crun', 'containerd-file:.%2Fout']);
    const [, crun, containerd] = planWorlds(variants, matrix, { saved: none });
    expect(crun?.why).toContain('a package of the suite');
    expect(containerd?.why).toContain('the version of a local containerd');
  });

  it('derives another runc, containerd or driver, and settings that pods get when they start', () => {
    const changed = [
      variant({ runtime: 'runc@1.5.2' }),
      variant({ containerd: '2.1.4', drivers: 'cgroupfs+cgroupfs' }),
      variant({ drivers: 'cgroupfs+cgroupfs', knobs: 'tight' }),
    ];
    const names = changed.map(variantName);
    expect(plan([DEFAULT_VARIANT, ...changed])).toEqual([
      'default',
      ...names.map((name) => `${name} <- default`),
    ]);
  });

  it('builds every world whose drivers do not match, whatever else can be changed', () => {
    const mismatch = variant({ drivers: 'systemd+cgroupfs' });
    const changed = { ...mismatch, knobs: 'overcommit-2', containerd: '2.1.4' };
    expect(plan([DEFAULT_VARIANT, mismatch, changed])).toEqual([
      'default',
      'systemd+cgroupfs',
      'systemd+cgroupfs_containerd-2.1.4_overcommit-2',
    ]);
  });

  it('derives a cluster of more workers from one that has a worker, which is built', () => {
    expect(plan(['1+2', '1', '1+1', '1+3'].map((nodes) => variant({ nodes })))).toEqual([
      '1+1',
      '1+2 <- 1+1',
      'default',
      '1+3 <- 1+1',
    ]);
    const [first] = planWorlds([variant({ nodes: '1+1' })], matrix, { saved: none });
    expect(first?.why).toContain('a single node has no card');
  });

  it('derives from a parent that has what is declared cold, where something else can be changed', () => {
    const crun = variant({ kubernetes: '1.37', runtime: 'crun' });
    expect(plan([{ ...crun, knobs: 'overcommit-2' }, crun])).toEqual([
      '1.37_crun',
      '1.37_crun_overcommit-2 <- 1.37_crun',
    ]);
  });

  it('builds what a cold statement forbids without naming an axis that could be kept', () => {
    const forbids = { id: 'made-up', when: { kernelVersion: ['>=6.0'] }, reason: 'a made-up reason' };
    const [cold] = matrix.cold;
    const changed = { ...matrix, cold: cold === undefined ? [] : [{ ...cold, ...forbids }] };
    const worlds = planWorlds([DEFAULT_VARIANT, pulls], changed, { saved: none });
    expect(worlds.map(({ way }) => way)).toEqual(['built', 'built']);
    expect(worlds[1]?.why).toBe('a made-up reason');
  });

  it('builds a saved world that is asked for cold', () => {
    const variants = [DEFAULT_VARIANT];
    const ways = [false, true].map((cold) =>
      planWorlds(variants, matrix, { saved: new Set(['default']), cold }).map(({ way }) => way),
    );
    expect(ways).toEqual([['restored'], ['built']]);
  });

  it('builds everything that is asked for cold', () => {
    expect(plan([DEFAULT_VARIANT, pulls, qps], none, true)).toEqual(['default', 'parallel-pulls', 'qps-1']);
  });

  it('restores what is saved', () => {
    expect(plan([pulls, qps], new Set(['parallel-pulls', 'qps-1']))).toEqual(['parallel-pulls', 'qps-1']);
  });

  it('says of every named value of every axis how its world comes to be', () => {
    const variants = AXES.flatMap((axis) =>
      matrix.axes[axis].values.map((value) => variant({ [axis]: value })),
    );
    const worlds = new Map(variants.map((variant) => [variantName(variant), variant]));
    for (const { name, why } of planWorlds([...worlds.values()], matrix, { saved: none })) {
      expect(why.length, name).toBeGreaterThan(10);
    }
  });
});
