import { isoTime } from '../files/iso-time.ts';
import { z } from 'zod';
import { variantSchema } from '../axes/axes.ts';
import { formatVersionSchema } from '../files/format-version.ts';
import { listSchema } from './formats.ts';
import { originSchema } from './origin.ts';
import { parameterTextsSchema } from '../declared/parameters.ts';
import { overridesSchema } from './repro.ts';
import { provedSchema } from './prove.ts';
import { outcomeSchema } from '../declared/outcome.ts';

const valuesSchema = z.record(z.string(), z.string());

/** What was asked of a bug, with every value of its sides. */
const askedBugSchema = z.strictObject({
  bug: z.string().describe('Its id.'),
  digest: z.string().describe('SHA-256 over what its file says; comments do not count.'),
  affected: valuesSchema.describe('Axes and parameters of the affected side that were named.'),
  fixed: valuesSchema.describe('The same of the fixed side.'),
  overrides: overridesSchema.describe('Which of these were asked for in place of those of the bug.'),
  repeat: z.number().int().min(1).describe('How often each side is run.'),
  addresses: z.array(z.string()).min(2).describe('Affected, fixed, controls.'),
});

/** Schema of `plan.json`: what a run was about to do. */
export const savedPlanSchema = z.strictObject({
  ...listSchema.shape,
  words: z.array(z.string()).optional().describe('The words that selected the cells.'),
  asked: askedBugSchema.optional().describe('Of `whodunit repro`: the question.'),
  proves: provedSchema.optional(),
});

const replayCellSchema = z.strictObject({
  address: z.string().describe('Its address.'),
  // What is repeated has no other axis: this lab could not set it.
  variant: variantSchema.strict().describe('Every axis.'),
  scenario: z.string().describe('Name of the scenario.'),
  parameters: parameterTextsSchema.optional(),
  repeat: z.number().int().min(1).describe('How often it is run.'),
  expected: outcomeSchema,
  startFailure: z
    .string()
    .optional()
    .describe('Id of the declared start failure that must be seen in place of that; absent for most cells.'),
  versions: valuesSchema.describe('What its nodes said that they run; empty when they were not asked.'),
  origin: originSchema.optional().describe('What it was made of; absent of a run that did not save that.'),
});

/** Schema of `replay.yaml`: everything that a run was made of, so that another lab can do it again. */
export const replaySchema = z.strictObject({
  formatVersion: formatVersionSchema,
  run: z.string().describe('Id of the run that it repeats.'),
  startedAt: isoTime('When that run began'),
  accelerator: z.enum(['kvm', 'tcg']).describe('How its guests were run.'),
  asked: askedBugSchema.optional().describe('The question about a bug; absent of `whodunit run`.'),
  cells: z.array(replayCellSchema).min(1).describe('Its cells.'),
});

export type AskedBug = z.infer<typeof askedBugSchema>;
export type SavedPlan = z.infer<typeof savedPlanSchema>;
export type Replay = z.infer<typeof replaySchema>;
