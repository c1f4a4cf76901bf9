import { z } from 'zod';
import { oneOf } from '../text/closed-list.ts';

const count = (what: string): z.ZodNumber => z.number().int().nonnegative().describe(what);
const address = z.string().describe('Address of the cell.');

/** The ways in which a failed cell is run again. */
const LEG_MEANINGS = {
  alone: 'by itself in its world, with nothing changed',
  world: 'in a world that is built from its image, with nothing else changed',
  versions: 'with the programs of the last good run',
  scenario: 'with the scenario of the last good run',
} as const;

/** What a failure can follow. */
const FOLLOWS_MEANINGS = {
  world: 'in a world built from its image it passes',
  versions: 'with the programs of the last good run it passes',
  scenario: 'with the scenario of the last good run it passes',
  chance: 'it passes with nothing changed',
} as const;

const legSchema = z.strictObject({
  kind: oneOf(LEG_MEANINGS, 'How it is run again'),
  address: address.optional(),
  good: z.string().optional().describe('Id of the run in which it was good last.'),
  changes: z.array(z.string()).describe('What is changed, in words; empty: nothing.'),
  isRated: z
    .literal(true)
    .optional()
    .describe('Its scenario is repeated by itself, so that its verdict counts and not each of its runs.'),
  leftOut: z.string().optional().describe('Why it is not run.'),
});

/** A cell and the ways in which it is run again when it fails. */
export const investigationSchema = z.strictObject({
  address,
  legs: z.array(legSchema).describe('How it is run again, or why not.'),
  estimateSeconds: z.number().describe('What that takes, in seconds.'),
});

/** A failed cell, and what its failure follows. */
export const investigatedSchema = z.strictObject({
  address,
  follows: oneOf(FOLLOWS_MEANINGS, 'What the failure follows; absent: that is not settled').optional(),
  says: z.string().describe('The same in one sentence, with the reason.'),
  legs: z
    .array(
      legSchema.extend({
        passed: count('Runs that passed.'),
        failed: count('Runs that failed.'),
        undecided: z.array(z.string()).describe('Of each run without a verdict: why.'),
      }),
    )
    .describe('How it was run again, and what came of it.'),
});

export type LegKind = keyof typeof LEG_MEANINGS;
export type Follows = keyof typeof FOLLOWS_MEANINGS;
export type PlannedLeg = z.infer<typeof legSchema>;
export type Investigation = z.infer<typeof investigationSchema>;
export type Investigated = z.infer<typeof investigatedSchema>;
