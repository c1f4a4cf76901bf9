import { z } from 'zod';
import { AXES } from './axes.ts';
import { KILLERS, LAYERS, LEVELS, VERDICTS } from './killers.ts';

/**
 * The formats other programs read. They are a contract: fields are added, never renamed or removed, and
 * `formatVersion` rises when a reader would have to change. JSON Schemas are generated from these.
 */

export const FORMAT_VERSION = 1;

const variantSchema = z.record(z.enum(AXES), z.string());

/** A pointer into a saved evidence file; `line` counts from 1. */
export const evidenceRefSchema = z.strictObject({
  /** Which source said it: kmsg, cgroup, trace, containerd, kubelet, pod, event, stimulus. */
  source: z.string(),
  /** Wall time of the fact as ISO 8601, UTC; empty when the source carries none. */
  at: z.string(),
  /** Path inside the cell's evidence folder. */
  file: z.string(),
  line: z.number().int().positive().optional(),
  /** The record itself, or the decisive part of it. */
  text: z.string(),
});

/** The killer named from the observations. */
export const attributionSchema = z.strictObject({
  killer: z.enum(KILLERS),
  level: z.enum(LEVELS).optional(),
  /** Whose death: `pod/container`, with the process when known: `eater-x/eater pid 812 (memory-eater)`. */
  victim: z.string(),
  confidence: z.enum(['proven', 'likely', 'none']),
  because: z.array(evidenceRefSchema),
});

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
      set: z.array(z.string()),
      estimateSeconds: z.number(),
    }),
  ),
  skipped: z.array(
    z.strictObject({ address: z.string(), rule: z.string(), reason: z.string(), source: z.string() }),
  ),
  totals: z.strictObject({
    cells: z.number().int(),
    skipped: z.number().int(),
    worlds: z.number().int(),
    estimateSeconds: z.number(),
    memoryMiB: z.number(),
  }),
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

/** One line of `events.jsonl`. */
export const eventSchema = z.strictObject({
  at: z.string(),
  event: z.enum([
    'run-started',
    'world-started',
    'world-ready',
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

export type EvidenceRef = z.infer<typeof evidenceRefSchema>;
export type Attribution = z.infer<typeof attributionSchema>;
export type Claim = z.infer<typeof claimSchema>;
export type Mismatch = z.infer<typeof mismatchSchema>;
export type Timings = z.infer<typeof timingsSchema>;
export type CellResult = z.infer<typeof cellSchema>;
export type RunResult = z.infer<typeof runResultSchema>;
export type ListResult = z.infer<typeof listSchema>;
export type DoctorResult = z.infer<typeof doctorSchema>;
export type RunEvent = z.infer<typeof eventSchema>;
