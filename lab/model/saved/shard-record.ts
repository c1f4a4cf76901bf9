import { isoTime } from '../files/iso-time.ts';
import { z } from 'zod';
import { formatVersionSchema } from '../files/format-version.ts';

/** A SHA-256 digest, hexadecimal. */
export const digestSchema = z.string().regex(/^[0-9a-f]{64}$/, { error: 'a SHA-256 digest' });

/** Schema of `shard.json`: which part of which plan a run is. It is there before the first cell. */
export const shardRecordSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  plan: digestSchema.describe('Digest of the plan.'),
  shard: z.number().int().min(1).describe('Index of the shard, from 1.'),
  of: z.number().int().min(1).describe('Shards of the plan.'),
  version: z.string().describe('Version of whodunit.'),
  run: z.string().describe('Id of the run.'),
  startedAt: isoTime('When it began'),
  host: z
    .record(z.string(), z.union([z.string(), z.number()]))
    .describe('The machine it ran on: system, CPUs, memory, kernel.'),
  accelerator: z.enum(['kvm', 'tcg']).describe('How its guests were run.'),
});

export type ShardRecord = z.infer<typeof shardRecordSchema>;
