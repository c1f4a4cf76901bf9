import { z } from 'zod';
import { MAX_REPEATS } from '../limits/max-repeats.ts';
import { MOST_SECONDS, SCENARIO_TIMES } from '../limits/scenario-times.ts';
import { conditionSchema } from './condition.ts';
import { formatVersionSchema } from '../files/format-version.ts';
import { declaredMeasuresSchema } from '../measures/declared-measure.ts';
import { samplerSchema, type Sampler } from '../measures/measure.ts';
import { outcomeSchema, type Outcome } from './outcome.ts';
import { registrySchema } from './registry.ts';
import { parametersSchema, type Parameters, type ParameterTexts } from './parameters.ts';
import { stimulusSchema } from './stimulus.ts';
import { traitsSchema } from './traits.ts';
import { triesSchema } from './tries.ts';
import { isPlain } from '../text/plain-text.ts';

/** Schema of `scenarios/<name>/scenario.yaml`. The Kubernetes manifests are next to it in `manifests/`. */

/** Whose death is judged: the first pod that matches, and one of its containers. */
const victimSchema = z.strictObject({
  namespace: z.string().default('default').describe('Where its pod is.'),
  selector: z.string().min(1).describe('Label selector, equality only: `app=eater`.'),
  container: z.string().min(1).describe('Name of the container.'),
  onNode: z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, 'the name of a pod')
    .optional()
    .describe(
      'Name of its pod on the first node, where the API goes down with it: only the node is asked then, and `selector` is for a reader.',
    ),
});

/** What a node is made before a cell. */
const prepareSchema = z
  .strictObject({
    about: z.string().min(1).describe('What it does, in one line, for a reader.'),
    script: z
      .string()
      .min(1)
      .describe(
        'bash, as root on the first node; knows the parameters by name. What it does is not evidence.',
      ),
    timeoutSeconds: z
      .number()
      .positive()
      .max(MOST_SECONDS)
      .default(SCENARIO_TIMES['prepare.timeoutSeconds'].defaultSeconds)
      .describe('A script that takes longer is ended, and the cell with it.'),
  })
  .describe('What is done to the first node before anything is recorded.');

/** A container image that no base image has. */
const imageSchema = z.strictObject({
  image: z
    .string()
    .regex(
      /^whodunit\.local\/[a-z0-9][a-z0-9-]*:[\w][\w.-]*$/,
      'a name such as whodunit.local/supercronic:0.2.30',
    )
    .describe('Name that manifests give it.'),
  component: z
    .string()
    .min(1)
    .describe('Component of components.yaml; its programs are in /bin of the image.'),
  version: z.string().min(1).describe('Its version: a short or an exact one, or a local build.'),
  also: z
    .array(
      z.strictObject({
        component: z.string().min(1).describe('A further component.'),
        version: z.string().min(1).describe('Its version.'),
      }),
    )
    .default([])
    .describe('Components whose programs are in the same image.'),
});

/** A greeting costs an emulated node some tenths of a second. */
const heartbeatSchema = z
  .strictObject({
    everySeconds: z
      .number()
      .min(0.5)
      .max(60)
      .default(SCENARIO_TIMES['heartbeat.everySeconds'].defaultSeconds)
      .describe('Time between two connections to a node.'),
  })
  .describe('The host connects to the SSH server of each node again and again, and records when it greets.');

export const scenarioSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  name: z
    .string()
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'a name of lower-case words joined by -')
    .describe('The name of the folder.'),
  title: z
    .string()
    .regex(/^.*\S.*$/, 'one line of text that is not empty')
    .max(300)
    .refine(isPlain, { error: 'text without letters that move a cursor or that nobody sees' })
    .describe('One sentence: what happens and what must be found.'),
  tags: z
    .array(z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'a word of lower-case letters, digits and -'))
    .default([])
    .describe('Words to select it by: `tag=oom`.'),
  traits: traitsSchema,
  requires: conditionSchema.optional(),
  parameters: parametersSchema,
  images: z
    .array(imageSchema)
    .default([])
    .describe('Images that are handed to the nodes after each restore, beside those that are there anyway.'),
  registry: registrySchema.optional(),
  heartbeat: heartbeatSchema.optional(),
  measures: declaredMeasuresSchema
    .default({})
    .describe('Measures that its samplers print and that are not built in: name → what it is.'),
  samplers: z
    .array(samplerSchema)
    .default([])
    .describe(
      'Scripts that print measures on the nodes, from before the workload is deployed until the cell is over.',
    ),
  victim: victimSchema.describe(
    'Whose death is judged: the first pod that matches, and one of its containers.',
  ),
  prepare: prepareSchema.optional(),
  stimulus: z.array(stimulusSchema).default([]).describe('What is done to it, in this order.'),
  expect: outcomeSchema,
  variants: z
    .array(
      z.strictObject({
        when: conditionSchema,
        expect: outcomeSchema.partial().describe('What is different for them.'),
      }),
    )
    .default([])
    .describe(
      'Other outcomes for some variants, the first whose `when` matches: one that names another killer, or a container that runs on, stands for itself, any other replaces fields of `expect`.',
    ),
  repeat: z
    .number()
    .int()
    .min(1)
    .max(MAX_REPEATS)
    .default(1)
    .describe('Runs of a racy scenario, each in a restored world; the verdict is about all of them.'),
  tolerate: z.number().min(0).max(1).default(0).describe('Share of the runs that may end otherwise.'),
  timeoutSeconds: z
    .number()
    .positive()
    .max(MOST_SECONDS)
    .default(SCENARIO_TIMES.timeoutSeconds.defaultSeconds)
    .describe(SCENARIO_TIMES.timeoutSeconds.means),
  tries: triesSchema.optional(),
  makeItFail: z
    .string()
    .regex(/\S/, 'text that is not empty')
    .describe('How to see this scenario fail, for its reader.'),
});

/** A scenario as read from its file, defaults filled in. */
export type Scenario = z.infer<typeof scenarioSchema>;

export type { Outcome };

/** A Kubernetes object, parsed. */
export type Manifest = Readonly<Record<string, unknown>>;

/** The files of a scenario, parsed, with `${name}` where a parameter goes. */
export interface ScenarioSource {
  /** Folder, relative to the project. */
  readonly folder: string;
  /** `scenario.yaml`, not yet checked. */
  readonly scenario: unknown;
  readonly parameters: Parameters;
  /** Objects by file of the project, in file and document order. */
  readonly manifests: Readonly<Record<string, readonly Manifest[]>>;
  /** Objects of `later/` by file name: what the stimulus `create` adds. */
  readonly later: Readonly<Record<string, readonly Manifest[]>>;
  /** Scripts of `samplers/` by file name. */
  readonly scripts: Readonly<Record<string, string>>;
}

/** A scenario with its Kubernetes manifests as parsed objects, for one choice of its parameters. */
export interface LoadedScenario {
  readonly scenario: Scenario;
  /** Folder, relative to the project. */
  readonly folder: string;
  /** Value of every declared parameter. */
  readonly parameters: ParameterTexts;
  readonly manifests: readonly Manifest[];
  /** Objects of `later/` by file name. */
  readonly later: Readonly<Record<string, readonly Manifest[]>>;
  /** Its samplers with their scripts; empty where the file is missing. */
  readonly samplers: readonly Sampler[];
  /** What it was made from: other values give another one. */
  readonly source: ScenarioSource;
}
