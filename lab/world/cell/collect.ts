import { join } from 'node:path';
import { withGrace } from '../../drivers/clock.ts';
import { recordHostLoad, type HostLoadRecording } from '../../drivers/host-load.ts';
import type { Recording, WatchListener } from '../../drivers/kubernetes.ts';
import { valueOf } from '../../model/axes.ts';
import { InternalError } from '../../model/errors.ts';
import type { Guest, Host } from '../../model/host.ts';
import { libvirtPrefix } from '../../model/machine.ts';
import { evidencePath, type EvidenceSource } from '../../model/observation.ts';
import { collectNode, type LostNote, type NodeCollection } from './collect-node.ts';
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
  /**
   * Saves what is kept in the guests' journals, ends all streams and says what could not be saved. After an interrupt
   * that is still done, within SAVING_MS.
   */
  finish(): Promise<LostNote[]>;
}

/** How long evidence is still saved after an interrupt. */
const SAVING_MS = 60_000;

/** What the API is asked to tell, beside the pods. */
const WATCHED: Readonly<Partial<Record<EvidenceSource, string>>> = {
  events: '/api/v1/events',
  nodes: '/api/v1/nodes',
  leases: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases',
};

/** What is recorded on the host: the API's watches and the load. */
interface HostRecordings {
  readonly watches: [EvidenceSource, Recording][];
  readonly load: HostLoadRecording;
}

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
  const recordings: HostRecordings = {
    watches: [],
    load: await recordHostLoad(host.clock, libvirtPrefix(host.stateDir), join(cellDir, evidencePath('host'))),
  };
  try {
    await startWatches(recordings, world, cellDir, onPod);
    const nodes = await collectNodes(host, world, cellDir, lost);
    return {
      resume: async (guest) => {
        const node = nodes.get(guest.name);
        if (node === undefined) throw new InternalError(`${guest.name} is no node of this world`);
        guests.set(guest.name, guest);
        await node.resume(guest);
      },
      finish: async () => {
        await withGrace(host.clock, host.signal, SAVING_MS, async (limit) => {
          for (const node of nodes.values()) await node.finish(limit);
          if (valueOf(world.record.variant, 'runtime').name === 'runsc')
            for (const guest of guests.values()) await saveLogsOfRunsc(host, guest.under(limit), cellDir);
        });
        lost.push(...(await stopRecordings(recordings)));
        return lost;
      },
    };
  } catch (error) {
    await stopRecordings(recordings);
    throw error;
  }
}

async function startWatches(
  { watches }: HostRecordings,
  { kubernetes }: OpenWorld,
  cellDir: string,
  onPod: WatchListener,
): Promise<void> {
  const file = (source: EvidenceSource): string => join(cellDir, evidencePath(source));
  watches.push(['pods', await kubernetes.record('/api/v1/pods', file('pods'), onPod)]);
  for (const [source, path] of Object.entries(WATCHED) as [EvidenceSource, string][])
    watches.push([source, await kubernetes.record(path, file(source))]);
}

/** Ends what is recorded on the host; says what a watch has missed. */
async function stopRecordings({ watches, load }: HostRecordings): Promise<LostNote[]> {
  const lost: LostNote[] = [];
  for (const [source, recording] of watches) {
    for (const gap of await recording.stop()) lost.push({ source, ...gap });
  }
  await load.stop();
  return lost;
}

async function collectNodes(
  host: Host,
  { guests }: OpenWorld,
  cellDir: string,
  lost: LostNote[],
): Promise<Map<string, NodeCollection>> {
  const started = guests.map(
    async (guest) => [guest.name, await collectNode(host, guest, cellDir, lost)] as const,
  );
  return new Map(await Promise.all(started));
}

async function saveLogsOfRunsc(host: Host, guest: Guest, cellDir: string): Promise<void> {
  const why = await saveRunscLogs(guest, cellDir);
  if (why !== undefined) host.progress.note(`gVisor's logs of ${guest.name} were not saved: ${why}`);
}
