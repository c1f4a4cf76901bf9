import { z } from 'zod';
import { AXES } from './axes.ts';
import { KILLERS, LEVELS } from './killers.ts';

/** Schema of `scenarios/<name>/scenario.yaml`. The Kubernetes manifests lie beside it in `manifests/`. */

const axisCondition = z
  .partialRecord(z.enum(AXES), z.array(z.string()).min(1))
  .describe('Applies only to variants whose axis has one of these values; globs allowed.');

const outcomeSchema = z
  .strictObject({
    killer: z.enum(KILLERS).describe('Who must have killed the victim; `none` = it must survive.'),
    level: z.array(z.enum(LEVELS)).min(1).optional().describe('Accepted cgroup levels of an OOM kill.'),
    reason: z.array(z.string()).min(1).optional().describe('Accepted container status reasons.'),
    exitCode: z.array(z.number().int()).min(1).optional().describe('Accepted exit codes.'),
    withinSeconds: z
      .number()
      .positive()
      .optional()
      .describe('The death must be seen within this time after the workload (or the stimulus) started.'),
    survivesSeconds: z
      .number()
      .positive()
      .optional()
      .describe('With killer `none`: how long the victim is watched after it became ready.'),
    then: z
      .enum(['restarts', 'next-job-starts', 'stays-dead'])
      .optional()
      .describe('What must follow the death: the container restarts, a later Job starts, or nothing.'),
  })
  .describe('What must happen to the victim.');

/** Whose death is judged: the first pod that matches, and one of its containers. */
const victimSchema = z.strictObject({
  namespace: z.string().default('default'),
  /** Label selector as kubectl takes it: `app=eater`. */
  selector: z.string().min(1),
  container: z.string().min(1),
});

const stimulusSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z
      .literal('node-signal')
      .describe('A process of the node, outside the pod, sends a signal to the victim.'),
    signal: z.enum(['SIGKILL', 'SIGTERM']),
    /** Sent once the container is running and this old. */
    afterSeconds: z.number().nonnegative().default(2),
  }),
]);

export const scenarioSchema = z.strictObject({
  formatVersion: z.literal(1),
  name: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
  title: z.string().min(1).describe('One sentence: what happens and what must be found.'),
  tags: z.array(z.string()).default([]),
  bug: z.string().optional(),
  requires: axisCondition.optional(),
  victim: victimSchema,
  stimulus: z.array(stimulusSchema).default([]),
  expect: outcomeSchema,
  /** Other outcomes for some variants; the first whose `when` matches replaces fields of `expect`. */
  variants: z.array(z.strictObject({ when: axisCondition, expect: outcomeSchema.partial() })).default([]),
  /** Longest time a cell may take, restore excluded. */
  timeoutSeconds: z.number().positive().default(180),
  /** How to see this scenario fail, for its reader. */
  makeItFail: z.string().min(1),
});

/** A scenario as read from its file, defaults filled in. */
export type Scenario = z.infer<typeof scenarioSchema>;

/** What must happen to the victim, for one variant. */
export type Outcome = z.infer<typeof outcomeSchema>;

/** A scenario with its Kubernetes manifests as parsed objects, in file and document order. */
export interface LoadedScenario {
  readonly scenario: Scenario;
  /** Folder, relative to the project. */
  readonly folder: string;
  readonly manifests: readonly Readonly<Record<string, unknown>>[];
}
