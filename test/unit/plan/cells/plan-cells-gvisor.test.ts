import { describe, expect, it } from 'vitest';
import { planCells } from '../../../../lab/plan/cells/plan-cells.ts';
import { configWith } from '../../project-files.ts';

const cells = planCells(configWith(), ['set=full']).cells.filter(({ variant }) =>
  /^runsc/.test(variant.runtime),
);
/** Scenarios that outgrow the memory limit of their pod. */
const LIMITS = /^(?:oom-(?:single-container|sibling)|cron-job-oom|sandbox-limit)$/;

describe('the cells of gVisor', () => {
  it('send no signal from the node: a container has no cgroup there, and no process of the node', () => {
    const signalled = cells.filter(({ loaded }) =>
      loaded.scenario.stimulus.some(({ kind }) => kind === 'node-signal'),
    );
    expect(signalled.map(({ address }) => address)).toEqual([]);
  });

  it('expect 128 too where an exit code is expected of an OOM kill: the sandbox is killed', () => {
    const ofRunc = cells.filter(
      ({ outcome }) =>
        outcome.killer === 'memcg-oom' && outcome.exitCode !== undefined && !outcome.exitCode.includes(128),
    );
    expect(ofRunc.map(({ address }) => address)).toEqual([]);
  });

  it('expect of all scenarios with a limit the same killer on one variant', () => {
    const killers = new Map<string, Set<string>>();
    for (const { loaded, address, outcome } of cells) {
      if (!LIMITS.test(loaded.scenario.name)) continue;
      const [world = ''] = address.split('/');
      killers.set(world, (killers.get(world) ?? new Set()).add(outcome.killer));
    }
    expect(killers.size).toBeGreaterThan(15);
    expect([...killers].filter(([, { size }]) => size > 1)).toEqual([]);
  });
});
