import { tryLockFile } from '../../drivers/claims/file-lock.ts';
import { pathExists } from '../../drivers/files/files.ts';
import { removeBelow } from '../../drivers/files/folders.ts';
import type { CacheEntry, CachePrune } from '../../model/saved/cache.ts';
import type { Host } from '../../model/host/host.ts';
import { entryLockPaths, tarCompanions } from '../../model/host/paths.ts';
import { planPrune } from '../../plan/worlds/plan-prune.ts';
import { listCache } from './list-cache.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';

/** Who uses what another lab has locked. */
const A_LAB = 'a lab that runs';

/**
 * Removes the least recently used things that neither a world nor a lab that runs needs until the cache fits. No lab can
 * begin to use what is being removed: it waits, and then makes it again.
 *
 * @throws HostError LAB_NOT_OURS when a folder of the cache leads elsewhere; LAB_LOCK.
 */
export async function pruneCache(
  host: Pick<Host, 'cacheDir' | 'stateDir'>,
  options: { readonly maxBytes: number; readonly dryRun: boolean },
): Promise<CachePrune> {
  const held: (() => void)[] = [];
  try {
    const entries: CacheEntry[] = [];
    for (const entry of listCache(host)) {
      const isFree = await claim(host, entry, options.dryRun, held);
      entries.push(isFree ? entry : { ...entry, usedBy: [...entry.usedBy, A_LAB] });
    }
    const { remove, remainingBytes } = planPrune(entries, options.maxBytes);
    for (const { path } of options.dryRun ? [] : remove) removeEntry(host, path);
    return {
      formatVersion: FORMAT_VERSION,
      dryRun: options.dryRun,
      removed: [...remove],
      freedBytes: remove.reduce((total, entry) => total + entry.bytes, 0),
      remainingBytes,
    };
  } finally {
    for (const release of held) release();
  }
}

/** Takes both locks of an entry, which are kept in `held`; false when a lab has one of them. */
async function claim(
  { cacheDir }: Pick<Host, 'cacheDir'>,
  { path }: CacheEntry,
  dryRun: boolean,
  held: (() => void)[],
): Promise<boolean> {
  const { make, use } = entryLockPaths(cacheDir, path);
  for (const lock of [make, use]) {
    // Who only looks makes no files.
    if (dryRun && !pathExists(lock)) continue;
    const release = await tryLockFile(lock);
    if (release === undefined) return false;
    held.push(release);
  }
  return true;
}

function removeEntry({ cacheDir }: Pick<Host, 'cacheDir'>, path: string): void {
  removeBelow(cacheDir, path);
  for (const beside of Object.values(tarCompanions(path)))
    if (pathExists(beside)) removeBelow(cacheDir, beside);
}
