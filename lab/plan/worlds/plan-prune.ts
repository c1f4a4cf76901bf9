import type { CacheEntry } from '../../model/saved/cache.ts';

/** What to remove from the cache, and what it leaves. */
export interface PrunePlan {
  readonly remove: readonly CacheEntry[];
  /** Bytes that stay, what worlds use included. */
  readonly remainingBytes: number;
}

/**
 * Chooses what leaves the cache: least recently used first, until the rest fits. Entries that a world uses always
 * stay, so more may stay than asked for. A limit of 0 removes all that is not used.
 */
export function planPrune(entries: readonly CacheEntry[], maxBytes: number): PrunePlan {
  const oldestFirst = entries
    .filter((entry) => entry.usedBy.length === 0)
    .sort((a, b) => compare(a.lastUsedAt, b.lastUsedAt) || compare(a.path, b.path));
  const remove: CacheEntry[] = [];
  let remainingBytes = entries.reduce((total, entry) => total + entry.bytes, 0);
  for (const entry of oldestFirst) {
    if (remainingBytes <= maxBytes) break;
    remove.push(entry);
    remainingBytes -= entry.bytes;
  }
  return { remove, remainingBytes };
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
