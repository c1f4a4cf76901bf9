import { z } from 'zod';
import { formatVersionSchema } from '../files/format-version.ts';

/** Answer of `whodunit doctor --json`. */
export const doctorSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  ok: z.boolean().describe('Whether the host is ready.'),
  checks: z
    .array(
      z.strictObject({
        name: z.string().describe('What is checked.'),
        ok: z.boolean().describe('Whether it is as it has to be.'),
        found: z.string().describe('What was found.'),
        why: z.string().optional().describe('Of a failed one: why it matters.'),
        fix: z.string().optional().describe('Of a failed one: how to repair it.'),
      }),
    )
    .describe('All checks, in their order.'),
});

export type DoctorResult = z.infer<typeof doctorSchema>;
