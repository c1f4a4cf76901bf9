import { z } from 'zod';

/** What a scenario does to its victim once it runs: the stimuli of `scenario.yaml`, done in order. */

const timing = {
  afterSeconds: z
    .number()
    .nonnegative()
    .default(2)
    .describe('Done once the victim runs and is this old, in seconds.'),
};

/** Signals that a scenario may send. */
const SIGNALS = ['SIGKILL', 'SIGTERM', 'SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGQUIT'] as const;

const laterFile = z
  .string()
  .regex(/^[\w.-]+\.yaml$/, 'a file name')
  .describe('File in `later/` beside `manifests/`.');

export const stimulusSchema = z.discriminatedUnion('kind', [
  z
    .strictObject({
      kind: z.literal('node-signal'),
      signal: z.enum(SIGNALS),
      to: z
        .enum(['container', 'child', 'sandbox', 'shim'])
        .default('container')
        .describe(
          'First process of the container, its youngest other one, pause process of its pod, or the shim that holds all.',
        ),
      ...timing,
    })
    .describe('A shell of the node, outside every pod, sends a signal.'),
  z
    .strictObject({
      kind: z.literal('node-command'),
      about: z.string().min(1).describe('What it does, in one line, for the record.'),
      script: z
        .string()
        .min(1)
        .describe(
          'bash, as root on the node of the victim; knows CONTAINER_ID, POD_UID, POD_NAME, POD_NAMESPACE and the parameters by name.',
        ),
      ...timing,
    })
    .describe('A script runs on the node, outside every pod.'),
  z
    .strictObject({
      kind: z.literal('node-reboot'),
      how: z
        .enum(['crash', 'shutdown'])
        .describe('`crash`: at once, nothing is told; `shutdown`: systemd ends everything first.'),
      ...timing,
    })
    .describe('The node of the victim starts anew; evidence goes on in a second part.'),
  z
    .strictObject({
      kind: z.literal('delete-pod'),
      gracePeriodSeconds: z.number().int().nonnegative().optional(),
      ...timing,
    })
    .describe('The pod is deleted through the API, as `kubectl delete pod` does.'),
  z
    .strictObject({ kind: z.literal('evict-pod'), ...timing })
    .describe('The pod is evicted through the eviction API, as `kubectl drain` does for each pod.'),
  z
    .strictObject({ kind: z.literal('drain-node'), ...timing })
    .describe("The victim's node is cordoned, and the pods of the victim's namespace on it are evicted."),
  z
    .strictObject({
      kind: z.literal('taint-node'),
      key: z.string().min(1),
      value: z.string().optional(),
      effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
      ...timing,
    })
    .describe("A taint is put on the victim's node."),
  z
    .strictObject({
      kind: z.literal('create'),
      file: laterFile,
      ...timing,
    })
    .describe('More objects are created.'),
  z
    .strictObject({
      kind: z.literal('patch-pod'),
      subresource: z
        .enum(['resize', 'ephemeralcontainers'])
        .optional()
        .describe('As `kubectl patch --subresource`; `kubectl debug` patches `ephemeralcontainers`.'),
      spec: z.record(z.string(), z.unknown()).describe('Strategic merge patch of `spec`.'),
      ...timing,
    })
    .describe('The pod is changed through the API, as `kubectl patch pod` does.'),
  z
    .strictObject({
      kind: z.literal('write-static-pod'),
      file: laterFile,
      afterSeconds: z
        .number()
        .nonnegative()
        .optional()
        .describe('As elsewhere; left out: at once, on the first node, and may be the victim itself.'),
    })
    .describe("A manifest is written into the folder of the kubelet's static pods."),
  z
    .strictObject({ kind: z.literal('remove-static-pod'), file: laterFile, ...timing })
    .describe('The manifest that `write-static-pod` wrote is removed.'),
  z
    .strictObject({
      kind: z.literal('exec'),
      command: z.array(z.string()).min(1),
      ...timing,
    })
    .describe(
      "A process that prints something is started in the victim's container, as `kubectl exec` does.",
    ),
]);

/** One thing done to the victim. */
export type Stimulus = z.infer<typeof stimulusSchema>;

/** One kind of stimulus. */
export type StimulusOf<K extends Stimulus['kind']> = Extract<Stimulus, { kind: K }>;
