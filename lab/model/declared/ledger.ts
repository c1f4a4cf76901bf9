import { z } from 'zod';
import { oneOf } from '../text/closed-list.ts';
import { outcomeSchema } from './outcome.ts';

/**
 * The ledger of known bugs: cells that are expected to be bad, each with the name of its bug. It is derived from
 * `bugs/*.yaml` (`lab/plan/cells/ledger.ts`), saved in `cell.json`, and the judge says what became of it.
 */

/** The bug of a cell that is expected to show it, as `cell.json` keeps it. */
export const expectedBugSchema = z
  .object({
    id: z.string().min(1).describe('Its id.'),
    fixed: outcomeSchema.describe('What would happen to the victim without the bug.'),
    reviewBy: z.iso
      .date({ error: 'a date' })
      .optional()
      .describe('When the cell began after this day, somebody has to look at the bug again.'),
  })
  .describe('The bug that the cell is expected to show.');

/** What became of a bug that was expected. */
const BUG_STATES = {
  shows: 'it ends as the bug makes it end, or does not start as the bug makes it not start',
  'seems-fixed': 'it ends like the fixed side of the bug, which fails it',
  'ends-otherwise': 'it ends neither as the bug makes it end nor, as far as is known, like the fixed side',
  'review-due': 'it shows the bug, whose review date has passed, which fails it',
  open: 'it has no verdict',
} as const;

/** What a result says of the bug that its cell was expected to show. */
export const bugResultSchema = z
  .strictObject({
    id: z.string().describe('Its id, the name of a file of bugs/.'),
    state: oneOf(BUG_STATES, 'What became of it'),
  })
  .describe('The known bug whose affected side this cell is; absent for other cells.');

/** A bug that a cell is expected to show. */
export type ExpectedBug = Readonly<z.infer<typeof expectedBugSchema>>;

/** What became of it. */
export type BugResult = z.infer<typeof bugResultSchema>;
