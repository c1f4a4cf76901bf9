import { z } from 'zod';
import { formatVersionSchema } from '../files/format-version.ts';
import { runResultSchema } from './formats.ts';
import { digestSchema, shardRecordSchema } from './shard-record.ts';

const count = (what: string): z.ZodNumber => z.number().int().nonnegative().describe(what);

/** Schema of `merged.json`: what a merged run is made of. It is small, however many cells the run has. */
export const mergedRecordSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  plan: digestSchema.describe('Digest of the plan.'),
  parts: z.array(shardRecordSchema).min(1).describe('The runs of its shards.'),
});

/** `whodunit merge --json` */
export const mergeSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  run: z.string().describe('Id of the merged run.'),
  folder: z.string().describe('Its folder.'),
  plan: digestSchema.describe('Digest of the plan.'),
  totals: runResultSchema.shape.totals,
  parts: count('Runs that it is made of.'),
  lacking: z
    .array(
      z.strictObject({
        shard: z.number().int().min(1).describe('Its index, from 1.'),
        returned: count('Cells that have come back.'),
        of: count('Cells that were planned.'),
        missing: z.array(z.string()).describe('Addresses of the others.'),
        again: z.string().describe('The command that runs the shard again.'),
      }),
    )
    .describe('Shards of which cells are missing; empty when all have come back.'),
  disagreeing: z.array(z.string()).describe('Addresses of cells that hosts judged differently.'),
});

export type MergedRecord = z.infer<typeof mergedRecordSchema>;
export type MergeResult = z.infer<typeof mergeSchema>;
