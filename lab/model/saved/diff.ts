import { z } from 'zod';
import { evidenceRefSchema } from './attribution.ts';
import { CHAIN_STEP_MEANINGS } from './chain-step.ts';
import { oneOf } from '../text/closed-list.ts';
import { formatVersionSchema } from '../files/format-version.ts';
import { KILLERS, VERDICT_MEANINGS } from '../killers/killers.ts';

/** Something that differs between two sides. */
const differenceSchema = z.strictObject({
  field: z.string().describe('What differs, as a path: `nodes[node-1].versions.runc`.'),
  before: z.string().describe('On the first side.'),
  now: z.string().describe('On the second side.'),
});

const PARTS = {
  variant: 'what the cluster is declared to be',
  parameters: 'the parameters of the workload',
  expected: 'what had to happen',
  judgement: 'verdict, killer, measures, and what each layer said',
  origin: 'digests of scenario, world, image and programs',
  effective: 'what the nodes are, as it was read back from them',
} as const;

const sideSchema = z.strictObject({
  run: z.string().describe('Id of the run.'),
  address: z.string().describe('Address of the cell.'),
  verdict: oneOf(VERDICT_MEANINGS, 'What it came to'),
  killer: z.enum(KILLERS).describe('Who ended the victim.'),
  totalMs: z.number().describe('The whole cell, in ms.'),
  evidence: z.string().describe("The cell's folder, relative to the run folder."),
});

const momentSchema = z.strictObject({
  ...evidenceRefSchema.shape,
  afterMs: z
    .number()
    .optional()
    .describe('When, in ms after the first dated record of this side; absent of a record without a time.'),
});

/** Two cells next to each other. */
const cellDiffSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  kind: z.literal('cells').describe('Two cells were compared.'),
  before: sideSchema.describe('The first cell.'),
  now: sideSchema.describe('The second cell.'),
  changes: z
    .array(z.strictObject({ part: oneOf(PARTS, 'Of what'), ...differenceSchema.shape }))
    .describe('What differs. Pids, ids of containers and places in files are not a difference.'),
  timeline: z
    .array(
      z.strictObject({
        step: oneOf(CHAIN_STEP_MEANINGS, 'Which step of the end'),
        before: momentSchema.optional().describe('Its record on the first side; absent: it has none.'),
        now: momentSchema.optional().describe('Its record on the second side; absent: it has none.'),
      }),
    )
    .describe(
      'How both came to the end, each side in the order of time; records that say the same are beside each other.',
    ),
});

const cellOfBothSchema = z.strictObject({
  address: z.string().describe('Address of the cell.'),
  changes: z.array(differenceSchema).describe('What differs of its judgement.'),
});

const runSideSchema = z.strictObject({
  run: z.string().describe('Id of the run.'),
  startedAt: z.string().describe('When it began; ISO 8601, UTC.'),
});

/** Two runs next to each other. */
const runDiffSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  kind: z.literal('runs').describe('Two runs were compared.'),
  before: runSideSchema.describe('The first run.'),
  now: runSideSchema.describe('The second run.'),
  host: z.array(differenceSchema).describe('What differs of the machines that they ran on.'),
  flips: z.array(cellOfBothSchema).describe('Cells with another verdict or another killer.'),
  changed: z
    .array(cellOfBothSchema)
    .describe('Cells with the same verdict and killer, of which something else differs.'),
  new: z.array(z.string()).describe('Addresses that only the second run has.'),
  gone: z.array(z.string()).describe('Addresses that only the first run has.'),
  same: z.number().int().nonnegative().describe('Cells of which nothing differs.'),
});

/** Answer of `whodunit diff --json`. */
export const diffSchema = z.discriminatedUnion('kind', [cellDiffSchema, runDiffSchema]);

export type Difference = z.infer<typeof differenceSchema>;
export type CellDiff = z.infer<typeof cellDiffSchema>;
export type RunDiff = z.infer<typeof runDiffSchema>;
