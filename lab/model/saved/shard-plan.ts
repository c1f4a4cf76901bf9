import { z } from 'zod';
import { variantSchema } from '../axes/axes.ts';
import { parameterTextsSchema } from '../declared/parameters.ts';
import { PROOF_MEANINGS } from '../declared/matrix.ts';
import { formatVersionSchema } from '../files/format-version.ts';
import { oneOf } from '../text/closed-list.ts';
import { listSchema } from './formats.ts';
import { digestSchema } from './shard-record.ts';

/**
 * The plan file that all hosts of one run share, and what each of its shards says of itself. `whodunit merge` holds what
 * came back against the plan.
 */

const seconds = (what: string): z.ZodNumber => z.number().nonnegative().describe(`${what}, in seconds.`);
const count = (what: string): z.ZodNumber => z.number().int().nonnegative().describe(what);

/** How the cells of a shard get their verdicts, and what each way means. */
const WORKS = {
  run: 'its worlds are brought up, and pods die in them',
  judge: 'saved evidence is judged again; it takes no machine',
} as const;

const workSchema = oneOf(WORKS, 'How the cells get their verdicts');

/** What a host must have to run a shard of a plan. */
const hostClassSchema = z
  .strictObject({
    memoryMiB: count('Memory of a host, at least, in MiB.').optional(),
    cpus: count('CPUs of a host, at least.').optional(),
    kvm: z.boolean().optional().describe('Whether guests run under KVM; absent: in any way.'),
  })
  .describe('What each host has at least.');

const plannedCellSchema = z.strictObject({
  address: z.string().describe('Its address.'),
  scenario: z.string().describe('Name of the scenario.'),
  parameters: parameterTextsSchema.optional(),
  set: z.array(z.string()).describe('Named sets that have it.'),
  estimateSeconds: seconds('What it will take'),
  evidence: z
    .string()
    .optional()
    .describe('Of a plan that judges: the folder of its evidence, relative to that of the plan.'),
});

const shardWorldSchema = z.strictObject({
  name: z.string().describe('Canonical name of its variant.'),
  variant: variantSchema,
  image: z.string().describe('Key of its image; empty where no machine is needed.'),
  estimateSeconds: seconds('Until it is ready'),
  cells: z.array(plannedCellSchema).min(1).describe('The cells that this shard runs in it.'),
});

const shardSchema = z.strictObject({
  shard: z.number().int().min(1).describe('Its index, from 1.'),
  estimateSeconds: seconds('What it will take'),
  memoryMiB: count('Memory of its largest world, in MiB.'),
  cpus: count('CPUs of its largest world.'),
  images: z.array(z.string()).describe('Keys of the images that its worlds need.'),
  worlds: z.array(shardWorldSchema).describe('What it runs.'),
});

/** Schema of the plan file: what each shard runs. */
export const shardPlanSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  plan: digestSchema.describe('SHA-256 of everything else in this file: its identity.'),
  work: workSchema,
  version: z.string().describe('Version of the whodunit that planned; the shards need the same.'),
  configuration: digestSchema.describe(
    'SHA-256 of matrix, components, scenarios, bugs and lock; the shards need the same.',
  ),
  words: z.array(z.string()).describe('The words that selected the cells.'),
  seed: z.string().optional().describe('The seed of the order; absent: the stable order.'),
  pairwise: listSchema.shape.pairwise,
  sample: listSchema.shape.sample,
  host: hostClassSchema,
  estimates: listSchema.shape.estimates,
  images: z
    .array(
      z.strictObject({
        image: z.number().int().min(1).describe('Its index, from 1: a task of the first phase.'),
        key: z.string().describe('Digest of what it is made of.'),
        variant: z.string().describe('A variant that has it, for `whodunit bake`.'),
        shards: z.array(z.number().int()).describe('The shards that need it.'),
      }),
    )
    .describe('The images of all worlds.'),
  shards: z.array(shardSchema).min(1).describe('The shards, by their index.'),
  skipped: z
    .array(
      z.strictObject({
        address: z.string().describe('Its address.'),
        variant: variantSchema,
        scenario: z.string().describe('Name of the scenario.'),
        parameters: parameterTextsSchema.optional(),
        rule: z.string().describe('Id of the rule that refuses it.'),
        reason: z.string().describe('Why, in one sentence.'),
        source: z.string().describe('Where the reason can be checked.'),
        proof: oneOf(PROOF_MEANINGS, 'How sure the reason is'),
      }),
    )
    .describe('Cells that a rule refuses.'),
  notes: listSchema.shape.notes,
  totals: z
    .strictObject({
      cells: count('Cells that are run.'),
      skipped: count('Cells that a rule refuses.'),
      worlds: count('Worlds of the cells.'),
      shards: count('Shards.'),
      images: count('Images.'),
      estimateSeconds: seconds('What all shards take together'),
      longestSeconds: seconds('What the longest shard takes'),
      idealSeconds: seconds('What no division can be shorter than'),
      memoryMiB: count('Memory of the largest world, in MiB.'),
    })
    .describe('The whole plan.'),
});

export type HostClass = z.infer<typeof hostClassSchema>;
export type ShardPlan = z.infer<typeof shardPlanSchema>;
export type PlannedShard = z.infer<typeof shardSchema>;
