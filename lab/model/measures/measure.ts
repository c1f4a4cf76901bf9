import { z } from 'zod';
import { COUNT_LIMITS } from '../limits/count-limits.ts';
import { MOST_SECONDS, SCENARIO_TIMES } from '../limits/scenario-times.ts';
import { oneOf } from '../text/closed-list.ts';
import { namesOf } from '../text/names-of.ts';
import { measureNameSchema } from './declared-measure.ts';
import { samplerReadingSchema } from './sampler-reading.ts';

/**
 * Measures: quantities of a cell that kill nobody. A scenario says who prints them (its samplers) and what must hold of them
 * (`expect.measures`); the judge reads them from saved evidence, and a result carries them.
 */

/** What one number is made of all that was measured. */
export const STATISTICS = {
  last: 'the last one',
  max: 'the largest',
  median: 'the middle one',
  slope: 'the rise per minute: the median of the slopes between any two (Theil and Sen)',
} as const;

export type Statistic = keyof typeof STATISTICS;

/** Samples that a verdict needs, unless the scenario says otherwise: a median of fewer is chance. */
export const FEWEST_SAMPLES = 5;

/** A limit of a bound. */
const limitSchema = z.number({ error: 'only a number, in the unit of the measure' });

const reasonSchema = z.string().min(1).describe('Why this bound: where the number comes from.');

/** What must hold of one measure. */
export const measureBoundSchema = z
  .strictObject({
    measure: measureNameSchema.describe(
      'Its name: a built-in one (docs/writing-a-scenario.md), or one of `measures` of the scenario.',
    ),
    statistic: oneOf(STATISTICS, 'What is compared').default('last'),
    atLeast: limitSchema.optional().describe('The smallest value that is expected.'),
    atMost: limitSchema.optional().describe('The largest.'),
    between: z
      .tuple([limitSchema, limitSchema])
      .optional()
      .describe('The smallest and the largest value that are expected.'),
    bySeconds: z
      .number()
      .positive()
      .max(MOST_SECONDS)
      .optional()
      .describe("What was measured later does not count; from the start of the victim's container."),
    samples: z
      .number()
      .int()
      .min(1)
      .max(COUNT_LIMITS.samplerRecords.count)
      .optional()
      .describe(
        `Fewer decide nothing; ${FEWEST_SAMPLES} if left out. Refused for what is told by every change of it: one is enough.`,
      ),
    reason: reasonSchema,
  })
  .refine(
    (bound) =>
      [bound.atLeast, bound.atMost, bound.between].filter((value) => value !== undefined).length === 1,
    {
      error: 'exactly one of atLeast, atMost and between',
    },
  )
  .refine(({ between }) => between === undefined || between[0] <= between[1], {
    path: ['between'],
    error: 'the smaller number first',
  });

/** What must hold of one measure, defaults filled in. */
export type MeasureBound = z.infer<typeof measureBoundSchema>;

/** Which nodes a sampler runs on. */
const SAMPLED_ON = {
  'all-nodes': 'each node by itself',
  'control-plane': 'only the first node',
} as const;

/** A script that prints measures at an interval. */
export const samplerSchema = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'a name of lower-case words joined by -')
      .describe('Its name in what is saved.'),
    file: z
      .string()
      .regex(/^[\w.-]+\.sh$/, 'the name of a .sh file')
      .optional()
      .describe('File of samplers/ with the script.'),
    script: z
      .string()
      .optional()
      .describe('The script itself: bash, as root, parameters and VICTIM_PID, VICTIM_CGROUP as variables.'),
    reads: samplerReadingSchema
      .optional()
      .describe(
        'What it reads, in place of a script: swap, a metric, a file of a cgroup, objects or restarts.',
      ),
    everySeconds: z.number().min(0.5).max(600).describe('Time between two starts.'),
    timeoutSeconds: z
      .number()
      .positive()
      .max(600)
      .default(SCENARIO_TIMES['samplers[].timeoutSeconds'].defaultSeconds)
      .describe('A run that takes longer hangs: it is ended, and the measure is void.'),
    on: oneOf(SAMPLED_ON, 'Where it runs').default('all-nodes'),
  })
  .refine(
    ({ file, script, reads }) => [file, script, reads].filter((way) => way !== undefined).length === 1,
    { error: 'exactly one of file, script and reads' },
  );

/** A sampler with its script, as `cell.json` keeps it. */
export const sampledSchema = z.object({
  name: z.string().describe('Its name in samples.jsonl.'),
  script: z.string().describe('What ran.'),
  everySeconds: z.number().describe('Time between two starts.'),
  timeoutSeconds: z.number().describe('A run that took longer was ended.'),
  on: z.enum(namesOf(SAMPLED_ON)).describe('Where it ran.'),
});

/** A sampler that can be run. */
export type Sampler = z.infer<typeof sampledSchema>;

/** One number, and where it was read. */
const pointSchema = z.strictObject({
  at: z.string().describe('When it was measured; ISO 8601, UTC.'),
  value: z.number().describe('In the unit of the measure.'),
  source: z.string().describe('Which source said it.'),
  file: z.string().describe("Path inside the cell's evidence folder."),
  line: z.number().int().positive().optional().describe('Line in that file, counted from 1.'),
});

/** What a bound came to. */
const boundResultSchema = z.strictObject({
  statistic: oneOf(STATISTICS, 'What was compared'),
  expected: z.string().describe('The bound in words: `at least 40, by 60 s`.'),
  value: z.number().optional().describe('What was found; absent when it is not known.'),
  holds: z.boolean().nullable().describe('Whether it holds; null when that is not known.'),
  why: z.string().optional().describe('Why it is not known.'),
  reason: reasonSchema,
});

/** What was measured in a cell. */
export const measureResultSchema = z.strictObject({
  measure: measureNameSchema.describe('Its name.'),
  unit: z.string().describe('Of every number here; empty for a count. A slope is per minute.'),
  n: z.number().int().nonnegative().describe('How often it was measured.'),
  last: z.number().optional().describe('The last number.'),
  max: z.number().optional().describe('The largest.'),
  median: z.number().optional().describe('The middle one.'),
  medianBetween: z
    .strictObject({
      low: z.number().describe('Lower bound.'),
      high: z.number().describe('Upper bound.'),
      method: z
        .literal('order-statistics-95')
        .describe('Two order statistics that hold it with 95 % or more.'),
    })
    .optional()
    .describe('Where the true median is; absent for fewer than six numbers.'),
  slope: z.number().optional().describe('Its rise per minute; absent for fewer than two numbers.'),
  points: z.array(pointSchema).describe('Every number, oldest first.'),
  missing: z
    .string()
    .optional()
    .describe('Why numbers may be missing, or are too few to decide anything; absent when all were seen.'),
  bounds: z.array(boundResultSchema).describe('What was expected of it, and whether it holds.'),
});

export type MeasureResult = z.infer<typeof measureResultSchema>;
export type BoundResult = z.infer<typeof boundResultSchema>;
