import { z } from 'zod';
import { attributionSchema } from './attribution.ts';
import { AXES } from './axes.ts';
import { BUG_STATUSES } from './bug.ts';
import { KILLERS, LAYERS, VERDICTS } from './killers.ts';
import { PROOFS } from './matrix.ts';
import { parameterTextsSchema } from './parameters.ts';

/**
 * The formats other programs read. They are a contract: fields are added, never renamed or removed, and
 * `formatVersion` rises when a reader would have to change. JSON Schemas are generated from these.
 */

export const FORMAT_VERSION = 1;

export * from './attribution.ts';

const variantSchema = z.record(z.enum(AXES), z.string());

export const claimSchema = z.strictObject({
  layer: z.enum(LAYERS),
  says: z.string(),
  /** Whether the claim agrees with the attribution; null when the layer said nothing about it. */
  agrees: z.boolean().nullable(),
});

/** An expectation that did not hold. */
export const mismatchSchema = z.strictObject({
  field: z.string(),
  expected: z.string(),
  observed: z.string(),
});

/** One run of a repeated cell. */
export const attemptSchema = z.strictObject({
  verdict: z.enum(VERDICTS),
  killer: z.enum(KILLERS),
  /** The attempt's folder, relative to the run folder. */
  evidence: z.string(),
  note: z.string().optional(),
});

/** How often a repeated cell ended as expected. */
export const rateSchema = z.strictObject({
  /** Attempts that passed, of those that passed or failed. */
  passed: z.number().int().nonnegative(),
  of: z.number().int().nonnegative(),
  /** Share of attempts that may fail. */
  tolerate: z.number().min(0).max(1),
  /** Bounds of the share of attempts that fail in the long run. */
  failing: z.strictObject({ low: z.number(), high: z.number(), method: z.literal('wilson-95') }),
});

export const timingsSchema = z
  .object({
    restoreMs: z.number().nonnegative(),
    deployMs: z.number().nonnegative(),
    verdictMs: z.number().nonnegative(),
    totalMs: z.number().nonnegative(),
  })
  .catchall(z.number());

export const cellSchema = z.strictObject({
  address: z.string(),
  variant: variantSchema,
  scenario: z.string(),
  parameters: parameterTextsSchema.optional(),
  verdict: z.enum(VERDICTS),
  /** The outcome that was expected of this variant. */
  expected: z.record(z.string(), z.unknown()),
  attribution: attributionSchema,
  claims: z.array(claimSchema),
  mismatches: z.array(mismatchSchema),
  timings: timingsSchema,
  /** The cell's folder, relative to the run folder. */
  evidence: z.string(),
  /** Why there is no verdict (inconclusive, interrupted) or which rule skipped the cell. */
  note: z.string().optional(),
  /** Of a scenario with `repeat`: all its runs; attribution, claims and evidence are those of the one to look at. */
  attempts: z.array(attemptSchema).optional(),
  rate: rateSchema.optional(),
});

/** Answer of `lab judge --json`: saved evidence judged again. */
export const rejudgedSchema = z.strictObject({
  formatVersion: z.literal(FORMAT_VERSION),
  cells: z.array(
    z.strictObject({
      /** As it was given or found below the given folder. */
      folder: z.string(),
      address: z.string(),
      verdict: z.enum(VERDICTS),
      attribution: attributionSchema,
      claims: z.array(claimSchema),
      mismatches: z.array(mismatchSchema),
      note: z.string().optional(),
      /** Where the saved result said otherwise; absent when there is none to compare with. */
      changed: z.array(z.strictObject({ field: z.string(), before: z.string(), now: z.string() })).optional(),
    }),
  ),
});

export const runResultSchema = z.strictObject({
  formatVersion: z.literal(FORMAT_VERSION),
  run: z.string(),
  startedAt: z.string(),
  host: z.record(z.string(), z.union([z.string(), z.number()])),
  accelerator: z.enum(['kvm', 'tcg']),
  totals: z.strictObject({
    passed: z.number().int(),
    failed: z.number().int(),
    inconclusive: z.number().int(),
    skipped: z.number().int(),
    interrupted: z.number().int(),
  }),
  cells: z.array(cellSchema),
});

export const listSchema = z.strictObject({
  formatVersion: z.literal(FORMAT_VERSION),
  cells: z.array(
    z.strictObject({
      address: z.string(),
      variant: variantSchema,
      scenario: z.string(),
      parameters: parameterTextsSchema.optional(),
      set: z.array(z.string()),
      estimateSeconds: z.number(),
    }),
  ),
  skipped: z.array(
    z.strictObject({
      address: z.string(),
      rule: z.string(),
      reason: z.string(),
      source: z.string(),
      /** `predicted`: the rule was read about elsewhere and never seen; run the cell to settle it. */
      proof: z.enum(PROOFS),
    }),
  ),
  totals: z.strictObject({
    cells: z.number().int(),
    skipped: z.number().int(),
    worlds: z.number().int(),
    estimateSeconds: z.number(),
    memoryMiB: z.number(),
  }),
  /** What the estimates rest on. */
  estimates: z.enum(['past-runs', 'some-past-runs', 'defaults']),
  /** What is declared about variants that are run; `start-failure`: their pods cannot start, which must be seen. */
  notes: z.array(
    z.strictObject({
      kind: z.enum(['note', 'start-failure']),
      id: z.string(),
      reason: z.string(),
      source: z.string(),
      proof: z.enum(PROOFS),
      variants: z.array(z.string()),
    }),
  ),
  /** The seed of the order; absent: the stable order. */
  seed: z.string().optional(),
  /** With `--pairwise`: cells to choose from, pairs of values in them, and how many of these the chosen cells have. */
  pairwise: z
    .strictObject({ of: z.number().int(), pairs: z.number().int(), covered: z.number().int() })
    .optional(),
});

export const doctorSchema = z.strictObject({
  formatVersion: z.literal(FORMAT_VERSION),
  ok: z.boolean(),
  checks: z.array(
    z.strictObject({
      name: z.string(),
      ok: z.boolean(),
      found: z.string(),
      why: z.string().optional(),
      fix: z.string().optional(),
    }),
  ),
});

/** Whether a bug was seen: the affected cell shows it, the fixed one does not, and every control behaves. */
export const REPRO_OUTCOMES = ['reproduced', 'not-reproduced', 'inconclusive'] as const;

export const bugsSchema = z.strictObject({
  formatVersion: z.literal(FORMAT_VERSION),
  bugs: z.array(
    z.strictObject({
      id: z.string(),
      title: z.string(),
      links: z.array(z.string()),
      seed: z.string().optional(),
      /** Canonical names of variants, with parameters in brackets: each is a selector. */
      affected: z.string(),
      fixed: z.string(),
      controls: z.array(z.string()),
      scenario: z.string(),
      status: z.enum(BUG_STATUSES),
    }),
  ),
});

export const reproSchema = z.strictObject({
  formatVersion: z.literal(FORMAT_VERSION),
  bug: z.string(),
  outcome: z.enum(REPRO_OUTCOMES),
  /** The outcome in one sentence. */
  note: z.string(),
  /** The run whose folder has the evidence; absent when a rule refused a cell and nothing was started. */
  run: z.string().optional(),
  affected: cellSchema,
  fixed: cellSchema,
  controls: z.array(cellSchema),
  /** Ready to paste into an issue. */
  markdown: z.string(),
});

/** One line of `events.jsonl`. */
export const eventSchema = z.strictObject({
  at: z.string(),
  event: z.enum([
    'run-started',
    'world-started',
    'world-ready',
    /** A restored world failed its health gate; `detail` says why. It is restored once more. */
    'world-unhealthy',
    /** It failed the gate twice: it is removed and built again, once. */
    'world-rebuilt',
    /** Its power was taken away to make room; the `ready` snapshot stays. */
    'world-parked',
    /** It could not be brought up; its cells are inconclusive, or skipped when the failure is declared. */
    'world-failed',
    'cell-started',
    'cell-restored',
    'cell-deployed',
    'cell-observed',
    'cell-judged',
    'run-ended',
  ]),
  address: z.string().optional(),
  world: z.string().optional(),
  verdict: z.enum(VERDICTS).optional(),
  detail: z.string().optional(),
});

export type Claim = z.infer<typeof claimSchema>;
export type Mismatch = z.infer<typeof mismatchSchema>;
export type Rate = z.infer<typeof rateSchema>;
export type Rejudged = z.infer<typeof rejudgedSchema>;
export type CellResult = z.infer<typeof cellSchema>;
export type RunResult = z.infer<typeof runResultSchema>;
export type ListResult = z.infer<typeof listSchema>;
export type DoctorResult = z.infer<typeof doctorSchema>;
export type BugsResult = z.infer<typeof bugsSchema>;
export type ReproOutcome = (typeof REPRO_OUTCOMES)[number];
export type RunEvent = z.infer<typeof eventSchema>;
