import { z } from 'zod';
import { attributionSchema, cellSchema } from '../../../model/saved/formats.ts';

/** The parameters and answers that several tools of `whodunit mcp` share. */

/** A run, by default the newest. */
export const RUN = z
  .string()
  .optional()
  .describe('A run: its id, the beginning of it, or latest (the default).');
/** A run, by default the newest that has the cell. */
export const OF_RUN = z
  .string()
  .optional()
  .describe('A run: its id, the beginning of it, or latest. Default: the newest that has the cell.');
/** A cell, by its address. */
export const CELL = z
  .string()
  .describe(
    'Address of a cell, such as default/oom-single-container; a scenario without a variant is that of the default one.',
  );
/** The id of a run, in an answer. */
export const RUN_ID = z.string().describe('Id of the run.');

const COUNTS = z.record(z.string(), z.number().int()).describe('How many cells have which verdict.');
/** A run in a list. */
export const LISTED_RUN = z.strictObject({
  run: RUN_ID,
  startedAt: z.string().describe('When it began; ISO 8601, UTC.'),
  verdicts: COUNTS,
});
/** A cell in a list. */
export const LISTED_CELL = z.strictObject({
  ...cellSchema.pick({ address: true, verdict: true, mismatches: true, note: true, evidence: true }).shape,
  ...attributionSchema.pick({ killer: true, level: true, confidence: true }).shape,
});
/** A file in a list. */
export const LISTED_FILE = z.strictObject({
  path: z.string().describe('Path inside the evidence.'),
  bytes: z.number().int().describe('Its size.'),
});
/** A line of a file. */
export const LINE = z.strictObject({
  line: z.number().int().describe('Its number, counted from 1.'),
  text: z.string().describe('What it says.'),
  isCut: z.boolean().describe('Whether it was longer.'),
});
