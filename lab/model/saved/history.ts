import { z } from 'zod';
import { oneOf } from '../text/closed-list.ts';
import { formatVersionSchema } from '../files/format-version.ts';
import { KILLERS, LEVEL_MEANINGS, VERDICT_MEANINGS } from '../killers/killers.ts';

/** What a run said of one cell, as the index of saved runs keeps it. */
const pastCellSchema = z.strictObject({
  address: z.string().describe('Its address.'),
  scenario: z.string().describe('Name of its scenario.'),
  verdict: oneOf(VERDICT_MEANINGS, 'What it came to'),
  killer: z.enum(KILLERS).describe('Who ended the victim (docs/verdicts.md).'),
  level: oneOf(LEVEL_MEANINGS, 'Of an OOM kill: whose limit was hit').optional(),
  totalMs: z.number().nonnegative().describe('The whole cell, in ms.'),
  passed: z.number().int().nonnegative().optional().describe('Of a repeated cell: attempts that passed.'),
  of: z
    .number()
    .int()
    .nonnegative()
    .optional()
    .describe('Of a repeated cell: attempts that passed or failed.'),
});

/** Raised when a saved run is read in another way: since 2, a cell has the address that it has today. */
export const READING = 2;

/** One line of `history.jsonl`: a saved run. */
export const pastRunSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  reading: z.literal(READING).describe('How it was read; what was read in another way is read again.'),
  run: z.string().describe('Id of the run.'),
  stamp: z.string().describe('Size and time of its `result.json`: of another one it is read again.'),
  startedAt: z.string().describe('When it began; ISO 8601, UTC.'),
  cells: z.array(pastCellSchema).describe('What it said of each cell.'),
});

/** Share of attempts that fail, with the bounds in which it is in the long run. */
const failingSchema = z.strictObject({
  failed: z
    .number()
    .int()
    .nonnegative()
    .describe('Attempts that failed. A cell without `repeat` is one attempt.'),
  of: z.number().int().nonnegative().describe('Attempts that passed or failed.'),
  low: z.number().describe('Lower bound of the share that fails.'),
  high: z.number().describe('Upper bound.'),
  method: z.literal('wilson-95').describe('The Wilson score interval of 95 %.'),
});

/** One cell over its runs. */
const cellHistorySchema = z.strictObject({
  address: z.string().describe('Its address.'),
  failing: failingSchema.describe('How often it fails.'),
  changes: z
    .number()
    .int()
    .nonnegative()
    .describe('How often it passed after it had failed, or the other way round.'),
  firstBad: z
    .strictObject({
      run: z.string().describe('Id of the first run of those that failed since.'),
      startedAt: z.string().describe('When it began; ISO 8601, UTC.'),
      after: z.string().optional().describe('Id of the last run that passed; absent: none did.'),
    })
    .optional()
    .describe('Of a cell whose last verdict is `failed`: since when.'),
  medianMs: z.number().optional().describe('Median time of the runs that passed or failed, in ms.'),
  runs: z
    .array(
      z.strictObject({
        run: z.string().describe('Id of the run.'),
        startedAt: z.string().describe('When it began; ISO 8601, UTC.'),
        ...pastCellSchema.omit({ address: true, scenario: true }).shape,
      }),
    )
    .describe('All its runs, oldest first.'),
});

/** Answer of `whodunit history --json`. */
export const historySchema = z.strictObject({
  formatVersion: formatVersionSchema,
  cells: z.array(cellHistorySchema).describe('Each cell that the word names, by address.'),
});

export type PastCell = z.infer<typeof pastCellSchema>;
export type PastRun = z.infer<typeof pastRunSchema>;
export type CellHistory = z.infer<typeof cellHistorySchema>;
export type History = z.infer<typeof historySchema>;
