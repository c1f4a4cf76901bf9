import { z } from 'zod';
import { HOWS, KILLERS } from './killers.ts';

/**
 * Schema of `docs/ways-to-die.yaml`: the known ways to die on a node, each with the scenarios that stage it, or the
 * reason why none does. The numbers of rows never change; a new way gets the next number.
 */

const waySchema = z
  .strictObject({
    row: z.number().int().positive(),
    name: z.string().min(1).describe('In a few words.'),
    scenarios: z.array(z.string()).min(1).optional().describe('Names of the scenarios that stage it.'),
    only: z
      .strictObject({
        killer: z.enum(KILLERS).optional(),
        how: z.enum(HOWS).optional(),
        runtime: z.enum(['runc', 'runsc']).optional(),
      })
      .optional()
      .describe('Which of their cells stage it, where others are controls or stage something else.'),
    whyNot: z.string().min(1).optional().describe('Why no scenario stages it.'),
  })
  .refine((way) => (way.scenarios === undefined) !== (way.whyNot === undefined), {
    message: 'has either scenarios or whyNot',
  });

export const waysToDieSchema = z
  .strictObject({ formatVersion: z.literal(1), ways: z.array(waySchema) })
  .refine(({ ways }) => ways.every((way, index) => way.row === index + 1), {
    message: 'rows count from 1, without a gap',
  });

/** One way to die. */
export type WayToDie = z.infer<typeof waySchema>;
