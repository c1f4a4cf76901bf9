import { z } from 'zod';
import { BUG_STATUS_MEANINGS, bugSchema } from '../declared/bug.ts';
import { oneOf } from '../text/closed-list.ts';
import { foundSchema } from './found.ts';
import { formatVersionSchema } from '../files/format-version.ts';
import { cellSchema } from './formats.ts';
import { proveSchema } from './prove.ts';
import { STATISTICS } from '../measures/measure.ts';
import { measureNameSchema } from '../measures/declared-measure.ts';

/** Answer of `whodunit bugs --json`. */
export const bugsSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  bugs: z
    .array(
      z.strictObject({
        id: z.string().describe('Name of the bug, for `whodunit repro`.'),
        title: z.string().describe('One sentence: what goes wrong for whom.'),
        links: z.array(z.string()).describe('Issues and pull requests.'),
        seed: z.string().optional().describe('Number of the article that told the story.'),
        affected: z
          .string()
          .describe(
            'Canonical name of a variant that has the bug, with parameters in brackets; it is a selector.',
          ),
        fixed: z.string().describe('Canonical name of the nearest variant that has not.'),
        controls: z.array(z.string()).describe('Canonical names of further variants.'),
        scenario: z.string().describe('The scenario that tells them apart.'),
        status: oneOf(BUG_STATUS_MEANINGS, 'Where the bug can be seen'),
        firstBad: bugSchema.shape.firstBad,
        firstGood: bugSchema.shape.firstGood,
      }),
    )
    .describe('All reported bugs; those that have the words, where words were given.'),
  near: z
    .array(foundSchema)
    .optional()
    .describe('What else is near to the words, best first; absent without words.'),
});

/** Whether a bug was seen. */
const REPRO_OUTCOMES = {
  reproduced: 'the affected cell shows it, the fixed one does not, and every control behaves',
  'not-reproduced': 'all were observed, and affected or fixed is not as expected',
  inconclusive: 'one was not observed, is refused by a rule, or a control does not behave',
} as const;

/** A measure of both sides. */
const comparedSchema = z.strictObject({
  measure: measureNameSchema.describe('Its name.'),
  statistic: oneOf(STATISTICS, 'What was compared'),
  affected: z.number().nullable().describe('In the affected cell; null when it is not known.'),
  fixed: z.number().nullable().describe('In the fixed cell; null when it is not known.'),
  ratioAtLeast: z.number().describe('So many times the second the first had to be.'),
  holds: z.boolean().nullable().describe('Whether it is; null when that is not known.'),
  reason: z.string().describe('Why this ratio.'),
});

/** Axes and parameters that were asked for in place of those of a bug's file. */
export const overridesSchema = z.strictObject({
  affected: z.record(z.string(), z.string()).describe('Of the affected side.'),
  fixed: z.record(z.string(), z.string()).describe('Of the fixed side.'),
});

/** Values in place of those of a bug's file, by axis or parameter. */
export type Overrides = z.infer<typeof overridesSchema>;

/** Answer of `whodunit repro --json`. */
export const reproSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  bug: z.string().describe('Its id.'),
  outcome: oneOf(REPRO_OUTCOMES, 'Whether the bug was seen'),
  note: z.string().describe('The outcome in one sentence.'),
  run: z
    .string()
    .optional()
    .describe(
      'The run whose folder has the evidence; absent when a rule refused a cell and nothing was started.',
    ),
  affected: cellSchema.describe('The cell that has the bug.'),
  fixed: cellSchema.describe('The cell that has not.'),
  compared: z
    .array(comparedSchema)
    .optional()
    .describe(
      'Measures of the affected cell beside those of the fixed one; absent when the bug compares none.',
    ),
  overrides: overridesSchema
    .optional()
    .describe(
      'Axes and parameters that were asked for in place of those of the bug; absent when there are none.',
    ),
  repeats: z
    .number()
    .int()
    .optional()
    .describe('How often each of the two sides was run; absent: as its scenario says.'),
  controls: z.array(cellSchema).describe('Further cells under the identical pod.'),
  proof: proveSchema
    .optional()
    .describe('Of `--prove`: what came out when the cause of the affected side was taken away.'),
  markdown: z.string().describe('Ready to paste into an issue.'),
});

export type BugsResult = z.infer<typeof bugsSchema>;
export type ReproOutcome = keyof typeof REPRO_OUTCOMES;
export type Compared = z.infer<typeof comparedSchema>;
