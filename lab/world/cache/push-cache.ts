import type { CachePush } from '../../model/saved/cache.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { Host } from '../../model/host/host.ts';
import { entryLockPaths } from '../../model/host/paths.ts';
import type { RemoteCache } from '../../model/host/remote-cache.ts';
import { formatBytes } from '../../model/text/format-bytes.ts';
import { sum } from '../../model/text/sum.ts';
import { remoteKey } from '../../../provision/cache/sharing.ts';
import type { SharedEntry } from './shared-entries.ts';

type Pushed = CachePush['entries'][number];

/**
 * Sends entries to the remote cache that it lacks. Nothing prunes them meanwhile.
 *
 * @throws HostError LAB_REMOTE_CACHE; InterruptedError. What was sent stays there, and is not sent again.
 */
export async function pushCache(
  host: Host,
  remote: RemoteCache,
  entries: readonly SharedEntry[],
): Promise<CachePush> {
  const pushed: Pushed[] = [];
  for (const entry of entries) pushed.push(await pushEntry(host, remote, entry));
  return {
    formatVersion: FORMAT_VERSION,
    remote: remote.title,
    entries: pushed,
    sentBytes: sum(pushed.map(({ sentBytes }) => sentBytes)),
  };
}

async function pushEntry(host: Host, remote: RemoteCache, entry: SharedEntry): Promise<Pushed> {
  const { kind, name, version, path, inputs, sharing } = entry;
  const said = { kind, name, version, why: '', sentBytes: 0 };
  await host.locks.use(entryLockPaths(host.cacheDir, path).use);
  const key = remoteKey(sharing, inputs);
  if (await remote.has(key, host.signal)) return { ...said, result: 'there' };
  const parcel = await sharing.pack(host, path);
  if (typeof parcel === 'string') return { ...said, result: 'kept', why: parcel };
  const { sentBytes } = await host.progress.step(`${kind} ${name} to ${remote.title}`, (update) => {
    let moved = 0;
    return remote.send({ ...key, ...parcel }, host.signal, (bytes) => {
      moved += bytes;
      update(formatBytes(moved));
    });
  });
  return { ...said, result: 'sent', sentBytes };
}
