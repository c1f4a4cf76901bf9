import type { ShardPlan } from '../../../../lab/model/saved/shard-plan.ts';

const DIGEST = 'a'.repeat(64);

/** A plan of three shards. */
export const createShardPlan = (work: ShardPlan['work'], more: Partial<ShardPlan> = {}): ShardPlan => ({
  formatVersion: 1,
  plan: DIGEST,
  work,
  version: '0.1.0',
  configuration: DIGEST,
  words: [],
  host: {},
  estimates: 'defaults',
  images: [],
  shards: [1, 2, 3].map((shard) => ({
    shard,
    estimateSeconds: 100,
    memoryMiB: 3072,
    cpus: 2,
    images: [],
    worlds: [],
  })),
  skipped: [],
  notes: [],
  totals: {
    cells: 3,
    skipped: 0,
    worlds: 3,
    shards: 3,
    images: 0,
    estimateSeconds: 300,
    longestSeconds: 100,
    idealSeconds: 100,
    memoryMiB: 3072,
  },
  ...more,
});
