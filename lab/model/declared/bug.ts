import { z } from 'zod';
import { AXES } from '../axes/axes.ts';
import { oneOf } from '../text/closed-list.ts';
import { axisGlobs } from './condition.ts';
import { formatVersionSchema } from '../files/format-version.ts';
import { STATISTICS } from '../measures/measure.ts';
import { measureNameSchema } from '../measures/declared-measure.ts';
import { MOST_SECONDS } from '../limits/scenario-times.ts';
import { MAX_REPEATS } from '../limits/max-repeats.ts';
import { isPlain } from '../text/plain-text.ts';

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

const linkSchema = z.string().regex(/^https:\/\/[^\s/?#@]+([/?#]\S*)?$/, 'a https:// link, without a user');

const bugVariantSchema = z
  .record(z.union([z.enum(AXES), z.string()]), z.string())
  .describe('Values of some axes, and of parameters of the scenario; those not named keep their default.');

/** Names of what no component of components.yaml is, and has a version all the same. */
export const SUITE_PROGRAMS = ['kernel', 'systemd'] as const;

const rangeSchema = z.strictObject({
  component: z
    .string()
    .describe(`A component of components.yaml, or one of ${SUITE_PROGRAMS.join(', ')}, which suites ship.`),
  versions: z
    .array(z.string().min(1))
    .min(1)
    .describe(
      'Comparators as conditions of matrix.yaml have them, of which one has to hold: ">=1.28 <1.32".',
    ),
  note: z
    .string()
    .regex(/\S/, 'text that is not empty')
    .optional()
    .describe('What else must be so, in words.'),
  source: z.string().min(1).describe('Where it can be checked: a link, or a file of the project.'),
});

const workaroundSchema = z.strictObject({
  text: z
    .string()
    .regex(/\S/, 'text that is not empty')
    .describe('What a user of an affected version can do, in one sentence.'),
  link: linkSchema.optional().describe('Where it is told at length.'),
});

export const bugSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  id: z
    .string()
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'a name of lower-case words joined by -')
    .describe('The name of the file.'),
  title: z
    .string()
    .regex(/\S/, 'text that is not empty')
    .max(300)
    .refine(isPlain, { error: 'text without letters that move a cursor or that nobody sees' })
    .describe('One sentence: what goes wrong for whom.'),
  links: z
    .array(linkSchema)
    .min(1)
    .describe('Issues and pull requests; `whodunit repro` finds the bug by any of them.'),
  seed: z.string().min(1).optional().describe('Number of the article that told the story.'),
  status: oneOf(BUG_STATUS_MEANINGS, 'Where the bug can be seen'),
  scenario: z.string().describe('The scenario that tells the variants apart.'),
  affected: bugVariantSchema.describe('A variant that has the bug.'),
  fixed: bugVariantSchema.describe('The nearest variant that does not.'),
  controls: z
    .array(
      z.strictObject({
        variant: bugVariantSchema,
        why: z.string().regex(/\S/, 'text that is not empty').describe('What it must show.'),
      }),
    )
    .default([])
    .describe('Further variants under the identical pod; when one does not behave, nothing is concluded.'),
  table: z
    .array(axisGlobs)
    .default([])
    .describe(
      'Variants that `whodunit run bug=<id>` runs beside these, to show where the bug is and where not: axes that vary, `*` = all named values.',
    ),
  compare: z
    .array(
      z.strictObject({
        measure: measureNameSchema.describe('A measure of the scenario.'),
        statistic: oneOf(STATISTICS, 'What is compared').default('last'),
        ratioAtLeast: z
          .number()
          .gt(1)
          .max(1_000_000)
          .describe('So many times the number of the fixed cell is that of the affected one, at least.'),
        reason: z
          .string()
          .regex(/\S/, 'text that is not empty')
          .describe('Why this ratio: where the number comes from.'),
      }),
    )
    .default([])
    .describe('What must differ between the affected and the fixed cell, and by how much.'),
  ranges: z
    .array(rangeSchema)
    .default([])
    .describe('Which released versions have the bug, as far as that is known.'),
  firstBad: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('The first version with the bug, of each release line, as `whodunit bisect --write` found it.'),
  firstGood: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe(
      'The first version without it again, of each release line, as `whodunit bisect --write` found it.',
    ),
  workaround: workaroundSchema.optional().describe('What can be done where the fix is not to be had.'),
  expectSeconds: z
    .number()
    .positive()
    .max(MOST_SECONDS)
    .max(86_400)
    .optional()
    .describe('What one of its cells takes: the estimate where no earlier run is known.'),
  repeats: z
    .number()
    .int()
    .min(1)
    .max(MAX_REPEATS)
    .default(1)
    .describe('How often `whodunit repro` runs each of the two sides; a bug that is a race needs several.'),
  reviewBy: z.iso
    .date({ error: 'a date that exists, such as "2027-03-31"' })
    .optional()
    .describe(
      'From the day after on `whodunit run` fails its affected cell, until somebody has looked at the bug again.',
    ),
  summary: z.string().regex(/\S/, 'text that is not empty').describe('The mechanism, in a few sentences.'),
  whatToSee: z.array(z.string().min(1)).min(1).describe('What the proof of the affected cell shows.'),
});

/** A bug as read from its file, defaults filled in. */
export type Bug = z.infer<typeof bugSchema>;

/** Some axes of a variant and parameters of a scenario, as a bug names them. */
export type BugVariant = z.infer<typeof bugVariantSchema>;

/** Which versions of one component have a bug. */
export type BugRange = z.infer<typeof rangeSchema>;

/** What must differ between two cells of a bug. */
export type Comparison = Bug['compare'][number];
