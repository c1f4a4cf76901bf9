import { z } from 'zod';
import { variantSchema } from '../axes/axes.ts';
import { isoTime } from '../files/iso-time.ts';
import { EVIDENCE_SOURCES } from './evidence-files.ts';
import { expectedBugSchema } from '../declared/ledger.ts';
import { declaredMeasuresSchema } from '../measures/declared-measure.ts';
import { sampledSchema } from '../measures/measure.ts';
import { parameterTextsSchema } from '../declared/parameters.ts';
import { outcomeSchema } from '../declared/outcome.ts';
import { triesSchema } from '../declared/tries.ts';

/**
 * Schema of `cell.json`. A later lab of the same format adds fields, so unknown fields pass, and fields that were added
 * later are optional. Only `expected` refuses unknown fields: this lab cannot compare what it does not know.
 */

const stimulusSchema = z.object({
  kind: z.string().describe('What was done, as a scenario names it: `node-signal`, `delete`.'),
  at: isoTime('When it was done'),
  node: z.string().describe('The node on which it was done; empty when it went to the API.'),
  detail: z.string().describe('What exactly, with the pid of the sender on its node.'),
});

const lostSchema = z.object({
  source: z.enum(EVIDENCE_SOURCES).describe('The source that could not be saved, or not as a whole.'),
  node: z.string().optional().describe('Of which node; absent for sources of the cluster.'),
  from: isoTime('Only what came later may be missing; absent: all of it').optional(),
  why: z.string().describe('The reason, for a reader.'),
});

/** What was done in a cell, saved as `cell.json`. Judging again needs only this and the evidence files. */
export const cellRecordSchema = z
  .object({
    formatVersion: z
      .literal(1)
      .describe('Rises when a reader would have to change; fields are added without.'),
    address: z
      .string()
      .min(1)
      .describe(
        '`<variant>/<scenario>`, with `[name=value,…]` for parameters that are not at their default.',
      ),
    variant: variantSchema.describe('The cluster; an axis that is absent has its default.'),
    scenario: z.string().min(1).describe('Name of the scenario.'),
    parameters: parameterTextsSchema.optional(),
    expected: outcomeSchema,
    bug: expectedBugSchema.optional(),
    tries: triesSchema.optional(),
    victim: z
      .object({
        namespace: z.string().regex(/\S/, { error: 'the name of a namespace' }).describe('Where its pod is.'),
        selector: z
          .string()
          .regex(/\S/, { error: 'a label selector, such as app=web' })
          .describe('Label selector as kubectl takes it; the first pod that matches is judged.'),
        container: z
          .string()
          .regex(/\S/, { error: 'the name of a container' })
          .describe('Name of the container.'),
        onNode: z
          .string()
          .optional()
          .describe('Name of its pod, where only its node was asked; absent when the API was.'),
      })
      .describe('Whose death is judged.'),
    nodes: z
      .array(z.string().regex(/^(?!\.+$)[^/\\]+$/, 'the name of a node, and of a folder'))
      .min(1)
      .readonly()
      .describe('Names of the nodes; each has a folder of evidence.'),
    startedAt: isoTime("When the cell began; the host's clock, to which the guests' clocks are stepped"),
    deployedAt: isoTime('When the workload was created'),
    endedAt: isoTime('When the cell was over and its evidence was saved'),
    stimuli: z.array(stimulusSchema.readonly()).readonly().describe('What the lab itself did to the victim.'),
    kmsgEnd: z
      .string()
      .optional()
      .describe(
        "Text of the last record of every node's kernel log: a log without it was cut. Absent in older cells.",
      ),
    samplers: z
      .array(sampledSchema.readonly())
      .readonly()
      .optional()
      .describe('Scripts that printed measures on the nodes; absent when there were none.'),
    measures: declaredMeasuresSchema
      .readonly()
      .optional()
      .describe(
        'What the measures are that the scenario declares itself; absent without samplers, and in older cells.',
      ),
    title: z
      .string()
      .optional()
      .describe('The title of the scenario: what happens and what must be found. Absent in older cells.'),
    manifests: z
      .array(z.record(z.string(), z.unknown()))
      .readonly()
      .optional()
      .describe('The objects that the scenario created. Absent in older cells, and when they are long.'),
    lost: z
      .array(lostSchema.readonly())
      .readonly()
      .describe('Sources that could not be saved, with the reason.'),
    interrupted: z.string().optional().describe('Set when somebody interrupted the cell: what was said.'),
    broken: z
      .string()
      .optional()
      .describe(
        'Set when an error of the lab cut the cell short: what was seen is not a basis for a verdict.',
      ),
  })
  .describe('What was done in a cell: with the evidence files beside it, all that judging again needs.');

/** What the file of one source lacks: from when on, and why. */
export type Missed = Pick<z.infer<typeof lostSchema>, 'from' | 'why'>;

/** A cell's record as it is read, with defaults for axes that it lacks. */
export type CellRecord = Readonly<z.infer<typeof cellRecordSchema>>;
