import { z } from 'zod';
import { formatVersionSchema } from '../files/format-version.ts';
import { attributionSchema, cellSchema } from './formats.ts';

/** What one of the killers came to. */
const hypothesisSchema = z.strictObject({
  what: z.string().describe('The killer, in words.'),
  state: z
    .enum(['seen', 'excluded', 'open'])
    .describe('Whether a record shows it, something excludes it, or nothing decides it.'),
  why: z.string().optional().describe('What excludes it, or why it is open.'),
});

const nextSchema = z.strictObject({
  would: z.string().describe('The observation that would decide.'),
  decides: z.array(z.string()).describe('The open killers that it decides about.'),
  command: z
    .string()
    .optional()
    .describe('How to get it; absent where only a standing recorder can have it.'),
  stillThere: z.string().describe('Until when it is available.'),
});

const deathSchema = z.strictObject({
  pod: z.string().optional().describe('`<namespace>/<name>`; absent when no record names it.'),
  container: z.string().optional().describe('Name of the container in its pod.'),
  attempt: z
    .number()
    .int()
    .nonnegative()
    .optional()
    .describe('Counts the containers of that name in the pod from 0.'),
  node: z.string().optional().describe('Its node.'),
  at: z.string().optional().describe('When it ended; absent when no record has a time that can be derived.'),
  attribution: attributionSchema.describe('Who did it, and the proof, in files of the input.'),
  hypotheses: z.array(hypothesisSchema).describe('Every killer that was considered.'),
  claims: cellSchema.shape.claims,
  next: z.array(nextSchema).describe('What would tell, for every killer that is open.'),
  note: z.string().optional().describe('Why nothing is named, or what the books of the kernel say.'),
  otherPanic: z
    .string()
    .optional()
    .describe(
      'Panics of the kernel in other boots of the node, which did not end it: boot, time, file and line.',
    ),
});

const readFileSchema = z.strictObject({
  file: z.string().describe('The file, as the reader of the answer finds it.'),
  format: z.string().describe('What it was read as.'),
  node: z.string().optional().describe('The node that it is of, where it says so.'),
  from: z.string().optional().describe('Time of its first record that has one.'),
  to: z.string().optional().describe('Time of its last record that has one.'),
  lines: z.number().int().nonnegative().describe('Lines of the file.'),
  unread: z.number().int().nonnegative().describe('Lines that are not of the format.'),
});

/** `whodunit autopsy --json` */
export const autopsySchema = z.strictObject({
  formatVersion: formatVersionSchema,
  deaths: z
    .array(deathSchema)
    .describe('The death that was asked about; with `--list` every one, newest first.'),
  read: z.array(readFileSchema).describe('The files that were read as evidence.'),
  unknown: z.array(z.string()).describe('Files that are not evidence of a known format.'),
  problems: z.array(z.string()).describe('What could not be read, or not wholly, and clocks that disagree.'),
});

export type Autopsy = z.infer<typeof autopsySchema>;
export type AutopsyDeath = Autopsy['deaths'][number];
