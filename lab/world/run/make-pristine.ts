import { apiErrorText } from '../../drivers/kubernetes/kubernetes.ts';
import { refreshGuest } from '../restore/health/refresh-guest.ts';
import { restoreWorld } from '../restore/restore.ts';
import { closeWorld, type LostWorld, type PristineWorld } from '../world.ts';
import type { GroupRun, GroupWorld, HeldWorld } from './group-run.ts';

/**
 * Makes the world of a group pristine for its next cell: restored, or built again once. A world that is still pristine
 * only gets its clocks and randomness refreshed. It is lost when none of that helps, or when the run is interrupted
 * meanwhile.
 */
export async function makePristine(
  group: GroupRun,
  held: HeldWorld,
): Promise<GroupWorld<PristineWorld | LostWorld>> {
  try {
    return await tryPristine(group, held);
  } catch (error) {
    if (held.world.phase === 'pristine') closeWorld(held.world);
    const why = `the world could not be restored: ${apiErrorText(error)}`;
    if (!group.lab.host.signal.aborted) group.report('world-failed', why);
    return { ...held, world: { phase: 'lost', why } };
  }
}

async function tryPristine(
  group: GroupRun,
  { world, wasRebuilt }: HeldWorld,
): Promise<GroupWorld<PristineWorld>> {
  const { lab, report } = group;
  if (world.phase === 'pristine') {
    await Promise.all(world.guests.map((guest) => refreshGuest(lab.host, guest)));
    return { world, wasRebuilt };
  }
  try {
    return { world: await restoreWorld(lab, world, report), wasRebuilt };
  } catch (error) {
    if (lab.host.signal.aborted || wasRebuilt) throw error;
    report('world-rebuilt', (error as Error).message);
    return { world: await group.remake(), wasRebuilt: true };
  }
}
