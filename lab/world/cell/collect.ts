import { join } from 'node:path';
import { recordHostLoad } from '../../drivers/host-load.ts';
import type { Recording, WatchListener } from '../../drivers/kubernetes.ts';
import { InternalError } from '../../model/errors.ts';
import type { Guest, Host } from '../../model/host.ts';
import { libvirtPrefix } from '../../model/machine.ts';
import { evidencePath, type EvidenceSource } from '../../model/observation.ts';
import { collectNode, type LostNote } from './collect-node.ts';
import { saveRunscLogs } from './save-runsc-logs.ts';
import type { OpenWorld } from '../world.ts';

/** Evidence being collected. */
export interface Collection {
  /**
   * Goes on after a reboot of a node: what was streamed before stays, the streams begin a second part.
   *
   * @param guest a new connection to the node.
   */
  resume(guest: Guest): Promise<void>;
  /** Saves what is kept in the guests' journals, ends all streams and says what could not be saved. */
  finish(): Promise<LostNote[]>;
}

/** What the API is asked to tell, beside the pods. */
const WATCHED: Readonly<Partial<Record<EvidenceSource, string>>> = {
  events: '/api/v1/events',
  nodes: '/api/v1/nodes',
  leases: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases',
};

/**
 * Starts collecting in every node and from the API, and returns once the collectors have proven that they run.
 */
export async function startCollection(
  host: Host,
  world: OpenWorld,
  cellDir: string,
  onPod: WatchListener,
): Promise<Collection> {
  const lost: LostNote[] = [];
  const guests = new Map(world.guests.map((guest) => [guest.name, guest]));
  const file = (source: EvidenceSource): string => join(cellDir, evidencePath(source));
  const hostLoad = await recordHostLoad(host.clock, libvirtPrefix(host.stateDir), file('host'));
  const recordings: [EvidenceSource, Recording][] = [
    ['pods', await world.kubernetes.record('/api/v1/pods', file('pods'), onPod)],
  ];
  for (const [source, path] of Object.entries(WATCHED) as [EvidenceSource, string][])
    recordings.push([source, await world.kubernetes.record(path, file(source))]);
  const nodes = new Map(
    await Promise.all(
      world.guests.map(async (guest) => [guest.name, await collectNode(host, guest, cellDir, lost)] as const),
    ),
  );
  return {
    resume: async (guest) => {
      const node = nodes.get(guest.name);
      if (node === undefined) throw new InternalError(`${guest.name} is no node of this world`);
      guests.set(guest.name, guest);
      await node.resume(guest);
    },
    finish: async () => {
      for (const node of nodes.values()) await node.finish();
      if (world.record.variant.runtime?.startsWith('runsc@') === true) {
        for (const guest of guests.values()) {
          const why = await saveRunscLogs(guest, cellDir);
          if (why !== undefined) host.progress.note(`gVisor's logs of ${guest.name} were not saved: ${why}`);
        }
      }
      for (const [source, recording] of recordings) {
        for (const gap of await recording.stop()) lost.push({ source, ...gap });
      }
      await hostLoad.stop();
      return lost;
    },
  };
}
