import { z } from 'zod';
import { oneOf } from '../text/closed-list.ts';
import { formatVersionSchema } from '../files/format-version.ts';
import type { GraphNode } from '../work/task-graph.ts';

/** What brings a world up, as a graph: `up` does it, `up --dry-run` prints it. */

/** Kinds of steps, and what each does. */
const UP_STEP_KINDS = {
  component: 'finds, fetches or builds the programs of one version',
  provider: 'finds Terraform, and fetches or builds its provider for libvirt',
  'root file system': 'makes the root file system of a Debian suite',
  kernel: 'fetches the kernel of another suite',
  'old world': 'removes the world that is in the way',
  image: 'bakes the disk that nodes boot from',
  world: 'brings up the machines and the cluster',
} as const;

/** Whether a step has something to do. */
const UP_STEP_STATES = {
  there: 'what it makes is in the cache',
  'to do': 'it has to be done',
  'not needed': 'nothing needs it this time',
  open: 'that is known once the programs are there',
} as const;

/** How a world comes up. */
const UP_WAYS = {
  restored: 'from its snapshot',
  derived: 'from another world that is saved',
  built: 'from its image',
  open: 'that is known once the programs are there',
} as const;

export type UpStepKind = keyof typeof UP_STEP_KINDS;
type UpStepState = keyof typeof UP_STEP_STATES;
export type UpWay = keyof typeof UP_WAYS;

/** A step on the way to a world. */
export interface UpStep extends GraphNode {
  readonly kind: UpStepKind;
  /** The name of a component, the suite of a root file system, or the variant of a world. */
  readonly name: string;
  /** Exact; empty when the name says all. */
  readonly version: string;
  readonly state: UpStepState;
  /** Where it is, if it exists; else why it is made, or why nothing needs it. */
  readonly why: string;
  /** Sources of a component, in the order in which they are asked. */
  readonly sources: readonly string[];
  readonly lane?: 'programs';
}

const seconds = (what: string): z.ZodNumber => z.number().nonnegative().describe(what);

const upPlanStepSchema = z.strictObject({
  id: z.string().describe('Unique in this plan.'),
  kind: oneOf(UP_STEP_KINDS, 'What it does'),
  name: z
    .string()
    .describe('Of a component its name, of a root file system the suite, of a world its variant.'),
  version: z.string().describe('Exact version; empty when the name says all.'),
  state: oneOf(UP_STEP_STATES, 'Whether it has something to do'),
  why: z
    .string()
    .describe('Of what is there: where it is. Of the rest: why it is made, or why nothing needs it.'),
  sources: z.array(z.string()).describe('Of a component: its sources, in the order in which they are asked.'),
  needs: z.array(z.string()).describe('Ids of the steps that it waits for.'),
  lane: z.string().optional().describe('Steps of one lane share its places (`lanes`).'),
  estimateSeconds: seconds('What it is estimated to take; 0 when it has nothing to do.'),
  estimatedFrom: z
    .enum(['past-runs', 'defaults'])
    .describe('`past-runs`: earlier times here. `defaults`: measured elsewhere, emulated on 2 cores.'),
  beginsAfterSeconds: seconds('When it is estimated to begin.'),
});

/** `whodunit up --dry-run --json` */
export const upPlanSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  world: z.string().describe('Canonical name of the variant.'),
  way: oneOf(UP_WAYS, 'How it would come up'),
  parent: z.string().optional().describe('Name of the saved world that it would be derived from.'),
  why: z.string().describe('Why this way, in a clause.'),
  steps: z.array(upPlanStepSchema).describe('All steps, in the order in which they are begun.'),
  lanes: z.record(z.string(), z.number().int()).describe('How many steps of each lane are done at once.'),
  totals: z
    .strictObject({
      there: z.number().int().describe('Steps whose result is in the cache.'),
      toDo: z.number().int().describe('Steps that would be done.'),
      notNeeded: z.number().int().describe('Steps that nothing needs.'),
      open: z.number().int().describe('Steps of which that is not known yet.'),
      estimateSeconds: seconds('What all of it is estimated to take, side by side as far as it goes.'),
    })
    .describe('Counts of the steps, and their time together.'),
  estimates: z
    .enum(['past-runs', 'some-past-runs', 'defaults'])
    .describe('What the estimates of the steps that would be done rest on.'),
});

/** A plan for a reader. */
export type UpPlanResult = z.infer<typeof upPlanSchema>;
export type UpPlanStep = z.infer<typeof upPlanStepSchema>;

/** Whether a step is run: what is there is used, and what is not known yet is known in time. */
export function isRun({ state }: Pick<UpStep, 'state'>): boolean {
  return state === 'there' || state === 'to do';
}
