import { z } from 'zod';
import { diffSchema } from './diff.ts';
import { formatVersionSchema } from '../files/format-version.ts';
import { HOWS, KILLERS } from '../killers/killers.ts';
import { oneOf } from '../text/closed-list.ts';

const count = (what: string): z.ZodNumber => z.number().int().nonnegative().describe(what);
const address = z.string().describe('Address of the cell.');

const namedSchema = z.strictObject({
  killer: z.enum(KILLERS).describe('Who killed it, as the verdict says.'),
  how: z.enum(HOWS).optional().describe('The way of this killer, where it has several.'),
});

const ARM_KINDS = {
  'as-it-was': 'nothing is taken away',
  'without-cause': 'the cause that the verdict names is taken away, and nothing else',
  'without-innocent': 'another suspect is taken away, and nothing else',
} as const;

const armSchema = z.strictObject({
  kind: oneOf(ARM_KINDS, 'What is taken away'),
  killer: z.enum(KILLERS).optional().describe('Who is taken away.'),
  takes: z.string().optional().describe('What is taken away, in words.'),
  made: z.array(z.string()).describe('Each change that was made.'),
});

const causeSchema = z
  .discriminatedUnion('state', [
    z.strictObject({
      state: z.literal('taken').describe('It is taken away.'),
      isPartial: z.boolean().describe('Whether it may strike all the same, only later or seldomer.'),
    }),
    z.strictObject({
      state: z.literal('absent').describe('The scenario has nothing of it, so nothing has to be taken away.'),
      why: z.string().describe('What it has nothing of.'),
    }),
    z.strictObject({
      state: z.literal('none').describe('Nothing takes it away.'),
      why: z.string().describe('Why not.'),
    }),
  ])
  .describe('How the named cause is taken away.');

/** Which verdict a run proves. */
export const provedSchema = z
  .strictObject({
    run: z.string().describe('Id of the run that has the verdict.'),
    address,
    named: namedSchema.describe('The cause that the verdict names.'),
    cause: causeSchema,
    accepted: z.array(z.enum(KILLERS)).describe('Killers with which the scenario lets the cell end.'),
    watchSeconds: z.number().positive().describe('How long a container that must live is watched.'),
    repeat: z.number().int().min(1).describe('How often each cell is run.'),
    earlier: z
      .array(z.string())
      .optional()
      .describe('Ids of the runs with earlier rounds, which count too; absent in the first round.'),
    arms: z
      .array(armSchema.extend({ address }))
      .describe('The cells: as it was, without the cause, without innocents.'),
  })
  .describe('Of `whodunit prove`: the verdict that the run puts to the test.');

const CONCLUSIONS = {
  confirmed: 'confirmed by experiment: without the cause it lives, without an innocent it dies',
  refuted: 'without the cause that the verdict names it dies the same',
  'not-settled': 'the runs do not tell',
  'no-intervention': 'nothing takes this cause away',
} as const;

const seenArmSchema = armSchema.extend({
  address: address.optional(),
  of: count('Runs with a verdict.'),
  same: count('How many of them died as the verdict says.'),
  ends: z.array(z.string()).describe('Each way in which they ended, with how often.'),
  undecided: z.array(z.string()).describe('Of each run without a verdict: why.'),
});

/** Answer of `whodunit prove --json`. */
export const proveSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  run: z.string().optional().describe('The run with the experiment; absent when nothing was run.'),
  of: z
    .strictObject({
      run: z.string().describe('Id of the run that has the verdict.'),
      address,
    })
    .describe('The verdict that is put to the test.'),
  named: namedSchema.describe('The cause that the verdict names.'),
  conclusion: oneOf(CONCLUSIONS, 'What came out'),
  says: z.string().describe('The same in one sentence, with the reason.'),
  isOpen: z.boolean().optional().describe('Whether more runs may settle it; absent: no.'),
  runs: count('Runs with a verdict, of all cells.'),
  probability: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe(
      'How probable it is that it dies so more often with the cause; absent where that was not compared.',
    ),
  arms: z.array(seenArmSchema).describe('The cells, and how each ended.'),
  timeline: diffSchema.options[0].shape.timeline
    .optional()
    .describe('A death as it was beside a run without the cause; absent where one of them was not seen.'),
});

/** What came out of an experiment, as `whodunit why` says it of the verdict. */
export const testedSchema = proveSchema.pick({ conclusion: true, runs: true }).extend({
  run: z.string().describe('The last run of the experiment.'),
});

/** What `--dry-run` prints as JSON: the cells of an experiment, and what they cost. */
export const provePlanSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  of: proveSchema.shape.of,
  named: proveSchema.shape.named,
  cause: causeSchema,
  repeat: z.number().int().min(1).describe('How often each cell is run.'),
  arms: z
    .array(armSchema.extend({ address, seconds: z.number().describe('What its runs take, in seconds.') }))
    .describe('The cells that would be run.'),
  worlds: z.array(z.string()).describe('The worlds that they need.'),
  estimateSeconds: z.number().describe('What all of it will take, in seconds.'),
});

export type NamedCause = z.infer<typeof namedSchema>;
export type CauseTaken = z.infer<typeof causeSchema>;
export type ProofArm = z.infer<typeof armSchema>;
export type ProvedVerdict = z.infer<typeof provedSchema>;
export type ProofConclusion = keyof typeof CONCLUSIONS;
export type SeenArm = z.infer<typeof seenArmSchema>;
export type ProveResult = z.infer<typeof proveSchema>;
export type TestedVerdict = z.infer<typeof testedSchema>;
export type ProvePlan = z.infer<typeof provePlanSchema>;
