import { z } from 'zod';
import { AXES } from './axes.ts';

/** Schema of `matrix.yaml`: which values each axis knows, the named sets, and the rules that refuse combinations. */

/** Globs for the value of some axes; every named axis must match one of its globs. */
const axisGlobs = z.partialRecord(z.enum(AXES), z.array(z.string()).min(1));

const axisSchema = z.strictObject({
  about: z.string().min(1).describe('What varies, in one line.'),
  values: z.array(z.string()).min(1).describe('Named values; the first is the default.'),
  patterns: z
    .array(z.string())
    .default([])
    .describe('Regular expressions (whole value) of values accepted beside the named ones: exact versions.'),
  example: z.string().optional().describe('A value that the patterns accept, for messages.'),
});

const setBlockSchema = z.strictObject({
  variants: axisGlobs.describe('Axes that vary; `*` = all named values. Other axes keep their default.'),
  scenarios: z.array(z.string()).default(['*']).describe('Globs over scenario names.'),
});

const setSchema = z.strictObject({
  about: z.string().min(1),
  blocks: z.array(setBlockSchema).min(1).describe('The set is the union of its blocks.'),
});

const ruleSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9.]+(-[a-z0-9.]+)*$/, 'a name of lower-case words joined by -'),
  when: axisGlobs.describe('Refuses variants that match all of these.'),
  unless: axisGlobs.optional().describe('But not those that match all of these.'),
  reason: z.string().min(1),
  source: z.string().min(1).describe('Where the reason can be checked: a link or a file of the project.'),
});

export const matrixSchema = z.strictObject({
  formatVersion: z.literal(1),
  machine: z
    .strictObject({
      memoryMiB: z.number().int().positive(),
      vcpus: z.number().int().positive(),
      diskGiB: z.number().int().positive(),
    })
    .describe('Size of one node.'),
  axes: z.record(z.enum(AXES), axisSchema),
  sets: z.record(z.string(), setSchema),
  rules: z.array(ruleSchema).describe('The first rule that matches a variant is the one reported.'),
});

/** `matrix.yaml` as read, defaults filled in. */
export type Matrix = z.infer<typeof matrixSchema>;

/** One rule of the matrix. */
export type Rule = z.infer<typeof ruleSchema>;

/** One block of a named set. */
export type SetBlock = z.infer<typeof setBlockSchema>;

/** The set that is meant when a selector names none. */
export const DEFAULT_SET = 'quick';
