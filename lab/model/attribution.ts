import { z } from 'zod';
import { HOWS, KILLERS, LEVELS, VICTIMS } from './killers.ts';

/** A pointer into a saved evidence file; `line` counts from 1. */
export const evidenceRefSchema = z.strictObject({
  /** Which source said it: kmsg, cgroup, trace, witness, containerd, tasks, cri, kubelet, system, pod, event, node, stimulus. */
  source: z.string(),
  /** Wall time of the fact as ISO 8601, UTC; empty when the source carries none. */
  at: z.string(),
  /** Path inside the cell's evidence folder. */
  file: z.string(),
  line: z.number().int().positive().optional(),
  /** The record itself, or the decisive part of it. */
  text: z.string(),
});

/** The steps of an end in their order: what made somebody act, who asked, the signal, the end, what followed from it. */
export const CHAIN_STEPS = ['cause', 'request', 'signal', 'end', 'consequence'] as const;

/** One step on the way to the end, with the record that shows it. */
export const chainStepSchema = z.strictObject({
  step: z.enum(CHAIN_STEPS),
  ...evidenceRefSchema.shape,
});

/** Something else that happened to the container, its pod or its node; not its end. */
export const findingSchema = z.strictObject({
  /** `the OOM killer took a process of it, pid 843 (worker)`. */
  what: z.string(),
  /** Whether it is understood and harmless to the attribution; one that is not keeps it from being proven. */
  explained: z.boolean(),
  because: z.array(evidenceRefSchema),
});

/** A cause that was looked for. */
export const ruledOutSchema = z.strictObject({
  /** `an OOM kill`, `a signal from outside`. */
  what: z.string(),
  /** What excludes it. */
  by: z.string(),
});

/** A cause that could not be excluded. */
export const openCauseSchema = z.strictObject({
  what: z.string(),
  /** Why not: the source that is missing, and when. */
  why: z.string(),
  /** What would have decided it. */
  wanted: z.string(),
});

/** Memory of the victim beside its limit, when both were read. */
export const figuresSchema = z.strictObject({
  /** Of the cgroup whose limit counts. */
  limitBytes: z.number().int().nonnegative().optional(),
  /** The most that was seen. */
  peakBytes: z.number().int().nonnegative().optional(),
  /** Where they were read. */
  because: z.array(evidenceRefSchema),
});

/** The killer named from the observations. */
export const attributionSchema = z.strictObject({
  killer: z.enum(KILLERS),
  level: z.enum(LEVELS).optional(),
  /** The way of this killer, where it has several. */
  how: z.enum(HOWS).optional(),
  /** Which process died, when that is known. */
  process: z.enum(VICTIMS).optional(),
  /** Whose death: `pod/container`, with the process when known: `eater-x/eater pid 812 (memory-eater)`. */
  victim: z.string(),
  confidence: z.enum(['proven', 'likely', 'none']),
  because: z.array(evidenceRefSchema),
  /** How it came to the end, oldest first; absent in results of older versions, as are the next four. */
  chain: z.array(chainStepSchema).optional(),
  /** What else happened, oldest first. */
  findings: z.array(findingSchema).optional(),
  /** Of an unknown killer: what it was not, and what it may have been. */
  excluded: z.array(ruledOutSchema).optional(),
  open: z.array(openCauseSchema).optional(),
  figures: figuresSchema.optional(),
});

export type ChainStep = z.infer<typeof chainStepSchema>;
export type Finding = z.infer<typeof findingSchema>;
export type RuledOut = z.infer<typeof ruledOutSchema>;
export type OpenCause = z.infer<typeof openCauseSchema>;
export type Attribution = z.infer<typeof attributionSchema>;
export type EvidenceRef = z.infer<typeof evidenceRefSchema>;
