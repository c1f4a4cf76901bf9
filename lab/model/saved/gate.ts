import { z } from 'zod';
import { evidenceRefSchema } from './attribution.ts';
import { variantSchema } from '../axes/axes.ts';
import { parameterTextsSchema } from '../declared/parameters.ts';
import { formatVersionSchema } from '../files/format-version.ts';
import { KILLERS, LAYER_MEANINGS, LEVEL_MEANINGS } from '../killers/killers.ts';
import { oneOf } from '../text/closed-list.ts';
import { GATED_PROGRAMS, type GatedProgram } from '../variants/gated-programs.ts';

const count = (what: string): z.ZodNumber => z.number().int().nonnegative().describe(what);
const address = z.string().describe('Address of the cell.');

/** How a container ended: two deaths are the same when all of this is. */
const deathSchema = z.strictObject({
  killer: z
    .enum(KILLERS)
    .describe('Who ended the victim; `none`: it survived; `unknown`: it never started, as expected.'),
  level: oneOf(LEVEL_MEANINGS, 'Of an OOM kill: whose limit was hit').optional(),
  reason: z.string().optional().describe('What the API gave as the reason; absent: it gave none.'),
  exitCode: z.number().int().optional().describe('What the API gave as the exit code; absent: it gave none.'),
});

const claimSchema = z.strictObject({
  layer: oneOf(LAYER_MEANINGS, 'Who said it'),
  says: z.string().describe('What it said, in words.'),
  agrees: z.boolean().nullable().describe('Whether that agrees with the attribution; null: it said nothing.'),
});

const seenDeathSchema = z.strictObject({
  ...deathSchema.shape,
  count: count('How often it was seen.'),
  claims: z.array(claimSchema).describe('What each layer said, the first time.'),
  because: z.array(evidenceRefSchema).describe('The proof of the first time.'),
  evidence: z.string().describe('The folder of the first time: id of its run, then the folder in it.'),
});

/** A cell with every death that was seen in it. */
const gatedCellSchema = z.strictObject({
  address,
  variant: variantSchema,
  scenario: z.string().describe('Name of the scenario.'),
  parameters: parameterTextsSchema.optional(),
  digest: z
    .string()
    .optional()
    .describe('SHA-256 over what the files of the scenario said; absent when that was not saved.'),
  accelerator: z.enum(['kvm', 'tcg']).describe('How its guests were run.'),
  versions: z.record(z.string(), z.string()).describe('What its nodes said that they run.'),
  of: count('Trials with a verdict: the deaths add up to this.'),
  deaths: z.array(seenDeathSchema).describe('Each death that was seen, the most frequent first.'),
  undecided: z.array(z.string()).describe('Of each trial without a verdict: why.'),
  seconds: z.array(z.number()).describe('How long each trial with a verdict took, in seconds, sorted.'),
});

/** Schema of a baseline: the file that `whodunit gate --record` writes. */
export const baselineSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  kind: z.literal('baseline').describe('What this file is.'),
  version: z.string().describe('Version of whodunit that wrote it.'),
  recordedAt: z.string().describe('When it was written; ISO 8601, UTC.'),
  for: z
    .enum(Object.keys(GATED_PROGRAMS) as [GatedProgram, ...GatedProgram[]])
    .optional()
    .describe('The program whose changes are held against it; cells are then paired whatever its version.'),
  runs: z.array(z.string()).describe('Ids of the runs that it was read from.'),
  cells: z.array(gatedCellSchema).describe('The cells, by address.'),
});

const sideSchema = z.strictObject({
  address,
  of: count('Trials with a verdict.'),
  deaths: z
    .array(seenDeathSchema.extend({ text: z.string().describe('The death in words.') }))
    .describe('Each death that was seen.'),
  undecided: z.array(z.string()).describe('Of each trial without a verdict: why.'),
  seconds: z.number().optional().describe('The median of what a trial took, in seconds.'),
});

/** A cell that both sides have. */
const comparedCellSchema = z.strictObject({
  address,
  says: z.string().describe('What came out of it, in one sentence.'),
  confidence: z
    .number()
    .min(0)
    .max(1)
    .describe('How probable it is that the rates differ, of the death whose rate differs most.'),
  base: sideSchema.describe('What it was before.'),
  head: sideSchema.describe('What it is with the change.'),
  claims: z.array(z.string()).describe('What layers say otherwise than before; that fails nothing.'),
});

/** Answer of `whodunit gate --json`. */
export const gateSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  baseline: z.string().describe('The file or the runs on the one side.'),
  head: z.array(z.string()).describe('Ids of the runs on the other side.'),
  for: baselineSchema.shape.for,
  rule: z
    .strictObject({
      confidence: z.number().describe('From which probability on rates differ.'),
      least: count('Trials with the change before a death counts as changed.'),
    })
    .describe('When a death is changed.'),
  changed: z.array(comparedCellSchema).describe('Cells whose death changed: only these are red.'),
  flaky: z
    .array(comparedCellSchema)
    .describe('Cells that end in several ways on both sides, about as often.'),
  notDecided: z
    .array(z.strictObject({ address, why: z.string().describe('Why nothing can be said.') }))
    .describe('Cells that the gate could not look at, or not often enough: they keep it from being green.'),
  same: z.array(comparedCellSchema).describe('Cells that end as before.'),
  new: z.array(address).describe('Cells that the baseline does not have.'),
  leftOut: z.array(address).describe('Cells of the baseline that the budget or the change did not choose.'),
});

/** What `--dry-run` prints as JSON: the cells of a gate, and why. */
export const gatePlanSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  for: baselineSchema.shape.for,
  areas: z
    .array(
      z.strictObject({
        id: z.string().describe('Its name.'),
        about: z.string().describe('What a change there can break, and why.'),
        layers: z
          .array(oneOf(LAYER_MEANINGS, 'A layer that may say something else'))
          .describe('The layers that may say something else.'),
        because: z.array(z.string()).describe('The changed paths that name it; empty: no change was given.'),
      }),
    )
    .describe('What of the program may have changed.'),
  ignored: z.array(z.string()).describe('Changed paths that can change no death.'),
  cells: z
    .array(
      z.strictObject({
        address,
        seconds: z.number().describe('What its trials take, in seconds, with what its world adds.'),
        why: z.string().describe('Why it is chosen.'),
      }),
    )
    .describe('The chosen cells, the most valuable for its time first.'),
  leftOut: count('Cells that may be touched and have no place in the budget.'),
  withoutPods: count('Cells left out because no pod starts in their world, as matrix.yaml declares.'),
  minutes: z.number().optional().describe('The budget.'),
  estimateSeconds: z
    .number()
    .describe('What the chosen cells take, before any is repeated because it differs.'),
});

export type GatedDeath = z.infer<typeof deathSchema>;
export type SeenDeath = z.infer<typeof seenDeathSchema>;
export type GatedCell = z.infer<typeof gatedCellSchema>;
export type Baseline = z.infer<typeof baselineSchema>;
export type GatedSide = z.infer<typeof sideSchema>;
export type ComparedGateCell = z.infer<typeof comparedCellSchema>;
export type GateResult = z.infer<typeof gateSchema>;
export type GatePlan = z.infer<typeof gatePlanSchema>;
