import { z } from 'zod';
import { MOST_SECONDS, SCENARIO_TIMES } from '../limits/scenario-times.ts';
import { oneOf } from '../text/closed-list.ts';
import { namesOf } from '../text/names-of.ts';

/** What a scenario does to its victim while it runs: the stimuli of `scenario.yaml`, in their order. */

/** What a victim may be doing when a stimulus comes. */
const VICTIM_STATES = {
  runs: 'its container runs',
  waits: 'its container does not run, and waits for its first or its next start with a reason of its own',
  'is-gone': 'it has ended for good, or its pod is deleted',
} as const;

export type VictimState = keyof typeof VICTIM_STATES;

const timing = {
  afterSeconds: z
    .number()
    .nonnegative()
    .max(MOST_SECONDS)
    .default(SCENARIO_TIMES['stimulus[].afterSeconds'].defaultSeconds)
    .describe('Done once the victim runs and is this old, in seconds.'),
  while: oneOf(VICTIM_STATES, 'What the victim has to do, for `afterSeconds`; left out: it runs').optional(),
};

/** Signals that a scenario may send. */
const SIGNALS = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGQUIT'] as const;

const laterFile = z
  .string()
  .regex(/^[\w.-]+\.yaml$/, 'a file name')
  .describe('File in `later/` beside `manifests/`.');

/** One kind of stimulus. */
export interface StimulusRow {
  /** What it does, in one sentence. */
  readonly does: string;
  /** Its own fields; every stimulus also has `kind` and `afterSeconds`. */
  readonly fields: z.core.$ZodShape;
}

/** The table of stimuli. lab/world/cell/stimulate.ts has the code of each. */
export const STIMULUS_TABLE = {
  'node-signal': {
    does: 'A shell of the node, outside every pod, sends a signal.',
    fields: {
      signal: z.enum(SIGNALS).describe('Name of the signal.'),
      to: z
        .enum(['container', 'child', 'sandbox', 'shim'])
        .default('container')
        .describe(
          'First process of the container, its youngest other one, pause process of its pod, or the shim that holds all.',
        ),
    },
  },
  'node-command': {
    does: 'A script runs on the node, outside every pod.',
    fields: {
      about: z.string().min(1).describe('What it does, in one line, for the record.'),
      script: z
        .string()
        .min(1)
        .describe(
          'bash, as root on the node of the victim; knows CONTAINER_ID, POD_UID, POD_NAME, POD_NAMESPACE and the parameters by name.',
        ),
      timeoutSeconds: z
        .number()
        .positive()
        .max(MOST_SECONDS)
        .default(SCENARIO_TIMES['stimulus[].timeoutSeconds'].defaultSeconds)
        .describe('A script that takes longer is ended, and the cell with it.'),
    },
  },
  'node-reboot': {
    does: 'The node of the victim starts again; evidence goes on in a second part.',
    fields: {
      how: z
        .enum(['crash', 'shutdown'])
        .describe('`crash`: at once, nothing is told; `shutdown`: systemd ends everything first.'),
    },
  },
  'delete-pod': {
    does: 'The pod is deleted through the API, as `kubectl delete pod` does.',
    fields: {
      gracePeriodSeconds: z
        .number()
        .int()
        .nonnegative()
        .max(MOST_SECONDS)
        .optional()
        .describe("As `kubectl delete --grace-period`; left out: the pod's own."),
    },
  },
  'evict-pod': {
    does: 'The pod is evicted through the eviction API, as `kubectl drain` does for each pod.',
    fields: {},
  },
  'drain-node': {
    does: "The victim's node is cordoned, and the pods of the victim's namespace on it are evicted.",
    fields: {},
  },
  'taint-node': {
    does: "A taint is put on the victim's node.",
    fields: {
      key: z
        .string()
        .regex(
          /^([a-z0-9][-a-z0-9.]*\/)?[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/,
          'a key such as example.org/why',
        )
        .describe('Key of the taint.'),
      value: z
        .string()
        .regex(/^([A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?)?$/, 'at most 63 letters, digits, -, _ and .')
        .optional()
        .describe('Value of the taint.'),
      effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']).describe('Effect of the taint.'),
    },
  },
  create: { does: 'More objects are created.', fields: { file: laterFile } },
  'patch-pod': {
    does: 'The pod is changed through the API, as `kubectl patch pod` does.',
    fields: {
      subresource: z
        .enum(['resize', 'ephemeralcontainers'])
        .optional()
        .describe('As `kubectl patch --subresource`; `kubectl debug` patches `ephemeralcontainers`.'),
      spec: z.record(z.string(), z.unknown()).describe('Strategic merge patch of `spec`.'),
    },
  },
  'write-static-pod': {
    does: "A manifest is written into the folder of the kubelet's static pods.",
    fields: {
      file: laterFile,
      afterSeconds: z
        .number()
        .nonnegative()
        .max(MOST_SECONDS)
        .optional()
        .describe('As elsewhere; left out: at once, on the first node, and may be the victim itself.'),
    },
  },
  'remove-static-pod': {
    does: 'The manifest that `write-static-pod` wrote is removed.',
    fields: { file: laterFile },
  },
  'slow-disk': {
    does: 'The disk of the node answers only so many reads a second, until the cell is over.',
    fields: {
      readsPerSecond: z
        .number()
        .int()
        .min(1)
        .max(100_000)
        .describe('A spinning disk does about 100, a small volume of a cloud about 300.'),
    },
  },
  exec: {
    does: "A process that prints something is started in the victim's container, as `kubectl exec` does.",
    fields: { command: z.array(z.string()).min(1).describe('The program and its arguments.') },
  },
} as const satisfies Readonly<Record<string, StimulusRow>>;

type Table = typeof STIMULUS_TABLE;

/** A kind of stimulus, from the table. */
export type StimulusKind = keyof Table;

/** Every kind, in the order of the table. */
export const STIMULUS_KINDS = namesOf(STIMULUS_TABLE);

type FieldsOf<K extends StimulusKind> = Omit<typeof timing, keyof Table[K]['fields']> & Table[K]['fields'];

/** A stimulus of one kind, as read. */
export type StimulusOf<K extends StimulusKind> = { kind: K } & z.infer<z.ZodObject<FieldsOf<K>>>;

/** One thing done to the victim. */
export type Stimulus = { [K in StimulusKind]: StimulusOf<K> }[StimulusKind];

function schemaOf(kind: StimulusKind) {
  const { does, fields } = STIMULUS_TABLE[kind];
  return z
    .strictObject({ kind: z.literal(kind).describe('What is done.'), ...fields, ...timing, ...fields })
    .describe(does);
}

const [first, ...others] = STIMULUS_KINDS.map(schemaOf);
if (first === undefined) throw new TypeError('the table of stimuli is empty');

/** One entry of `stimulus`. */
export const stimulusSchema = z.discriminatedUnion('kind', [
  first,
  ...others,
]) as z.ZodType as z.ZodType<Stimulus>;
