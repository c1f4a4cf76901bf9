import { z } from 'zod';

/**
 * The formats of `lab cache --json`: what lies in the cache, why something would be made again, what was removed.
 */

/** What kinds of things the cache holds. */
export const CACHE_KINDS = [
  'component',
  'root file system',
  'kernel',
  'store',
  'image',
  'toolchain',
  'provider',
  'log',
] as const;

export const cacheEntrySchema = z.strictObject({
  kind: z.enum(CACHE_KINDS),
  name: z.string(),
  /** Version or digest; empty when the name says all. */
  version: z.string(),
  /** Disk that it takes; holes do not count. */
  bytes: z.number().int().nonnegative(),
  /** ISO 8601, UTC. */
  lastUsedAt: z.string(),
  /** Worlds that break without it. */
  usedBy: z.array(z.string()),
  /** Absolute path. */
  path: z.string(),
});

/** `lab cache list --json` */
export const cacheListSchema = z.strictObject({
  formatVersion: z.literal(1),
  folder: z.string(),
  entries: z.array(cacheEntrySchema),
  totalBytes: z.number().int(),
});

/** `lab cache prune --json` */
export const cachePruneSchema = z.strictObject({
  formatVersion: z.literal(1),
  dryRun: z.boolean(),
  /** What was removed; in a dry run, what would be. */
  removed: z.array(cacheEntrySchema),
  freedBytes: z.number().int(),
  remainingBytes: z.number().int(),
});

export const cacheAnswerSchema = z.strictObject({
  kind: z.enum(CACHE_KINDS),
  name: z.string(),
  version: z.string(),
  hit: z.boolean(),
  /** Of a hit: where it lies. Of a miss: which inputs differ from the nearest one in the cache. */
  why: z.string(),
});

/** `lab cache why --json` */
export const cacheWhySchema = z.strictObject({
  formatVersion: z.literal(1),
  /** Canonical name. */
  variant: z.string(),
  answers: z.array(cacheAnswerSchema),
});

/** One thing in the cache. */
export type CacheEntry = z.infer<typeof cacheEntrySchema>;
/** Whether something is in the cache, and why not. */
export type CacheAnswer = z.infer<typeof cacheAnswerSchema>;
export type CacheKind = (typeof CACHE_KINDS)[number];
export type CacheList = z.infer<typeof cacheListSchema>;
export type CachePrune = z.infer<typeof cachePruneSchema>;
export type CacheWhy = z.infer<typeof cacheWhySchema>;
