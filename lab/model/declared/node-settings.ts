import { z } from 'zod';
import { oneOf } from '../text/closed-list.ts';
import { parseSize, SIZE_FORMS } from '../text/parse-size.ts';

/** What a knob sets of a node and of the control plane beyond the kubelet, sysctls and the kernel's command line, as data. */

/** What swap is on. */
const SWAP_KINDS = {
  file: 'a file of the disk',
  zram: 'compressed memory',
} as const;

const sizeSchema = z
  .string()
  .refine((text) => parseSize(text) !== undefined, { error: `a size such as ${SIZE_FORMS}` });

/** A program of the control plane whose flags a knob may set. */
export const CONTROL_PLANE = {
  apiServer: 'kube-apiserver',
  controllerManager: 'kube-controller-manager',
  scheduler: 'kube-scheduler',
} as const;

/** The field of a knob that is about a program of the control plane. */
export type ControlPlaneField = keyof typeof CONTROL_PLANE;

/** The fields of those programs, in their order. */
export const CONTROL_PLANE_FIELDS = Object.keys(CONTROL_PLANE) as readonly ControlPlaneField[];

const programSchema = z
  .strictObject({
    flags: z
      .record(
        z
          .string()
          .regex(
            /^(?!feature-gates$)[a-z][a-z0-9]*(-[a-z0-9]+)*$/,
            'the name of a flag without its dashes; feature gates are `featureGates`',
          ),
        z.string().regex(/^[!-~]+$/, 'text without spaces'),
      )
      .default({})
      .describe('Flags and their values. One that kubeadm sets too is replaced.'),
    featureGates: z
      .record(z.string(), z.boolean())
      .default({})
      .describe('Feature gates; the release has to know them.'),
  })
  .refine(({ flags, featureGates }) => Object.keys({ ...flags, ...featureGates }).length > 0, {
    error: 'flags or featureGates',
  });

/** What a knob may set of a program of the control plane. */
type ProgramSettings = z.infer<typeof programSchema>;

/** `eater.service`, or a drop-in `containerd.service.d/20-limits.conf`. */
const UNIT_PATH = /^[\w@-]+\.(service|slice|socket|timer|target|path|mount)(\.d\/[\w-]+\.conf)?$/;

const programOf = (name: string) => programSchema.optional().describe(`Flags and feature gates of ${name}.`);

/** Fields of a knob. All of them are set before the cluster is made, and read back afterwards. */
export const nodeSettingsShape = {
  swap: z
    .strictObject({ on: oneOf(SWAP_KINDS, 'What it is on'), size: sizeSchema.describe('How much.') })
    .optional()
    .describe('Swap of every node. The kubelet needs `failSwapOn: false` beside it.'),
  packages: z
    .array(z.string().regex(/^[a-z0-9][a-z0-9+.-]+$/, 'the name of a Debian package'))
    .min(1)
    .optional()
    .describe(
      'Packages of the suite, beside those that every node has. They are installed when the image of the node is made: this needs an image of its own.',
    ),
  containerd: z
    .record(z.string(), z.json())
    .optional()
    .describe(
      "Merged into containerd's configuration, table by table: what TOML has under `[plugins.x]` is `plugins: { x: … }`.",
    ),
  units: z
    .record(
      z.string().regex(UNIT_PATH, 'a unit, or a drop-in such as containerd.service.d/20-limits.conf'),
      z.string(),
    )
    .optional()
    .describe(
      'Files below /etc/systemd/system. A unit that has [Install] is enabled and started; a drop-in restarts its service where it runs.',
    ),
  modules: z
    .array(z.string().regex(/^\w+$/, 'the name of a kernel module'))
    .min(1)
    .optional()
    .describe('Kernel modules, loaded at every boot.'),
  apiServer: programOf(CONTROL_PLANE.apiServer),
  controllerManager: programOf(CONTROL_PLANE.controllerManager),
  scheduler: programOf(CONTROL_PLANE.scheduler),
};

/** What a knob sets of a node, beside the kubelet, sysctls and kernel arguments. */
export type NodeSettings = z.infer<z.ZodObject<typeof nodeSettingsShape>>;

/** The fields by their names. */
export const NODE_SETTINGS = Object.keys(nodeSettingsShape) as readonly (keyof NodeSettings)[];

/** The flags of a program of the control plane, feature gates included; none where nothing is set. */
export function flagsOf(settings: ProgramSettings | undefined): Readonly<Record<string, string>> {
  const gates = Object.entries(settings?.featureGates ?? {}).map(([gate, isOn]) => `${gate}=${String(isOn)}`);
  const flags = settings?.flags ?? {};
  return gates.length === 0 ? flags : { ...flags, 'feature-gates': gates.join(',') };
}
