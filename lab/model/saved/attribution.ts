import { z } from 'zod';
import { oneOf } from '../text/closed-list.ts';
import { CHAIN_STEP_MEANINGS } from './chain-step.ts';
import { proofSchema } from './proof.ts';
import { HOWS, KILLERS, LEVEL_MEANINGS, VICTIM_MEANINGS } from '../killers/killers.ts';

/** A pointer into a saved evidence file. */
export const evidenceRefSchema = z.strictObject({
  source: z
    .string()
    .describe(
      'Which source said it: kmsg, cgroup, trace, witness, containerd, tasks, cri, kubelet, system, pod, event, node, stimulus.',
    ),
  at: z.string().describe('Wall time of the fact as ISO 8601, UTC; empty when the source carries none.'),
  file: z.string().describe("Path inside the cell's evidence folder."),
  line: z.number().int().positive().optional().describe('Line in that file, counted from 1.'),
  text: z.string().describe('The record itself, or the decisive part of it.'),
});

/** One step on the way to the end, with the record that shows it. */
const chainStepSchema = z.strictObject({
  step: oneOf(CHAIN_STEP_MEANINGS, 'Which step it is'),
  ...evidenceRefSchema.shape,
});

/** Something else that happened to the container, its pod or its node. */
const findingSchema = z.strictObject({
  what: z.string().describe('In words: `the OOM killer took a process of it, pid 843 (worker)`.'),
  explained: z
    .boolean()
    .describe(
      'Whether it is understood and harmless to the attribution; one that is not keeps it from being proven.',
    ),
  because: z.array(evidenceRefSchema).describe('The records that show it.'),
});

/** A cause that was looked for. */
const ruledOutSchema = z.strictObject({
  what: z.string().describe('The cause: `an OOM kill`, `a signal from outside`.'),
  by: z.string().describe('What excludes it.'),
});

/** A cause that could not be excluded. */
const openCauseSchema = z.strictObject({
  what: z.string().describe('The cause.'),
  why: z.string().describe('Why it is not excluded: the source that is missing, and when.'),
  wanted: z.string().describe('What would have decided it.'),
});

/** Memory of the victim and its limit. */
const figuresSchema = z.strictObject({
  limitBytes: z
    .number()
    .int()
    .nonnegative()
    .optional()
    .describe('Limit of the cgroup whose limit counts, in bytes.'),
  peakBytes: z.number().int().nonnegative().optional().describe('The most use that was seen, in bytes.'),
  readBeforeEndMs: z
    .number()
    .int()
    .positive()
    .optional()
    .describe(
      'How long before the end the use was read last, in ms: then more may have been used. Absent when it was read until the end.',
    ),
  because: z.array(evidenceRefSchema).describe('Where they were read.'),
});

const CONFIDENCES = {
  proven: 'independent sources agree, and nothing speaks against it',
  likely: 'a part of the proof is missing or inferred',
  none: 'the killer is unknown',
} as const;

/** How a doubt begins that names killers of `open`. */
export const NOT_EXCLUDED = 'not excluded: ';

/** The killer that the observations name. An absent field is unknown, or the result is of an older version. */
export const attributionSchema = z.strictObject({
  killer: z
    .enum(KILLERS)
    .describe('Who ended the victim; `none`: it survived, `unknown`: proof is missing (docs/verdicts.md).'),
  level: oneOf(LEVEL_MEANINGS, 'Of an OOM kill: whose limit was hit').optional(),
  how: z.enum(HOWS).optional().describe('The way of this killer, where it has several (docs/verdicts.md).'),
  process: oneOf(VICTIM_MEANINGS, 'Which process of the container died').optional(),
  victim: z
    .string()
    .describe(
      'Whose death: `pod/container`, with the process when known: `eater-x/eater pid 812 (memory-eater)`.',
    ),
  confidence: oneOf(CONFIDENCES, 'How sure that is'),
  doubts: z
    .array(z.string())
    .optional()
    .describe('Of a likely killer: why it is not proven, a sentence each.'),
  because: z.array(evidenceRefSchema).describe('The proof.'),
  chain: z.array(chainStepSchema).optional().describe('How it came to the end, oldest first.'),
  findings: z.array(findingSchema).optional().describe('What else happened, oldest first.'),
  excluded: z
    .array(ruledOutSchema)
    .optional()
    .describe('What it was not, and what excludes that; of every verdict.'),
  open: z
    .array(openCauseSchema)
    .optional()
    .describe('What it may have been as well, and what would decide it.'),
  proof: proofSchema
    .optional()
    .describe('The verdict as data, for `whodunit check`. Absent in older results, and without a victim.'),
  figures: figuresSchema.optional().describe("The victim's memory beside its limit."),
});

export type ChainStep = z.infer<typeof chainStepSchema>;
export type Finding = z.infer<typeof findingSchema>;
export type RuledOut = z.infer<typeof ruledOutSchema>;
export type OpenCause = z.infer<typeof openCauseSchema>;
export type Attribution = z.infer<typeof attributionSchema>;
export type EvidenceRef = z.infer<typeof evidenceRefSchema>;
