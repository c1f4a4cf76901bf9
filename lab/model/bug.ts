import { z } from 'zod';
import { AXES } from './axes.ts';
import { oneOf } from './closed-list.ts';
import { formatVersionSchema } from './format-version.ts';

/**
 * Schema of `bugs/<id>.yaml`: a report from the wild, and the cells that show it. The scenario of a bug must expect one
 * thing of the affected variant and another of the fixed one.
 */

/** Where the bug can be seen. */
export const BUG_STATUS_MEANINGS = {
  reproduces: 'with current versions',
  historic: 'with versions of its time',
  'fixed-upstream': 'until a release with the fix',
} as const;

const bugVariantSchema = z
  .record(z.union([z.enum(AXES), z.string()]), z.string())
  .describe('Values of some axes, and of parameters of the scenario; those not named keep their default.');

export const bugSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  id: z
    .string()
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'a name of lower-case words joined by -')
    .describe('The name of the file.'),
  title: z.string().min(1).describe('One sentence: what goes wrong for whom.'),
  links: z
    .array(z.string().regex(/^https:\/\/\S+$/, 'a https:// link'))
    .min(1)
    .describe('Issues and pull requests; `lab repro` finds the bug by any of them.'),
  seed: z.string().optional().describe('Number of the article that told the story.'),
  status: oneOf(BUG_STATUS_MEANINGS, 'Where the bug can be seen'),
  scenario: z.string().describe('The scenario that tells the variants apart.'),
  affected: bugVariantSchema.describe('A variant that has the bug.'),
  fixed: bugVariantSchema.describe('The nearest variant that does not.'),
  controls: z
    .array(
      z.strictObject({ variant: bugVariantSchema, why: z.string().min(1).describe('What it must show.') }),
    )
    .default([])
    .describe('Further variants under the identical pod; when one does not behave, nothing is concluded.'),
  summary: z.string().min(1).describe('The mechanism, in a few sentences.'),
  whatToSee: z.array(z.string().min(1)).min(1).describe('What the proof of the affected cell shows.'),
});

/** A bug as read from its file, defaults filled in. */
export type Bug = z.infer<typeof bugSchema>;

/** Some axes of a variant and parameters of a scenario, as a bug names them. */
export type BugVariant = z.infer<typeof bugVariantSchema>;
