import { z } from 'zod';

/** Where judging the evidence again says something else than the saved result. */
export const changeSchema = z.strictObject({
  field: z.string().describe('Field of the result.'),
  before: z.string().describe('What the saved result says.'),
  now: z.string().describe('What the judge says now.'),
});

/**
 * Whether a saved result follows from the evidence next to it. A result is only what somebody wrote into a file; its
 * evidence can be judged again.
 */
export const againSchema = z.strictObject({
  state: z
    .enum(['same', 'differs', 'unjudged'])
    .describe(
      'same: judging the evidence again says the same; differs: it says otherwise; unjudged: there is none that could be judged.',
    ),
  why: z.string().optional().describe('Why it is unjudged.'),
  changes: z
    .array(
      changeSchema.extend({
        field: z.string().describe('Field of the result; `page`: a line of what `whodunit why` prints.'),
      }),
    )
    .optional()
    .describe('Where it differs.'),
});

export type Again = z.infer<typeof againSchema>;
export type Change = z.infer<typeof changeSchema>;
