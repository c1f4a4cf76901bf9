import { workDir, type ProjectFolders } from '../../model/host/project-folders.ts';
import { resolve } from 'node:path';
import { digestOfFile } from '../../drivers/files/files.ts';
import { readVariant, variantName, type Variant } from '../../model/axes/axes.ts';
import type { CgroupVersion } from '../../model/axes/cgroup.ts';
import { isKillLoop, type Drivers } from '../../model/axes/drivers.ts';
import type { Kernel } from '../../model/axes/kernel.ts';
import type { Runtime } from '../../model/axes/runtime.ts';
import type { DebianArchive } from '../../model/components/component-schema.ts';
import { resolveVersion, type ComponentRef, type Components } from '../../model/components/components.ts';
import { InternalError } from '../../model/errors/errors.ts';
import type { Accelerator } from '../../model/host/host.ts';
import type { ImageKernel } from '../../model/components/image.ts';
import { findRelease } from '../../model/components/local-build.ts';
import type { KnobBundle, Matrix } from '../../model/declared/matrix.ts';
import { listNodeComponents } from '../../plan/worlds/node-components.ts';
import { POD_SUBNET, renderKubeadmConfig } from '../../../provision/kubeadm/config.ts';
import { renderPatches } from '../../../provision/kubeadm/patches.ts';
import { planNodes, type NodePlan } from './plan-nodes.ts';

/** What a world is made of, derived only from its variant. */
export interface WorldRecipe {
  readonly name: string;
  readonly variant: Variant;
  readonly suite: string;
  /** Where its packages come from. */
  readonly debian: DebianArchive;
  /** Exact release; a local kubelet is named only by its component. */
  readonly kubernetes: string;
  readonly kernel: ImageKernel;
  /** Components to build or fetch, exact versions. */
  readonly components: readonly Required<ComponentRef>[];
  /** As declared; what the kubelet makes of it is in `lab/world/oracle/expected.ts`. */
  readonly drivers: Drivers;
  /** The runtime of workloads; the control plane always runs under runc. */
  readonly runtime: Runtime;
  readonly knobs: KnobBundle;
  readonly cgroup: CgroupVersion;
  /** Control plane first. */
  readonly nodes: readonly NodePlan[];
}

/** What a recipe is derived from, besides the variant. */
export interface RecipeSource extends ProjectFolders {
  readonly matrix: Matrix;
  readonly catalogue: Components;
}

/**
 * Derives the recipe of a variant that the planner let pass.
 *
 * @throws UsageError for a version that no component has, or a kernel file that cannot be read.
 */
export function planWorld(variant: Variant, source: RecipeSource): WorldRecipe {
  const { matrix, catalogue } = source;
  const values = readVariant(variant);
  const kubernetes = findRelease(resolveVersion(catalogue, 'kubernetes', values.kubernetes.version));
  const knobs = matrix.knobs[values.knobs];
  if (kubernetes === undefined || knobs === undefined)
    throw new InternalError(`the planner let kubernetes=${variant.kubernetes} knobs=${variant.knobs} pass`);
  return {
    name: variantName(variant),
    variant,
    suite: values.os,
    debian: catalogue.debian,
    kubernetes,
    kernel: planKernel(values.kernel, values.os, workDir(source)),
    components: listNodeComponents(catalogue, values),
    drivers: values.drivers,
    runtime: values.runtime,
    knobs,
    cgroup: values.cgroup,
    nodes: planNodes(values.nodes, matrix.machine),
  };
}

function planKernel(kernel: Kernel, suite: string, folder: string): ImageKernel {
  if (kernel.from === 'own') return { from: 'suite', suite };
  if (kernel.from === 'suite') return { from: 'suite', suite: kernel.suite };
  const path = resolve(folder, kernel.path);
  return { from: 'file', path, digest: digestOfFile(path) };
}

/** Whether a node boots the kernel of its own suite. */
export function hasOwnKernel({ kernel, suite }: Pick<WorldRecipe, 'kernel' | 'suite'>): boolean {
  return kernel.from === 'suite' && kernel.suite === suite;
}

/**
 * Arguments that make systemd mount cgroup v1, its own hierarchy too instead of the hybrid one. systemd 256 and 257
 * boot into v2 without the last of them (NEWS of 256); older ones ignore it.
 */
const CGROUP_V1_ARGUMENTS = [
  'systemd.unified_cgroup_hierarchy=0',
  'systemd.legacy_systemd_cgroup_controller=1',
  'SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1',
];

/** Timers on the tick of 4 ms: an emulated node is a fifth faster (docs/decisions/0008-emulated-nodes.md). */
const EMULATED_ARGUMENTS = ['highres=off'];

/** Words of the kernel command line of a node. */
export function kernelArguments(
  recipe: Pick<WorldRecipe, 'cgroup' | 'knobs'>,
  accelerator: Accelerator,
): string[] {
  return [
    'root=/dev/vda',
    'rw',
    'console=ttyS0',
    'net.ifnames=0',
    'mitigations=off',
    // The kernel log is evidence: a ring that does not wrap while a cell runs.
    'log_buf_len=8M',
    ...(accelerator === 'tcg' ? EMULATED_ARGUMENTS : []),
    ...(recipe.cgroup === 'v1' ? CGROUP_V1_ARGUMENTS : []),
    ...(recipe.knobs.kernelArguments ?? []),
  ];
}

/** The configuration of `kubeadm init` on the first node. */
export function kubeadmConfig(recipe: WorldRecipe): string {
  return renderKubeadmConfig({
    kubernetes: recipe.kubernetes,
    nodeName: recipe.nodes[0]?.name ?? '',
    nodeAddress: recipe.nodes[0]?.address ?? '',
    podSubnet: POD_SUBNET,
    extraSans: ['127.0.0.1', 'localhost'],
    cgroupDriver: recipe.drivers.kubelet,
    cgroup: recipe.cgroup,
    fields: kubeletFields(recipe),
    controlPlane: recipe.knobs,
  });
}

/** Fields of the kubelet's configuration beyond those that every world has. */
export function kubeletFields(recipe: WorldRecipe): Readonly<Record<string, unknown>> {
  return { ...(sparesControlPlane(recipe) ? { cpuCFSQuota: false } : {}), ...recipe.knobs.kubelet };
}

/** The patches that go with it. */
export function kubeadmPatches(recipe: WorldRecipe): Record<string, string> {
  return renderPatches({
    kubernetes: recipe.kubernetes,
    apiAddress: recipe.nodes[0]?.address ?? '',
    guaranteed: sparesControlPlane(recipe),
  });
}

/**
 * Whether the kubelet would kill the control plane together with the victim, and with it the API, a witness of every
 * cell. In the field it is on other nodes, or managed by somebody else.
 */
function sparesControlPlane(recipe: WorldRecipe): boolean {
  return isKillLoop(recipe.drivers, recipe.cgroup);
}
