import type { LabError } from '../../model/errors/errors.ts';
import type { Environment } from '../../model/host/environment.ts';
import type { RunCommand } from '../../model/host/host.ts';
import type { RemoteCache } from '../../model/host/remote-cache.ts';
import { parseRemoteAddress } from './address.ts';
import { findCredentials, type Credentials } from './docker-credentials.ts';
import { findRemoteEntry } from './fetch-entry.ts';
import { openRegistry } from './registry-client.ts';
import { sendEntry } from './send-entry.ts';

/** What a remote cache needs of its host. */
export interface RemoteCacheHost {
  readonly run: RunCommand;
  readonly env: Environment;
  /** Folder for pieces that are on their way. */
  readonly transfers: string;
}

/**
 * Opens the remote cache at an address; nothing is asked before it is used. Credentials are those of `docker login`.
 *
 * @throws UsageError when the address is none.
 */
export function openRemoteCache(text: string, { run, env, transfers }: RemoteCacheHost): RemoteCache {
  const address = parseRemoteAddress(text);
  let credentials: Promise<Credentials | undefined> | undefined;
  const registry = openRegistry(
    address,
    () => (credentials ??= findCredentials(address.host, env, run)),
  );
  const { title } = address;
  // A tag that was not there is not asked for again: several sources of a component are looked up more than once.
  const absent = new Set<string>();
  let failure: LabError | undefined;
  return {
    title,
    findFailure: () => failure,
    giveUp: (why) => void (failure ??= why),
    avoid: ({ tag }) => void absent.add(tag),
    has: ({ tag }, signal) => registry.hasManifest(tag, signal),
    find: async (wanted, signal) => {
      if (absent.has(wanted.tag)) return undefined;
      const found = await findRemoteEntry({ registry, title, transfers, signal }, wanted);
      if (found === undefined) absent.add(wanted.tag);
      return found;
    },
    send: (entry, signal, progress) => sendEntry({ registry, run, transfers, signal, progress }, entry),
  };
}
