import { laneName } from '../../model/host/lane-name.ts';
import { queueForLanes } from './cell-queue.ts';
import type { Group } from './group-run.ts';

/**
 * Spreads the cells of a world over lanes: a group that brings the world up, and one for each lane, which waits for that
 * one, because a disk that a machine writes cannot be copied. The schedule admits each lane as it does a world.
 *
 * @param lanes absent, or 1: the world runs its cells itself.
 */
export function spreadGroup(group: Group, lanes = 1): Group[] {
  if (lanes === 1) return [group];
  const { demand } = group;
  const queue = queueForLanes(group.cells, lanes);
  const ofLanes = Array.from({ length: lanes }, (_, index): Group => {
    const lane = index + 1;
    return {
      ...group,
      demand: { ...demand, name: laneName(demand.name, lane), laneOf: demand.name },
      parent: demand.name,
      spread: { queue, lane },
    };
  });
  return [{ ...group, spread: { queue } }, ...ofLanes];
}
