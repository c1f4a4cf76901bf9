import { withGrace } from '../../drivers/clock.ts';
import { HostError } from '../../model/errors/errors.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { labWithSignal, type Lab } from '../lab.ts';
import type { OpenWorld } from '../world.ts';

/** The disks of the nodes, which a cell may make slow. */
export interface SlowDisks {
  /** Lets the disk of a node answer only so many reads a second. */
  readonly slow: (node: string, readsPerSecond: number) => Promise<void>;
  /**
   * Gives every disk that was made slow its own speed back, also after an interrupt: a node that cannot read cannot hand out
   * its evidence.
   */
  readonly release: () => Promise<void>;
}

/** Returns the disks of a world, all of them as fast as they are. */
export function createSlowDisks(lab: Lab, { record }: OpenWorld): SlowDisks {
  const slowed = new Set<string>();
  return {
    slow: async (node, readsPerSecond) => {
      const domain = record.nodes.find(({ name }) => name === node)?.domain;
      if (domain === undefined) throw new HostError('LAB_NODE', `the world has no node ${node}`);
      slowed.add(domain);
      await lab.libvirt.limitReads(domain, readsPerSecond);
    },
    release: async () => {
      if (slowed.size === 0) return;
      await withGrace(lab.host.clock, lab.host.signal, TIME_LIMITS.cell.diskRelease.ms, async (limit) => {
        for (const domain of slowed) await labWithSignal(lab, limit).libvirt.limitReads(domain, 0);
      });
      slowed.clear();
    },
  };
}
