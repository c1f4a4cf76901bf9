import { apiErrorText } from '../../drivers/kubernetes/kubernetes.ts';
import type { Variant } from '../../model/axes/axes.ts';
import { bringUp } from '../bring-up/bring-up.ts';
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
  variant: Variant,
  held: HeldWorld,
): Promise<GroupWorld<PristineWorld | LostWorld>> {
  try {
    return await tryPristine(group, variant, held);
  } catch (error) {
    if (held.world.phase === 'pristine') closeWorld(held.world);
    const why = `the world could not be restored: ${apiErrorText(error)}`;
    if (!group.lab.host.signal.aborted) group.report('world-failed', why);
    return { ...held, world: { phase: 'lost', why } };
  }
}

async function tryPristine(
  group: GroupRun,
  variant: Variant,
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
    return { world: await rebuild(group, variant), wasRebuilt: true };
  }
}

async function rebuild({ lab, report, oneAtATime }: GroupRun, variant: Variant): Promise<PristineWorld> {
  try {
    return (await bringUp(lab, variant, { keep: false, fresh: true, report, oneAtATime })).world;
  } catch (error) {
    await lab.undo.run(lab.host.progress);
    throw error;
  }
}
