import { z } from 'zod';
import { formatVersionSchema } from '../files/format-version.ts';
import { attributionSchema } from './attribution.ts';

/** Answer of `whodunit check --json`: proofs held against the raw files. */
export const checkedSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  cells: z
    .array(
      z.strictObject({
        address: z.string().describe('Address of the cell.'),
        folder: z.string().describe('As it was given or found below the given folder.'),
        ok: z.boolean().describe('Whether the raw files bear out all of the proof.'),
        killer: attributionSchema.shape.killer.optional(),
        confidence: attributionSchema.shape.confidence.optional(),
        of: z
          .enum(['saved', 'now'])
          .describe(
            'saved: the proof in the result of the cell. now: no result was saved, and it was judged for this.',
          ),
        note: z.string().optional().describe('Why there is nothing to check.'),
        problems: z
          .array(
            z.strictObject({
              problem: z.string().describe('What is wrong, in one sentence.'),
              file: z
                .string()
                .optional()
                .describe("Path inside the cell's folder; absent: the proof as a whole."),
              line: z.number().int().positive().optional().describe('Line in that file, counted from 1.'),
            }),
          )
          .describe('All that is wrong; empty when it is accepted, or when there is nothing to check.'),
      }),
    )
    .describe('Each folder of a cell that was found.'),
  missing: z
    .array(
      z.strictObject({
        address: z.string().describe('Address of the cell.'),
        evidence: z.string().describe('Where its evidence should be, relative to the run.'),
      }),
    )
    .optional()
    .describe('Cells of a given run whose evidence is not there; absent when all of it is.'),
});

export type Checked = z.infer<typeof checkedSchema>;

/** The result of checking one proof. */
export type CheckedProof = Pick<Checked['cells'][number], 'ok' | 'note' | 'problems'>;
