import { join } from 'node:path';
import { withGrace } from '../../drivers/clock.ts';
import { claimsFolder } from '../../drivers/claims/claims.ts';
import { listSiblings } from '../../drivers/claims/sibling-labs.ts';
import { recordHeartbeat } from '../../drivers/ssh/heartbeat.ts';
import { recordHostLoad } from '../../drivers/host/host-load.ts';
import { apiErrorText, type WatchListener } from '../../drivers/kubernetes/kubernetes.ts';
import { valueOf } from '../../model/axes/axes.ts';
import { namesOf } from '../../model/text/names-of.ts';
import type { Missed } from '../../model/evidence/cell-record.ts';
import { InternalError } from '../../model/errors/errors.ts';
import type { Guest, Host } from '../../model/host/host.ts';
import { libvirtPrefix } from '../../model/host/machine.ts';
import { EVIDENCE_FILES, type EvidenceSource, type SourceOf } from '../../model/evidence/evidence-files.ts';
import { evidencePath } from '../../model/evidence/observation.ts';
import { listProcessNames } from '../../model/declared/outcome.ts';
import type { LoadedScenario, Outcome, Scenario } from '../../model/declared/scenario.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { readSamplingProgram, renderSampling } from '../../../provision/guest/sampling.ts';
import { collectNode, type LostNote, type NodeCollection, type NodeSource } from './collect-node.ts';
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
   * that is still done, within TIME_LIMITS.cell.saving.ms.
   */
  finish(): Promise<LostNote[]>;
}

/** What is recorded on the host, into a file, until it is stopped. */
interface HostRecording {
  /** When a recording of the API last heard something, ISO 8601. */
  heardAt?(): string;
  /** Resolves to what was missed. */
  stop(): Promise<Missed[]>;
}

/** What a recording on the host needs. */
interface RecordingPlace {
  readonly host: Host;
  readonly world: OpenWorld;
  readonly onPod: WatchListener;
  readonly heartbeat: Scenario['heartbeat'];
  /** The file to write. */
  readonly file: string;
}

/** The recordings that run, in the order in which they were started. */
type Recordings = Map<EvidenceSource, HostRecording>;

/** Undefined where the scenario has none of it. */
type StartRecording = (place: RecordingPlace) => Promise<HostRecording | undefined>;

/** How each source is recorded that is not collected in a node, nor by the registry. They are started in this order. */
const RECORDINGS: Readonly<
  Record<Exclude<EvidenceSource, NodeSource | SourceOf<'registry'>>, StartRecording>
> = {
  host: ({ host, file }) => {
    const prefix = libvirtPrefix(host.stateDir);
    return recordHostLoad(
      host.clock,
      { prefix, listFriends: () => listSiblings(claimsFolder(host.uid)) },
      file,
    );
  },
  heartbeat: async ({ host, world, heartbeat, file }) => {
    if (heartbeat === undefined) return undefined;
    return recordHeartbeat(host.clock, world.record.nodes, heartbeat.everySeconds * 1000, file);
  },
  pods: ({ world, file, onPod }) => world.kubernetes.record('/api/v1/pods', file, onPod),
  events: watch('/api/v1/events'),
  nodes: watch('/api/v1/nodes'),
  leases: watch('/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases'),
};

function watch(path: string): StartRecording {
  return ({ world, file }) => world.kubernetes.record(path, file);
}

/** What one cell is about, as far as collecting needs to know. */
export interface Collected {
  /** Its samplers run on the nodes. */
  readonly loaded: Pick<LoadedScenario, 'samplers' | 'parameters'> & {
    readonly scenario: Pick<Scenario, 'victim' | 'heartbeat'>;
  };
  /** Others that have to die, by the outcome of this cell. */
  readonly alsoDies?: Outcome['alsoDies'];
  /** Where its evidence goes. */
  readonly cellDir: string;
  /** Hears of every change of a pod. */
  readonly onPod: WatchListener;
}

/**
 * Starts collecting in every node and from the API, and returns once the collectors have proven that they run.
 */
export async function startCollection(
  host: Host,
  world: OpenWorld,
  collected: Collected,
): Promise<Collection> {
  const { cellDir, onPod, loaded } = collected;
  const { heartbeat, victim } = loaded.scenario;
  const lost: LostNote[] = [];
  const guests = new Map(world.guests.map((guest) => [guest.name, guest]));
  const recordings: Recordings = new Map();
  try {
    for (const source of namesOf(RECORDINGS)) {
      // Where the API goes down with the victim it is not asked: half an answer would be taken for one.
      if (victim.onNode !== undefined && EVIDENCE_FILES[source].collected === 'watch') continue;
      const place = { host, world, onPod, heartbeat, file: join(cellDir, evidencePath(source)) };
      const recording = await RECORDINGS[source](place);
      if (recording !== undefined) recordings.set(source, recording);
    }
    const nodes = await collectNodes(host, world, collected, lost);
    return {
      resume: async (guest) => {
        const node = nodes.get(guest.name);
        if (node === undefined) throw new InternalError(`${guest.name} is not a node of this world`);
        guests.set(guest.name, guest);
        await node.resume(guest);
      },
      finish: async () => {
        await withGrace(host.clock, host.signal, TIME_LIMITS.cell.saving.ms, async (limit) => {
          const hasRunsc = valueOf(world.record.variant, 'runtime').name === 'runsc';
          const logged = hasRunsc ? [...guests.values()] : [];
          await Promise.all([
            findApiSilence(host, world, recordings).then((silence) => lost.push(...silence)),
            ...[...nodes.values()].map((node) => node.finish(limit)),
            ...logged.map((guest) => saveLogsOfRunsc(host, guest.under(limit), cellDir)),
          ]);
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

/**
 * What the API may not have said: a watch of a server that hangs is as silent as one of a quiet cluster. So the server
 * is asked at the end.
 */
async function findApiSilence(
  { signal }: Host,
  { kubernetes }: OpenWorld,
  recordings: Recordings,
): Promise<LostNote[]> {
  if (signal.aborted) return [];
  const watched = [...recordings].flatMap(([source, recording]) => {
    const at = recording.heardAt?.();
    return at === undefined ? [] : [{ source, at }];
  });
  const from = watched
    .map(({ at }) => at)
    .sort()
    .at(-1);
  if (from === undefined) return [];
  const why = await kubernetes.get('/readyz').then(
    ({ status, text }) => (status === 200 ? undefined : `HTTP ${status}: ${text.slice(0, 200)}`),
    (error: unknown) => apiErrorText(error),
  );
  if (why === undefined) return [];
  return watched.map(({ source }) => ({ source, from, why: `the API was not ready at the end: ${why}` }));
}

/** Ends what is recorded on the host, the last one first; says what was missed. */
async function stopRecordings(recordings: Recordings): Promise<LostNote[]> {
  const lost: LostNote[] = [];
  for (const [source, recording] of [...recordings].reverse()) {
    for (const gap of await recording.stop()) lost.push({ source, ...gap });
  }
  return lost;
}

async function collectNodes(
  host: Host,
  { guests }: OpenWorld,
  { cellDir, loaded, alsoDies = [] }: Collected,
  lost: LostNote[],
): Promise<Map<string, NodeCollection>> {
  const started = guests.map(async (guest, index) => {
    const samplers = loaded.samplers.filter(({ on }) => on === 'all-nodes' || index === 0);
    const { parameters, scenario } = loaded;
    const { container } = scenario.victim;
    const sampling =
      samplers.length === 0
        ? undefined
        : {
            program: renderSampling(readSamplingProgram(host.projectDir), {
              samplers,
              container,
              parameters,
            }),
            samplers,
          };
    const sources = { cellDir, sampling, ends: listProcessNames(guest.name, alsoDies), lost };
    return [guest.name, await collectNode(host, guest, sources)] as const;
  });
  return new Map(await Promise.all(started));
}

async function saveLogsOfRunsc(host: Host, guest: Guest, cellDir: string): Promise<void> {
  const why = await saveRunscLogs(guest, cellDir);
  if (why !== undefined) host.progress.note(`gVisor's logs of ${guest.name} were not saved: ${why}`);
}
