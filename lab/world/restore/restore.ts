import { openKubernetes, type Kubernetes } from '../../drivers/kubernetes/kubernetes.ts';
import type { Guest } from '../../model/host/host.ts';
import { statePaths } from '../../model/host/paths.ts';
import { connectAll } from '../connect.ts';
import { passApi, passNode, type BeforeRestore } from './health-gate.ts';
import { requireNoRestart } from './health/restarts.ts';
import { labWithSignal, type Lab } from '../lab.ts';
import { parkWorld } from './park.ts';
import { loadReady } from './snapshots.ts';
import type { ReadyRecord } from '../world-record.ts';
import {
  closeWorld,
  type PristineWorld,
  type ReportWorld,
  type SavedWorld,
  type UsedWorld,
} from '../world.ts';

/**
 * Brings a world back to its `ready` snapshot and through the health gate. A world that fails the gate is restored
 * once more, in new QEMU processes: what was wrong with the old ones is gone with them. A world that fails again is
 * built again by the caller (`bringUp`).
 *
 * @throws the error of the second gate.
 */
export async function restoreWorld(
  lab: Lab,
  world: SavedWorld | UsedWorld,
  report: ReportWorld,
): Promise<PristineWorld> {
  const { record } = world;
  if (world.phase === 'used') closeWorld(world);
  try {
    return await restoreOnce(lab, record);
  } catch (error) {
    if (lab.host.signal.aborted) throw error;
    const why = (error as Error).message;
    lab.host.progress.note(
      `world ${record.name} was not healthy after the restore, restoring once more: ${why}`,
    );
    report('world-unhealthy', why);
    await parkWorld(lab, record);
    return restoreOnce(lab, record);
  }
}

/**
 * Restores a world once: snapshot, connections, clock and randomness, health gate.
 *
 * @throws ProbeTimeoutError, or HostError LAB_UNHEALTHY, naming what was not healthy.
 */
export async function restoreOnce(lab: Lab, record: ReadyRecord): Promise<PristineWorld> {
  const restoredAtMs = lab.host.clock.now();
  await loadReady(
    lab.libvirt,
    record.nodes.map((node) => node.domain),
  );
  return openRestored(lab, record, restoredAtMs);
}

/**
 * Connects to the machines of a world that were just set back to its snapshot, and takes them through the health gate.
 *
 * @param restoredAtMs when that began, by the clock of the host.
 * @throws ProbeTimeoutError, or HostError LAB_UNHEALTHY, naming what was not healthy.
 */
export async function openRestored(
  lab: Lab,
  record: ReadyRecord,
  restoredAtMs: number,
): Promise<PristineWorld> {
  const { host } = lab;
  const kubernetes = await openKubernetes(statePaths(host.stateDir).world(record.name).kubeconfig, host);
  const before: BeforeRestore = {
    restoredAtMs,
    restarts: record.restartsDeclared === true ? Infinity : record.restarts,
    renewals: new Map(
      record.nodes.flatMap(({ name, leaseRenewedAt: at }) => (at === undefined ? [] : [[name, at]])),
    ),
  };
  let guests: readonly Guest[] = [];
  try {
    guests = await wakeUp(lab, record, kubernetes, before);
    await requireNoRestart(kubernetes, before.restarts);
    return { phase: 'pristine', record, guests, kubernetes };
  } catch (error) {
    closeWorld({ record, guests, kubernetes });
    throw error;
  }
}

/**
 * Opens a shell on each node, steps its clock, gives it randomness and asks its kubelet, while the API is asked about the
 * nodes: an emulated node takes as long for either. When one fails the other gives up.
 */
async function wakeUp(
  lab: Lab,
  record: ReadyRecord,
  kubernetes: Kubernetes,
  before: BeforeRestore,
): Promise<Guest[]> {
  const stop = new AbortController();
  const both = labWithSignal(lab, AbortSignal.any([lab.host.signal, stop.signal]));
  const opened = connectAll(both, record);
  const passed = opened.then((guests) => Promise.all(guests.map((guest) => passNode(both.host, guest))));
  const names = record.nodes.map(({ name }) => name);
  const answered = passApi(both.host, kubernetes, names, before);
  try {
    await Promise.all([passed, answered]);
    return await opened;
  } catch (error) {
    stop.abort();
    const [guests] = await Promise.allSettled([opened, passed, answered]);
    if (guests.status === 'fulfilled') for (const guest of guests.value) guest.close();
    throw error;
  }
}
