import { pathExists } from '../../drivers/files/files.ts';
import { removeBelow } from '../../drivers/files/folders.ts';
import type { CachePrune } from '../../model/saved/cache.ts';
import type { Host } from '../../model/host/host.ts';
import { tarCompanions } from '../../model/host/paths.ts';
import { planPrune } from '../../plan/worlds/plan-prune.ts';
import { listCache } from './list-cache.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';

/**
 * Removes the least recently used things that no world needs until the cache fits. The caller holds the lock of the
 * state folder; a lab with another state folder on the same cache makes missing entries again.
 *
 * @throws HostError LAB_NOT_OURS when a folder of the cache leads elsewhere.
 */
export function pruneCache(
  host: Pick<Host, 'cacheDir' | 'stateDir'>,
  options: { readonly maxBytes: number; readonly dryRun: boolean },
): CachePrune {
  const { remove, remainingBytes } = planPrune(listCache(host), options.maxBytes);
  for (const { path } of options.dryRun ? [] : remove) {
    removeBelow(host.cacheDir, path);
    for (const beside of Object.values(tarCompanions(path)))
      if (pathExists(beside)) removeBelow(host.cacheDir, beside);
  }
  return {
    formatVersion: FORMAT_VERSION,
    dryRun: options.dryRun,
    removed: [...remove],
    freedBytes: remove.reduce((total, entry) => total + entry.bytes, 0),
    remainingBytes,
  };
}
