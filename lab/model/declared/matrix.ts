import { z } from 'zod';
import { AXES } from '../axes/axes.ts';
import { oneOf } from '../text/closed-list.ts';
import { formatVersionSchema } from '../files/format-version.ts';
import { axisGlobs, conditionSchema } from './condition.ts';
import { nodeSettingsShape } from './node-settings.ts';
import { patternSchema } from '../text/pattern.ts';
import type { Declared } from '../variants/axis.ts';
import { declaredVersion, suiteSchema } from '../variants/suite.ts';
import { compareAsWritten } from '../variants/versions.ts';

/**
 * Schema of `matrix.yaml`: which values each axis knows, what suites ship and knobs set, the named sets, and what is
 * declared about combinations: rules that refuse them, start failures, notes.
 */

/** How sure a declared statement is. */
export const PROOF_MEANINGS = {
  proven: 'run, or read in the very release it speaks of',
  predicted: 'from release notes or other code, not run',
} as const;

/** Whose journal shows that no pod starts. */
const FAILURE_JOURNALS = {
  containerd: 'containerd, which says why the runtime failed',
  kubelet: 'the kubelet, which gives up a start that containerd never answers',
} as const;

/** Which pods of a variant cannot start. */
const FAILING_PODS = {
  all: 'those of the control plane too',
  workload: 'those under the runtime of the variant; the control plane runs',
} as const;

/** A link, or a file of the project. */
const sourceSchema = z
  .string()
  .regex(
    /^(https:\/\/[^\s/?#@]+([/?#]\S*)?|(?![A-Za-z][\w+.-]*:)\S.*)$/,
    'a https:// link or a file of the project',
  );

/** A value is part of addresses, of names of folders and of selectors. */
const valueSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][\w.+@-]*$/,
    'text of letters, digits and . + @ _ -, which begins with a letter or digit',
  );

/** A smaller node does not become one: kubeadm refuses it (cmd/kubeadm/app/constants/constants.go), or its image does not fit. */
const LEAST = { memoryMiB: 1700, vcpus: 2, diskGiB: 4 } as const;

function wholeNumber(least: number, most: number): z.ZodInt {
  const error = `a whole number from ${least} to ${most}`;
  return z.int({ error }).min(least, { error }).max(most, { error });
}

const axisSchema = z.strictObject({
  about: z.string().regex(/\S/, 'text that is not empty').describe('What varies, in one line.'),
  values: z.array(valueSchema).min(1).describe('Named values; the first is the default.'),
  patterns: z
    .array(patternSchema)
    .default([])
    .describe(
      'Regular expressions (RE2 syntax, whole value) of values accepted beside the named ones: exact versions.',
    ),
  example: z.string().optional().describe('A value that the patterns accept, for messages.'),
  cold: z
    .string()
    .regex(/\S/, 'text that is not empty')
    .optional()
    .describe(
      'Why a world with another value cannot be derived from a saved one, in a clause. Absent: it can, unless a statement of `cold` says otherwise.',
    ),
});

const setBlockSchema = z.strictObject({
  variants: axisGlobs.describe('Axes that vary; `*` = all named values. Other axes keep their default.'),
  scenarios: z.array(z.string()).min(1).default(['*']).describe('Globs over scenario names.'),
  parameters: z
    .record(z.string(), z.array(z.string()).min(1))
    .default({})
    .describe(
      'Parameters that vary; `*` = all named values. Scenarios that lack one of them are left out; others keep their default.',
    ),
  withTags: z
    .array(z.string())
    .default([])
    .describe('Takes only scenarios that have one of these tags. Absent: all.'),
  withoutTags: z
    .array(z.string())
    .default([])
    .describe('Leaves out scenarios that have one of these tags, or no tag at all.'),
});

const setSchema = z
  .strictObject({
    about: z.string().regex(/\S/, 'text that is not empty').describe('What it is for, in one line.'),
    bugs: z
      .array(z.string())
      .default([])
      .describe(
        'Globs over ids of bugs: the affected, the fixed and the control cells of each are in the set.',
      ),
    blocks: z
      .array(setBlockSchema)
      .default([])
      .describe('The set is the union of its blocks and of the cells of its bugs.'),
  })
  .refine(({ bugs, blocks }) => bugs.length + blocks.length > 0, { error: 'bugs or blocks' });

const knobBundleSchema = z
  .strictObject({
    about: z.string().regex(/\S/, 'text that is not empty').describe('What it does, in one line.'),
    kubelet: z
      .record(z.string(), z.json())
      .refine((fields) => Object.keys(fields).length > 0, {
        error: 'at least one field of KubeletConfiguration',
      })
      .optional()
      .describe('Fields of KubeletConfiguration that this bundle sets.'),
    sysctl: z
      .record(
        z.string().regex(/^[a-z][\w-]*([./][\w-]+)+$/, 'a name such as vm.swappiness'),
        z.string().regex(/^\S.*$/, 'text that is not empty'),
      )
      .optional()
      .describe('Kernel settings, set after the kubelet has started: it sets some of them itself.'),
    kernelArguments: z
      .array(z.string().regex(/^[!-~]+$/, 'one word of the kernel command line'))
      .optional()
      .describe('Words added to the kernel command line.'),
    ...nodeSettingsShape,
    since: declaredVersion
      .optional()
      .describe('First release of Kubernetes that knows what is set: `1.34`, or `1.34.2`.'),
    until: declaredVersion.optional().describe('Last release of Kubernetes that knows it.'),
    source: sourceSchema.optional().describe('Where since and until can be checked.'),
  })
  .refine((knob) => (knob.since ?? knob.until) === undefined || knob.source !== undefined, {
    error: 'a source for since or until',
  })
  .refine(
    ({ since, until }) => since === undefined || until === undefined || compareAsWritten(since, until) <= 0,
    { error: 'a since that is not after until' },
  );

/** What every declared statement about variants has: a name, its condition, and where it can be checked. */
const statement = {
  id: z
    .string()
    .regex(/^[a-z0-9.]+(-[a-z0-9.]+)*$/, 'a name of lower-case words joined by -')
    .describe('Its name, for messages.'),
  when: conditionSchema,
  unless: conditionSchema.optional().describe('But not those that match all of these.'),
  reason: z.string().regex(/\S/, 'text that is not empty').describe('Why, in one sentence.'),
  source: sourceSchema.describe('Where the reason can be checked: a link or a file of the project.'),
  proof: oneOf(PROOF_MEANINGS, 'How sure it is'),
};

const ruleSchema = z.strictObject(statement).describe('Refuses variants: their cells are skipped.');

const startFailureSchema = z
  .strictObject({
    ...statement,
    text: z
      .string()
      .regex(/\S/, 'text that is not empty')
      .describe('What the journal must say; without it, it is an error of the lab.'),
    journal: oneOf(FAILURE_JOURNALS, 'Whose journal has the text').default('containerd'),
    pods: oneOf(FAILING_PODS, 'Which pods cannot start').default('all'),
  })
  .describe('Variants whose node starts but whose pods cannot: built, and the failure must be seen.');

const coldSchema = z
  .strictObject(statement)
  .describe(
    'Variants whose world has to have the values that `when` names from its start, although their axes allow a change.',
  );

const noteSchema = z.strictObject(statement).describe('Worth knowing about variants that do run.');

export const matrixSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  machine: z
    .strictObject({
      memoryMiB: wholeNumber(LEAST.memoryMiB, 1024 * 1024).describe(
        `Memory, in MiB; kubeadm wants ${LEAST.memoryMiB} (\`ControlPlaneMem\`).`,
      ),
      vcpus: wholeNumber(LEAST.vcpus, 288).describe(
        `Virtual CPUs; kubeadm wants ${LEAST.vcpus} (\`ControlPlaneNumCPU\`).`,
      ),
      diskGiB: wholeNumber(LEAST.diskGiB, 16 * 1024).describe(
        'Size of the disk, in GiB. Debian, the programs and the images of the control plane are on it.',
      ),
    })
    .describe('Size of one node.'),
  axes: z.record(z.enum(AXES), axisSchema).describe('Which values each axis knows.'),
  suites: z.record(z.string(), suiteSchema).describe('One for each named value of the axis `os`.'),
  knobs: z.record(z.string(), knobBundleSchema).describe('One for each named value of the axis `knobs`.'),
  sets: z.record(z.string(), setSchema).describe('Named sets of cells.'),
  rules: z.array(ruleSchema).describe('The first rule that matches a variant is the one reported.'),
  startFailures: z
    .array(startFailureSchema)
    .default([])
    .describe('Variants that are declared unable to start pods.'),
  cold: z
    .array(coldSchema)
    .default([])
    .describe(
      'Values that a saved world cannot be given although their axes allow it: a world is derived only from one that has them.',
    ),
  notes: z.array(noteSchema).default([]).describe('Worth knowing about variants.'),
});

/** What one block of a set takes. */
export type SetBlock = z.infer<typeof setBlockSchema>;

/** `matrix.yaml` as read, defaults filled in, with what components.yaml says of its short names. */
export type Matrix = z.infer<typeof matrixSchema> & Pick<Declared, 'releases'>;

/** One rule of the matrix. */
export type MatrixRule = z.infer<typeof ruleSchema>;

/** One named bundle of settings. */
export type KnobBundle = z.infer<typeof knobBundleSchema>;

/** Variants that are declared unable to start pods, and what must then be seen. */
export type StartFailure = z.infer<typeof startFailureSchema>;

/** Something worth knowing about variants that do run. */
export type Note = z.infer<typeof noteSchema>;

/** The set that is meant when a selector names none. */
export const DEFAULT_SET = 'quick';
