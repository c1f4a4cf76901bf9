import { z } from 'zod';
import { oneOf } from '../text/closed-list.ts';
import { formatVersionSchema } from '../files/format-version.ts';

/**
 * What a world really is, as the oracle reads it back from its nodes after the build: versions that programs print,
 * settings that programs use, cgroups of processes. Saved in `world.json`, and as `effective.json` next to the evidence
 * of every cell.
 */

/** Where a container's processes are. */
const PLACEMENTS = {
  systemd: '`/kubepods.slice/….slice/cri-containerd-<id>.scope`',
  cgroupfs: '`/kubepods/…/pod<uid>/<id>`',
  outside: "below `/system.slice`, where no limit of the pod reaches: a slice's name was taken for a path",
  unknown: 'elsewhere',
} as const;

const handlerSchema = z
  .record(z.string(), z.string())
  .describe(
    'Settings of one containerd runtime handler as containerd dumps them: SystemdCgroup, BinaryName, …',
  );

const effectiveSettingsSchema = z
  .strictObject({
    swaps: z
      .array(
        z.strictObject({
          device: z.string().describe('Its file or device.'),
          bytes: z.number().describe('Its size.'),
        }),
      )
      .optional()
      .describe('Lines of /proc/swaps.'),
    packages: z.array(z.string()).optional().describe('Packages of the knobs that are installed.'),
    modules: z.array(z.string()).optional().describe('Kernel modules of the knobs that are loaded.'),
    units: z
      .record(
        z.string(),
        z.strictObject({
          loaded: z.boolean().describe('Whether systemd uses the file.'),
          state: z.string().describe('ActiveState of the unit.'),
          text: z.string().describe('What the file says.'),
        }),
      )
      .optional()
      .describe('Units and drop-ins of the knobs.'),
    containerd: z
      .record(z.string(), z.json())
      .optional()
      .describe("Values of containerd's configuration that the knobs set, by path."),
    flags: z
      .record(z.string(), z.array(z.string()))
      .optional()
      .describe('Command lines of the programs of the control plane whose flags the knobs set.'),
  })
  .describe(
    'What the knobs of the variant set beyond the kubelet, sysctls and kernel arguments, as far as they do.',
  );

/** What knobs have set of a node. */
export type EffectiveSettings = z.infer<typeof effectiveSettingsSchema>;

const effectiveNodeSchema = z.strictObject({
  name: z.string().describe('Name of the node.'),
  cgroup: z.string().describe('File system type of /sys/fs/cgroup: cgroup2fs, or tmpfs for v1.'),
  kernelArguments: z.array(z.string()).describe('Words of /proc/cmdline.'),
  versions: z
    .record(z.string(), z.string())
    .describe(
      'What running programs say: kernel, systemd, kubelet, kubeadm, containerd, runc, crun, youki, runsc; and runc-under-test, under which only workloads run.',
    ),
  programs: z
    .record(z.string(), z.string())
    .optional()
    .describe('SHA-256 of the programs of local builds (`file:`, `git:`) in the node, by name.'),
  kubelet: z
    .strictObject({
      driver: z
        .string()
        .describe(
          'cgroup driver in effect, by the cgroup that the kubelet made: kubepods.slice or kubepods.',
        ),
      settings: z
        .record(z.string(), z.json())
        .describe('What the kubelet says that it uses, for each field we set.'),
    })
    .describe('The kubelet.'),
  handlers: z.record(z.string(), handlerSchema).describe('Runtime handlers of containerd, by name.'),
  sysctl: z.record(z.string(), z.string()).describe('Value of each sysctl that the variant sets.'),
  settings: effectiveSettingsSchema.optional(),
  cgroups: z
    .record(
      z.string(),
      z.strictObject({
        path: z.string().describe('The cgroup.'),
        placement: oneOf(PLACEMENTS, 'Which layout that is'),
      }),
    )
    .describe(
      'Where processes of pods are: kube-proxy, and a sandbox of runsc where workloads run under it.',
    ),
});

/** Schema of `effective.json`. */
export const effectiveSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  healed: z
    .string()
    .optional()
    .describe('In words: a declared mismatch that the kubelet made good by itself.'),
  versions: z.record(z.string(), z.string()).describe('Those of the control plane node.'),
  nodes: z.array(effectiveNodeSchema).describe('All nodes.'),
});

/** One node as it is. */
export type EffectiveNode = z.infer<typeof effectiveNodeSchema>;

/** A world as it is. */
export type Effective = z.infer<typeof effectiveSchema>;

/** Where the processes of a container are. */
export type Placement = keyof typeof PLACEMENTS;
