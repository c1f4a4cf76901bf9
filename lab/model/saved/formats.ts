import { z } from 'zod';
import { changeSchema } from './again.ts';
import { attributionSchema } from './attribution.ts';
import { variantSchema } from '../axes/axes.ts';
import { oneOf } from '../text/closed-list.ts';
import { isoTime } from '../files/iso-time.ts';
import { formatVersionSchema } from '../files/format-version.ts';
import { KILLERS, LAYER_MEANINGS, VERDICT_MEANINGS } from '../killers/killers.ts';
import { bugResultSchema } from '../declared/ledger.ts';
import { PROOF_MEANINGS } from '../declared/matrix.ts';
import { measureResultSchema } from '../measures/measure.ts';
import { investigatedSchema, investigationSchema } from './investigate.ts';
import { triedSchema } from '../declared/tries.ts';
import { parameterTextsSchema } from '../declared/parameters.ts';
import { digestSchema, shardRecordSchema } from './shard-record.ts';

/**
 * The formats other programs read. They are a contract: fields are added, never renamed or removed, and
 * `formatVersion` rises when a reader would have to change. JSON Schemas are generated from these.
 */

export * from './attribution.ts';

const addressSchema = z
  .string()
  .describe('`<variant>/<scenario>`, with `[name=value,…]` for parameters that are not at their default.');
const scenarioNameSchema = z.string().describe('Name of the scenario.');
const verdictSchema = oneOf(VERDICT_MEANINGS, 'What the cell came to');
const count = (what: string): z.ZodNumber => z.number().int().describe(what);

/** What one layer said. */
const claimSchema = z.strictObject({
  layer: oneOf(LAYER_MEANINGS, 'Who said it'),
  says: z.string().describe('What it said, in words.'),
  agrees: z
    .boolean()
    .nullable()
    .describe('Whether that agrees with the attribution; null when the layer said nothing about it.'),
});

/** An expectation that did not hold. */
const mismatchSchema = z.strictObject({
  field: z.string().describe('Field of `expect`.'),
  expected: z.string().describe('What had to be.'),
  observed: z.string().describe('What was.'),
});

/** One run of a repeated cell. */
const attemptSchema = z.strictObject({
  verdict: oneOf(VERDICT_MEANINGS, 'What this run came to'),
  killer: z.enum(KILLERS).describe('Who ended the victim (docs/verdicts.md).'),
  evidence: z.string().describe("The attempt's folder, relative to the run folder."),
  note: z.string().optional().describe('Why there is no verdict.'),
});

/** How often a repeated cell ended as expected. */
const rateSchema = z.strictObject({
  passed: z.number().int().nonnegative().describe('Attempts that passed.'),
  of: z.number().int().nonnegative().describe('Attempts that passed or failed.'),
  tolerate: z.number().min(0).max(1).describe('Share of attempts that may fail.'),
  failing: z
    .strictObject({
      low: z.number().describe('Lower bound.'),
      high: z.number().describe('Upper bound.'),
      method: z.literal('wilson-95').describe('The Wilson score interval of 95 %.'),
    })
    .describe('Bounds of the share of attempts that fail in the long run.'),
});

/** A declared start failure that was seen. */
const startFailureSeenSchema = z
  .strictObject({
    id: z.string().describe('Its id in `startFailures` of matrix.yaml.'),
    expected: z
      .boolean()
      .describe(
        'Whether the cell had to come to this, in place of what `expected` says. It had not when somebody asked about a bug that ends otherwise.',
      ),
    text: z.string().describe('What a journal of the node had to say.'),
    seen: z.string().describe('The line of the journal that says so.'),
  })
  .describe(
    'That no pod started in the world of the cell, as declared, and the proof. Such a cell is skipped; absent for all others.',
  );

const milliseconds = (what: string): z.ZodNumber => z.number().nonnegative().describe(`${what}, in ms.`);

const timingsSchema = z
  .object({
    restoreMs: milliseconds('How long the cell waited for a pristine world'),
    deployMs: milliseconds('Until the workload was created'),
    verdictMs: milliseconds('Until the outcome was seen'),
    totalMs: milliseconds('The whole cell'),
  })
  .catchall(z.number());

export const cellSchema = z.strictObject({
  address: addressSchema,
  variant: variantSchema,
  scenario: scenarioNameSchema,
  parameters: parameterTextsSchema.optional(),
  verdict: verdictSchema,
  expected: z.record(z.string(), z.unknown()).describe('The outcome that was expected of this variant.'),
  attribution: attributionSchema.describe('Who did it, and the proof.'),
  claims: z.array(claimSchema).describe('What each layer said.'),
  mismatches: z.array(mismatchSchema).describe('Expectations that did not hold.'),
  measures: z
    .array(measureResultSchema)
    .optional()
    .describe('What was measured; absent when nothing was sampled and no measure was expected.'),
  tried: triedSchema.optional().describe('Of a scenario with `tries`: the share of each end.'),
  timings: timingsSchema.describe('How long it took.'),
  evidence: z.string().describe("The cell's folder, relative to the run folder."),
  note: z
    .string()
    .optional()
    .describe('Why there is no verdict (inconclusive, interrupted) or which rule skipped the cell.'),
  startFailure: startFailureSeenSchema.optional(),
  attempts: z
    .array(attemptSchema)
    .optional()
    .describe(
      'Of a scenario with `repeat`: all its runs; attribution, claims and evidence are those of the one to look at. Of a merged run without `rate`: results of several hosts that disagree.',
    ),
  bug: bugResultSchema.optional(),
  rate: rateSchema.optional().describe('Of a scenario with `repeat`: how often it ended as expected.'),
  ranOn: z
    .string()
    .optional()
    .describe('Of a merged run: the id of the run that it comes from; `parts` says on which host that was.'),
});

/** Answer of `whodunit judge --json`: saved evidence judged again. */
export const rejudgedSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  cells: z
    .array(
      z.strictObject({
        folder: z.string().describe('As it was given or found below the given folder.'),
        ...cellSchema.pick({
          address: true,
          verdict: true,
          attribution: true,
          claims: true,
          mismatches: true,
          note: true,
          measures: true,
          tried: true,
          bug: true,
        }).shape,
        changed: z
          .array(changeSchema)
          .optional()
          .describe('Where the saved result said otherwise; absent when there is none to compare with.'),
      }),
    )
    .describe('Each folder of a cell that was found.'),
  autopsies: z
    .array(
      z.strictObject({
        folder: z.string().describe('As it was given.'),
        deaths: z
          .array(
            z.strictObject({
              name: z.string().describe('Pod, container and attempt.'),
              attribution: attributionSchema.describe('Who did it, as it is judged now.'),
            }),
          )
          .describe('What the saved files say now.'),
        changed: z.array(changeSchema).describe('Where the saved answer said otherwise.'),
      }),
    )
    .optional()
    .describe('Each folder of `autopsy --save`; absent when cells were judged.'),
  notAsExported: z
    .array(
      z.strictObject({
        file: z.string().describe('Its path.'),
        is: z.enum(['changed', 'missing', 'added']).describe('Compared with `contents.json`.'),
      }),
    )
    .optional()
    .describe('Of an unpacked export: the files that are not what was exported; absent when all are.'),
  missing: z
    .array(
      z.strictObject({
        address: addressSchema,
        evidence: z.string().describe('Where it should be, relative to the run.'),
      }),
    )
    .optional()
    .describe('Cells of a given run whose evidence is not there; absent when all of it is.'),
});

export const runResultSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  run: z
    .string()
    .regex(/^\w[\w.-]*$/, { error: 'the id of a run' })
    .describe('Id of the run.'),
  startedAt: isoTime('When it began'),
  host: z
    .record(z.string(), z.union([z.string(), z.number()]))
    .describe('The machine it ran on: system, CPUs, memory, versions.'),
  accelerator: z
    .enum(['kvm', 'tcg'])
    .describe('How guests were run: `kvm` by the CPU itself, `tcg` emulated.'),
  totals: z
    .strictObject({
      passed: count('Cells that passed.'),
      failed: count('Cells that failed.'),
      inconclusive: count('Cells that could not be observed.'),
      skipped: count('Cells that a rule refused, or in whose world no pod starts, as declared.'),
      interrupted: count('Cells that were interrupted.'),
    })
    .describe('Cells by verdict.'),
  plan: digestSchema.optional().describe('Of a merged run: the digest of its plan file.'),
  parts: z
    .array(shardRecordSchema)
    .optional()
    .describe('Of a merged run: the runs of its shards, each with its host, accelerator and kernel.'),
  cells: z.array(cellSchema).describe('Every cell, in the order of the plan.'),
  investigated: z
    .array(investigatedSchema)
    .optional()
    .describe(
      'With `--investigate`: what the failures follow; the cells that were run again are among `cells`.',
    ),
});

const statement = {
  reason: z.string().describe('Why, in one sentence.'),
  source: z.string().describe('Where the reason can be checked.'),
  proof: oneOf(PROOF_MEANINGS, 'How sure the reason is'),
};

export const listSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  cells: z
    .array(
      z.strictObject({
        address: addressSchema,
        variant: variantSchema,
        scenario: scenarioNameSchema,
        parameters: parameterTextsSchema.optional(),
        set: z.array(z.string()).describe('Named sets that have it.'),
        estimateSeconds: z.number().describe('What it will take, in seconds.'),
      }),
    )
    .describe('What would run, in that order.'),
  skipped: z
    .array(
      z.strictObject({
        address: addressSchema,
        rule: z.string().describe('Id of the rule that refuses it.'),
        ...statement,
      }),
    )
    .describe('What would not.'),
  investigates: z
    .array(investigationSchema)
    .optional()
    .describe('With `--investigate`: how cells are run again when they fail.'),
  worlds: z
    .array(
      z.strictObject({
        name: z.string().describe('Canonical name of its variant.'),
        parent: z
          .string()
          .optional()
          .describe(
            'The saved world that it is derived from; absent: it is restored, or built from its image.',
          ),
        why: z.string().describe('Why it comes to be this way.'),
        lanes: z
          .number()
          .int()
          .positive()
          .optional()
          .describe('How many forks of it share its cells (`--lanes`); absent: it runs them itself.'),
        estimateSeconds: z.number().describe('What that will take, in seconds.'),
      }),
    )
    .default([])
    .describe('The worlds that they need, in the order in which they come to be.'),
  totals: z
    .strictObject({
      cells: count('Cells that would run.'),
      skipped: count('Cells that would not.'),
      worlds: count('Worlds that they need.'),
      estimateSeconds: z.number().describe('What all of it will take, in seconds.'),
      lanes: z
        .strictObject({
          most: z.number().int().positive().describe('The lanes of the world that has most.'),
          estimateSeconds: z.number().describe('What all of it will take in these lanes, in seconds.'),
        })
        .optional()
        .describe('Absent: no world has more than one lane.'),
      buildSeconds: z
        .number()
        .optional()
        .describe('What of that is fetching and building programs that are not in the cache.'),
      memoryMiB: z.number().describe('Memory of the largest world, in MiB.'),
    })
    .describe('The whole plan.'),
  estimates: z.enum(['past-runs', 'some-past-runs', 'defaults']).describe('What the estimates rest on.'),
  notes: z
    .array(
      z.strictObject({
        kind: z
          .enum(['note', 'start-failure'])
          .describe('`start-failure`: their pods cannot start, which must be seen; `note`: worth knowing.'),
        id: z.string().describe('Its name in matrix.yaml.'),
        ...statement,
        variants: z.array(z.string()).describe('Canonical names of the variants that it is about.'),
      }),
    )
    .describe('What is declared about variants that are run.'),
  seed: z.string().optional().describe('The seed of the order; absent: the stable order.'),
  pairwise: z
    .strictObject({
      of: count('Cells to choose from.'),
      pairs: count('Pairs of values in them.'),
      covered: count('How many of these the chosen cells have.'),
    })
    .optional()
    .describe('With `--pairwise`: how few cells have every pair.'),
  sample: z
    .strictObject({
      of: count('Cells to draw from.'),
      ofWorlds: count('Worlds that these have, if worlds were drawn first.').optional(),
      seed: z.string().describe('The same seed draws the same cells.'),
    })
    .optional()
    .describe('With `--sample`: how the cells were drawn at random.'),
});

export type Claim = z.infer<typeof claimSchema>;
export type Mismatch = z.infer<typeof mismatchSchema>;
export type Rate = z.infer<typeof rateSchema>;
export type Rejudged = z.infer<typeof rejudgedSchema>;
export type CellResult = z.infer<typeof cellSchema>;
export type RunResult = z.infer<typeof runResultSchema>;
export type ListResult = z.infer<typeof listSchema>;
