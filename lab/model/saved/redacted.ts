import { z } from 'zod';

/** What an export replaced, by file and rule; the values are nowhere. */
export const redactedSchema = z
  .array(
    z.strictObject({
      file: z.string().describe('Its path in the folder of the archive.'),
      rule: z.string().describe('A rule of whodunit, or the id of a rule of gitleaks.'),
      count: z.number().int().positive().describe('Values that were replaced.'),
    }),
  )
  .describe('What was replaced by `[redacted]`. Other secrets may be left.');

export type Redacted = z.infer<typeof redactedSchema>;
