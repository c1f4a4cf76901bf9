import { describe, expect, it } from 'vitest';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import { isLaneOf, laneName } from '../../../../lab/model/host/lane-name.ts';
import { domainName, lanGroup, libvirtPrefix, worldLibvirtName } from '../../../../lab/model/host/machine.ts';
import type { PlannedCell } from '../../../../lab/plan/cells/plan-cells.ts';
import type { Group } from '../../../../lab/world/run/group-run.ts';
import { spreadGroup } from '../../../../lab/world/run/spread-group.ts';

const STATE = '/home/somebody/.lab';
const LONG = 'kubernetes-1.29.14_containerd-2.1.4_runtime-crun_cgroup-v1_drivers-mismatch';

const groupOf = (name: string): Group => ({
  demand: { name, nodes: 1, memoryMiB: 3072, vcpus: 2 },
  variant: DEFAULT_VARIANT,
  parent: 'a parent',
  cells: [{ address: `${name}/a`, estimateSeconds: 1 }] as unknown as PlannedCell[],
});

describe('a world with lanes', () => {
  it.each([undefined, 1])('is the group that it was with one: %j', (lanes) => {
    const group = groupOf('default');
    expect(spreadGroup(group, lanes)).toEqual([group]);
  });

  it('is brought up first, and each lane waits for it, with the demand of a world', () => {
    const [world, ...lanes] = spreadGroup(groupOf('default'), 3);
    expect([world?.demand.name, world?.parent, world?.spread?.lane]).toEqual([
      'default',
      'a parent',
      undefined,
    ]);
    expect(lanes.map(({ demand, parent, spread }) => [demand, parent, spread?.lane])).toEqual(
      [1, 2, 3].map((lane) => [
        { name: `default.lane-${lane}`, laneOf: 'default', nodes: 1, memoryMiB: 3072, vcpus: 2 },
        'default',
        lane,
      ]),
    );
    expect(new Set(lanes.map(({ spread }) => spread?.queue))).toEqual(new Set([world?.spread?.queue]));
  });

  it.each(['default', 'v1', LONG])(
    'has names of its own for each lane in libvirt and on its network: %s',
    (name) => {
      const names = spreadGroup(groupOf(name), 12).map(({ demand }) => worldLibvirtName(STATE, demand.name));
      expect(new Set(names).size).toBe(13);
      expect(new Set(names.map(lanGroup)).size).toBe(13);
      // Removing the machines of one goes by this beginning.
      for (const one of names)
        expect(
          names.filter((other) => domainName(other, 'node-1').startsWith(domainName(one, 'node-'))),
        ).toEqual([one]);
      // What the lab counts as its own load: no lane is a foreign program to another one.
      expect(names.every((libvirt) => libvirt.startsWith(libvirtPrefix(STATE)))).toBe(true);
    },
  );
});

describe('the folder of a lane', () => {
  it.each(['default', 'v1_crun'])('is known by that of its world: %s', (world) => {
    for (const lane of [1, 2, 12]) expect(isLaneOf(world, laneName(world, lane))).toBe(true);
  });

  it.each([
    'default',
    'default.lane-',
    'default.lane-0',
    'default.lane-1x',
    'v1.lane-1',
    'default_v1.lane-1',
  ])('is not that of another world, nor of none: %s', (name) => {
    expect(isLaneOf('default', name)).toBe(false);
  });
});
