import { z } from 'zod';
import { oneOf } from '../text/closed-list.ts';
import { formatVersionSchema } from '../files/format-version.ts';

/**
 * The formats of `whodunit cache --json`: what the cache holds, why something would be made again, what was removed.
 */

/** What kinds of things the cache holds. */
const CACHE_KINDS = {
  component: 'programs of one version',
  'root file system': 'of a Debian suite',
  kernel: 'of another suite',
  store: "containerd's store with images in it",
  image: 'a disk to boot',
  toolchain: 'a Go of its time',
  provider: "Terraform's",
  transfer: 'a piece of an entry of the remote cache, kept until the entry is whole',
  log: 'of a build',
} as const;

/** What `cache why` speaks of: worlds too, which are in the state folder. */
const EXPLAINED_KINDS = { ...CACHE_KINDS, world: 'the machines of a variant, saved' } as const;

const kindSchema = oneOf(CACHE_KINDS, 'What kind of thing it is');

const cacheEntrySchema = z.strictObject({
  kind: kindSchema,
  name: z.string().describe('Its name.'),
  version: z.string().describe('Version or digest; empty when the name says all.'),
  bytes: z.number().int().nonnegative().describe('Disk that it takes, in bytes; holes do not count.'),
  lastUsedAt: z.string().describe('When it was used last; ISO 8601, UTC.'),
  usedBy: z.array(z.string()).describe('Worlds that break without it.'),
  path: z.string().describe('Absolute path.'),
});

/** `whodunit cache list --json` */
export const cacheListSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  folder: z.string().describe('Absolute path of the cache.'),
  entries: z.array(cacheEntrySchema).describe('All that it holds.'),
  totalBytes: z.number().int().describe('Disk that they take, in bytes.'),
});

/** `whodunit cache prune --json` */
export const cachePruneSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  dryRun: z.boolean().describe('Whether nothing was removed.'),
  removed: z.array(cacheEntrySchema).describe('What was removed; in a dry run, what would be.'),
  freedBytes: z.number().int().describe('Disk that they took, in bytes.'),
  remainingBytes: z.number().int().describe('Disk that the rest takes, in bytes.'),
});

const cacheAnswerSchema = z.strictObject({
  kind: oneOf(EXPLAINED_KINDS, 'What kind of thing it is'),
  name: z.string().describe('Its name.'),
  version: z.string().describe('Version or digest; empty when the name says all.'),
  hit: z.boolean().describe('Whether it is there.'),
  why: z
    .string()
    .describe('Of a hit: where it is. Of a miss: which inputs differ from the nearest one that is there.'),
});

/** `whodunit cache why --json` */
export const cacheWhySchema = z.strictObject({
  formatVersion: formatVersionSchema,
  variant: z.string().describe('Its canonical name.'),
  answers: z.array(cacheAnswerSchema).describe('All that its world is made of, and the world.'),
});

/** What became of an entry in `cache push`. */
const PUSHED = {
  sent: 'it is in the remote cache now',
  there: 'it was in the remote cache already',
  kept: 'it does not leave this host',
} as const;

/** What became of an entry in `cache pull`. */
const PULLED = {
  pulled: 'it came from the remote cache',
  here: 'it was in the cache already',
  absent: 'it is in neither',
} as const;

const movedFields = {
  kind: kindSchema,
  name: z.string().describe('Its name.'),
  version: z.string().describe('Version or digest; empty when the name says all.'),
};

/** `whodunit cache push --json` */
export const cachePushSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  remote: z.string().describe('Address of the remote cache, without a scheme.'),
  entries: z
    .array(
      z.strictObject({
        ...movedFields,
        result: oneOf(PUSHED, 'What became of it'),
        why: z.string().describe('Why it does not leave this host; else empty.'),
        sentBytes: z.number().int().nonnegative().describe('Bytes that were sent, packed.'),
      }),
    )
    .describe('All that was asked for.'),
  sentBytes: z.number().int().nonnegative().describe('Bytes that were sent, packed.'),
});

/** `whodunit cache pull --json` */
export const cachePullSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  remote: z.string().describe('Address of the remote cache, without a scheme.'),
  variant: z.string().describe('Its canonical name.'),
  entries: z
    .array(z.strictObject({ ...movedFields, result: oneOf(PULLED, 'What became of it') }))
    .describe('All that its nodes are made of.'),
});

/** One thing in the cache. */
export type CacheEntry = z.infer<typeof cacheEntrySchema>;
/** Whether something is there, and why not. */
export type CacheAnswer = z.infer<typeof cacheAnswerSchema>;
export type CacheKind = keyof typeof CACHE_KINDS;
export type CacheList = z.infer<typeof cacheListSchema>;
export type CachePrune = z.infer<typeof cachePruneSchema>;
export type CachePush = z.infer<typeof cachePushSchema>;
export type CachePull = z.infer<typeof cachePullSchema>;
export type CacheWhy = z.infer<typeof cacheWhySchema>;
