import { z } from 'zod';
import { formatVersionSchema } from '../files/format-version.ts';
import { autopsySchema } from './autopsy.ts';
import { redactedSchema } from './redacted.ts';

/** The file that makes a folder a saved autopsy. */
export const SAVED_AUTOPSY = 'autopsy.json';

/** How much is taken out of what is saved. */
export const REDACTIONS = ['secrets', 'strict'] as const;
export type Redaction = (typeof REDACTIONS)[number];

/** `autopsy.json` in the folder of `whodunit autopsy --save`. */
export const savedAutopsySchema = z.strictObject({
  formatVersion: formatVersionSchema,
  redact: z
    .enum(REDACTIONS)
    .describe('`strict`: names of nodes, namespaces, pods and images, and addresses, are pseudonyms.'),
  isWhole: z
    .boolean()
    .optional()
    .describe(
      'Whether files hold more than what was said around the deaths and about who died, because the answer needs it. Absent in older ones.',
    ),
  question: z
    .strictObject({
      pod: z.string().optional().describe('As it was asked for.'),
      container: z.string().optional().describe('As it was asked for.'),
      node: z.string().optional().describe('As it was asked for.'),
      attempt: z.number().int().nonnegative().optional().describe('As it was asked for.'),
      isList: z.boolean().describe('Whether every death was asked for.'),
    })
    .describe('What was asked of the files.'),
  options: z
    .strictObject({
      timezone: z.string().optional().describe('Of logs that do not say theirs.'),
      year: z.number().int().optional().describe('Of logs that do not say theirs.'),
    })
    .describe('What was said of their clocks.'),
  files: z
    .array(
      z.strictObject({
        saved: z
          .string()
          .regex(/^files\/\d{4,6}-[\w.-]{1,80}$/, 'a file below files/')
          .describe('The file in this folder.'),
        path: z.string().describe('Where it was; a name only, which is not opened.'),
      }),
    )
    .describe('The files that were read as evidence, in the order of reading.'),
  leftOut: z.array(z.string()).describe('Evidence that is not saved, and why.'),
  redacted: redactedSchema,
  answer: autopsySchema.describe('What the saved files said.'),
});

export type SavedAutopsy = z.infer<typeof savedAutopsySchema>;
