import { join } from 'node:path';
import { appendLine, readBytes } from '../../drivers/files/files.ts';
import { removeBelow } from '../../drivers/files/folders.ts';
import { openLeaseBook } from '../../drivers/claims/leases.ts';
import { listPorts } from '../../drivers/claims/lease-ports.ts';
import { reservePorts } from '../../drivers/claims/ports.ts';
import { randomName } from '../../drivers/random.ts';
import { endedEarly, registryPaths, startRegistry, type Registry } from '../../drivers/network/registry.ts';
import { openRegistryFront, type RegistryFront, type Served } from '../../drivers/network/registry-front.ts';
import type { Components } from '../../model/components/components.ts';
import { InternalError } from '../../model/errors/errors.ts';
import type { Guest, Host } from '../../model/host/host.ts';
import { statePaths } from '../../model/host/paths.ts';
import {
  parsePulledName,
  REGISTRY_PORT,
  type OciImage,
  type PulledImage,
} from '../../model/declared/registry.ts';
import type { Scenario } from '../../model/declared/scenario.ts';
import { ensureComponents } from '../../../provision/components/components.ts';
import { buildGeneratedImage } from '../../../provision/registry/generated-image.ts';
import { hostWithSignal } from '../lab.ts';

/** Component of the registry, and its program. */
const PROGRAM = 'registry';
/** What the images run; of the component `workloads`. */
const SLEEPER = 'sleeper';

/** What the registry of a cell is made of. */
export interface PreparedRegistry {
  /** Absolute path. */
  readonly program: string;
  readonly images: readonly (PulledImage & { readonly content: OciImage })[];
}

/** The registry that the nodes of a cell pull from; of most cells none. */
export interface CellRegistry {
  /** For all that waits in the cell: its signal fires as well when the registry ends early. */
  readonly host: Host;
  /** Why the cell cannot go on: the registry ended before its time. */
  readonly findFailure: () => Error | undefined;
  /** Lets another node, or one over a new connection, pull. */
  serve(guest: Guest): Promise<void>;
  /** Removes all of it from the host; what cannot be removed stays leased. */
  readonly stop: () => Promise<void>;
}

/** Makes what the registry of a scenario needs. Throws what making components throws. */
export async function prepareRegistry(
  host: Host,
  catalogue: Components,
  { registry }: Pick<Scenario, 'registry'>,
): Promise<PreparedRegistry | undefined> {
  if (registry === undefined) return undefined;
  const [server, workloads] = await ensureComponents(host, catalogue, [
    { name: PROGRAM },
    { name: 'workloads' },
  ]);
  const [program, sleeper] = [server?.files[PROGRAM], workloads?.files[SLEEPER]];
  if (program === undefined || sleeper === undefined)
    throw new InternalError(`components.yaml has no program ${PROGRAM}, or no ${SLEEPER}`);
  const command = { name: SLEEPER, content: readBytes(sleeper) };
  const images = registry.images.map(async (wanted) => ({
    ...wanted,
    content: await buildGeneratedImage(wanted.image, wanted.sizeMiB, command),
  }));
  return { program, images: await Promise.all(images) };
}

/** Where the registry of a cell belongs. */
export interface RegistryPlacement {
  /** Address of the cell. */
  readonly owner: string;
  /** What nodes asked of it, a line each. */
  readonly file: string;
}

/**
 * Starts the registry of a cell on the host's loopback and lets every node reach it, and nothing else, on its own. Without
 * one, nothing is started.
 *
 * @throws HostError LAB_REGISTRY, LAB_SSH_LISTEN; ProbeTimeoutError; InterruptedError. Nothing is left then.
 */
export async function openCellRegistry(
  host: Host,
  guests: readonly Guest[],
  prepared: PreparedRegistry | undefined,
  placement: RegistryPlacement,
): Promise<CellRegistry> {
  if (prepared === undefined) return { host, ...NO_REGISTRY };
  const place = await leasePlace(host, placement.owner);
  const died = new AbortController();
  let registry: Registry | undefined;
  let front: RegistryFront | undefined;
  let failure: Error | undefined;
  let isOver = false;
  const fail = (error: Error): void => {
    if (isOver) return;
    failure ??= error;
    died.abort(failure);
  };
  const stop = async (): Promise<void> => {
    isOver = true;
    await front?.close();
    await registry?.stop();
    place.remove();
  };
  try {
    registry = await startRegistry(host, { program: prepared.program, ...place });
    void registry.ended.then((why) => fail(endedEarly(why)));
    for (const { image, content } of prepared.images) {
      const { repository, tag } = parsePulledName(image);
      await registry.push(repository, tag, content);
    }
    front = openFront(host, prepared, { ...placement, port: place.port, fail });
    const { accept } = front;
    const serve = (guest: Guest): Promise<void> =>
      guest.listen(REGISTRY_PORT, (connection) => accept(guest.name, connection));
    await Promise.all(guests.map(serve));
    const within = hostWithSignal(host, AbortSignal.any([host.signal, died.signal]));
    return { host: within, serve, stop, findFailure: () => failure };
  } catch (error) {
    await stop();
    throw error;
  }
}

const NO_REGISTRY: Omit<CellRegistry, 'host'> = {
  findFailure: () => undefined,
  serve: () => Promise.resolve(),
  stop: () => Promise.resolve(),
};

/** A folder and a port, leased together with the process that is to have them. */
interface Place {
  readonly folder: string;
  readonly port: number;
  /** Removes the folder, and strikes out the leases: the process is gone. */
  remove(): void;
}

async function leasePlace(host: Host, owner: string): Promise<Place> {
  const { leases: path, registries } = statePaths(host.stateDir);
  const leases = openLeaseBook(path, host.clock, process.pid);
  const [port = 0] = await reservePorts(1, new Set(listPorts(leases.open())));
  const folder = join(registries, randomName());
  const taken = [
    leases.take('process', registryPaths(folder).config, owner, PROGRAM),
    leases.take('folder', folder, owner),
  ];
  return {
    folder,
    port,
    remove: () => {
      removeBelow(host.stateDir, folder);
      for (const id of taken) leases.release(id);
    },
  };
}

/** What the front of a registry reports to. */
interface Report {
  readonly port: number;
  readonly file: string;
  readonly fail: (error: Error) => void;
}

function openFront(host: Host, { images }: PreparedRegistry, { port, file, fail }: Report): RegistryFront {
  const slow = images.flatMap(({ image, kibPerSecond }): [string, number][] =>
    kibPerSecond === undefined ? [] : [[parsePulledName(image).repository, kibPerSecond * 1024]],
  );
  const onServed = ({ atMs, ...served }: Served): void => {
    try {
      appendLine(file, JSON.stringify({ at: new Date(atMs).toISOString(), ...served }));
    } catch (error) {
      fail(error as Error);
    }
  };
  return openRegistryFront({ port, rates: new Map(slow), now: () => host.clock.now(), onServed });
}
