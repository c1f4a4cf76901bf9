import { openKubernetes } from '../drivers/kubernetes.ts';
import { HostError } from '../model/errors.ts';
import { statePaths } from '../model/paths.ts';
import type { Guest } from '../model/host.ts';
import { connectAll } from './build.ts';
import { passHealthGate, stepClock } from './health-gate.ts';
import type { Lab } from './lab.ts';
import { READY_SNAPSHOT, type WorldRecord } from './world-record.ts';
import { closeWorld, type World } from './world.ts';

/**
 * Brings a world back to its `ready` snapshot and through the health gate. A world that fails the gate is restored
 * once more, and the progress says so.
 *
 * @throws the error of the second gate.
 */
export async function restoreWorld(lab: Lab, record: WorldRecord, previous?: World): Promise<World> {
  if (previous !== undefined) closeWorld(previous);
  try {
    return await restoreOnce(lab, record);
  } catch (error) {
    if (lab.host.signal.aborted) throw error;
    lab.host.progress.note(
      `world ${record.name} was not healthy after the restore, restoring once more: ${(error as Error).message}`,
    );
    return restoreOnce(lab, record);
  }
}

async function restoreOnce(lab: Lab, record: WorldRecord): Promise<World> {
  const { host, libvirt } = lab;
  const restoredAtMs = host.clock.now();
  for (const node of record.nodes) {
    const running = (await libvirt.domainState(node.domain)) === 'running';
    if (running) await libvirt.loadSnapshotInPlace(node.domain, READY_SNAPSHOT);
    else await libvirt.revertSnapshot(node.domain, READY_SNAPSHOT);
  }
  const guests: Guest[] = await connectAll(lab, record);
  try {
    await Promise.all(guests.map((guest) => stepClock(host, guest)));
    const kubernetes = await openKubernetes(
      statePaths(host.stateDir).world(record.name).kubeconfig,
      host.clock,
    );
    const names = guests.map((guest) => guest.name);
    const restarts = await passHealthGate(host, kubernetes, names, restoredAtMs);
    if (restarts > record.restarts) {
      throw new HostError(
        'LAB_UNHEALTHY',
        `the restore of ${record.name} restarted ${restarts - record.restarts} control-plane containers`,
      );
    }
    return { record, guests, kubernetes, pristine: true };
  } catch (error) {
    for (const guest of guests) guest.close();
    throw error;
  }
}
