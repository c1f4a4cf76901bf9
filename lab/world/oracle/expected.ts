import { readVariant } from '../../model/axes/axes.ts';
import type { Facts } from '../../model/declared/condition.ts';
import type { Placement } from '../../model/saved/effective.ts';
import type { Accelerator } from '../../model/host/host.ts';
import { parseLocalBuild } from '../../model/components/local-build.ts';
import { RUNC_UNDER_TEST } from '../../model/components/under-test.ts';
import type { Matrix } from '../../model/declared/matrix.ts';
import { leadingVersion } from '../../model/variants/versions.ts';
import { deriveFacts, deriveFactsOfValues } from '../../plan/variants/facts.ts';
import { planKubelet } from '../../../provision/kubeadm/kubelet.ts';
import { isCgroupDriver, type CgroupDriver, type Drivers } from '../../model/axes/drivers.ts';
import { kernelArguments, kubeletFields, type WorldRecipe } from '../recipe/recipe.ts';
import { besideRunc } from '../recipe/runtime-files.ts';
import { expectSettings, type ExpectedSettings } from './settings.ts';

/** What a node of a variant must turn out to be. */
export interface Expected {
  /** File system type of /sys/fs/cgroup. */
  readonly cgroup: 'cgroup2fs' | 'tmpfs';
  readonly kernelArguments: readonly string[];
  /** Program (or `kernel`) and a version that its own words must contain; what was not declared is not here. */
  readonly versions: readonly (readonly [program: string, version: string])[];
  /** SHA-256 of programs of local builds, by name: these have no version that could be compared. */
  readonly programs: Readonly<Record<string, string>>;
  readonly kubelet: {
    /** The driver in effect. */
    readonly driver: CgroupDriver;
    readonly settings: Readonly<Record<string, unknown>>;
  };
  readonly handlers: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly sysctl: Readonly<Record<string, string>>;
  /** What the knobs set beyond that. */
  readonly settings: ExpectedSettings;
  /** By process. Where a runsc sandbox is without `systemd-cgroup` is what scenarios find out, so it is not here. */
  readonly placements: Readonly<Record<string, Placement>>;
  /** In words, when the kubelet is expected to correct a declared driver mismatch. */
  readonly healed?: string;
}

/**
 * Derives what a world must turn out to be.
 *
 * @param versions those read back from the image, by program.
 * @param programs SHA-256 of the programs of local builds, by name.
 */
export function planExpected(
  recipe: WorldRecipe,
  matrix: Matrix,
  versions: Readonly<Record<string, string>>,
  accelerator: Accelerator,
  programs: Expected['programs'] = {},
): Expected {
  const drivers = driversInEffect(recipe, matrix, versions);
  const healed = drivers.kubelet !== recipe.drivers.kubelet;
  return {
    cgroup: recipe.cgroup === 'v2' ? 'cgroup2fs' : 'tmpfs',
    kernelArguments: kernelArguments(recipe, accelerator),
    versions: declaredVersions(recipe, matrix, versions),
    programs,
    kubelet: { driver: drivers.kubelet, settings: declaredSettings(recipe) },
    handlers: declaredHandlers(recipe),
    sysctl: recipe.knobs.sysctl ?? {},
    settings: expectSettings(recipe.knobs),
    placements: {
      'kube-proxy': placeUnderRunc(drivers),
      ...(recipe.runtime.name === 'runsc' && recipe.runtime.systemdCgroup && recipe.cgroup === 'v2'
        ? { runsc: 'systemd' as const }
        : {}),
    },
    ...(healed
      ? {
          healed: `the kubelet is told ${recipe.drivers.kubelet} and takes ${drivers.kubelet} from containerd (KubeletCgroupDriverFromCRI)`,
        }
      : {}),
  };
}

/** The drivers that are in effect: by the versions of the programs in the image, not by the names in the variant. */
export function driversInEffect(
  recipe: Pick<WorldRecipe, 'variant' | 'drivers'>,
  matrix: Matrix,
  versions: Readonly<Record<string, string>>,
): Drivers {
  const { kubeletDriver } = factsInEffect(recipe, matrix, versions);
  return { ...recipe.drivers, ...(isCgroupDriver(kubeletDriver) ? { kubelet: kubeletDriver } : {}) };
}

/** The facts of a variant with the versions that its image really has; those of a local build are known by then. */
export function factsInEffect(
  { variant }: Pick<WorldRecipe, 'variant'>,
  matrix: Matrix,
  versions: Readonly<Record<string, string>>,
): Facts {
  const plain = (name: string): string => (versions[name] ?? '').replace(/^v/, '');
  const values = readVariant(variant);
  const release = leadingVersion(plain('kubelet')) ?? values.kubernetes.release;
  const kubernetes = { ...values.kubernetes, release };
  return deriveFactsOfValues({ ...values, kubernetes, containerd: plain('containerd') }, matrix);
}

function placeUnderRunc({ kubelet, runtime }: Drivers): Placement {
  return kubelet === runtime ? kubelet : 'outside';
}

/**
 * The versions that the axes name. A local build names none; those of a suite are in matrix.yaml. kubeadm is not here:
 * it is done by then, and its version was compared when the image was baked.
 */
function declaredVersions(
  recipe: WorldRecipe,
  matrix: Matrix,
  versions: Readonly<Record<string, string>>,
): [string, string][] {
  const { variant } = recipe;
  const facts = deriveFacts(variant, matrix);
  const asked = (name: string): string | undefined =>
    recipe.components.find((component) => component.name === name)?.version;
  const release = (name: string, suite: string | undefined): string | undefined => {
    const version = asked(name);
    return version === 'apt' ? suite : version;
  };
  // The fact is about the runc of workloads, which may be another one than the node's own.
  const ofNode = asked(RUNC_UNDER_TEST) === undefined ? facts.runcVersion : matrix.suites[recipe.suite]?.runc;
  const declared: [string, string | undefined][] = [
    ['kernel', facts.kernelVersion],
    ['kernel', recipe.kernel.from === 'file' ? undefined : versions['kernel']],
    ['systemd', facts.systemdVersion],
    ['kubelet', asked('kubernetes')],
    ['containerd', release('containerd', facts.containerdVersion)],
    ['runc', release('runc', ofNode)],
    [RUNC_UNDER_TEST, asked(RUNC_UNDER_TEST)],
    ['crun', recipe.runtime.name === 'crun' ? release('crun', facts.crunVersion) : undefined],
    ['youki', asked('youki')],
    ['runsc', recipe.runtime.name === 'runsc' ? release('gvisor', facts.runscVersion) : undefined],
  ];
  return declared.filter(
    (entry): entry is [string, string] => entry[1] !== undefined && parseLocalBuild(entry[1]) === undefined,
  );
}

/** The fields of the kubelet's configuration that we set, the driver aside: it has a check of its own. */
function declaredSettings(recipe: WorldRecipe): Record<string, unknown> {
  const configuration = planKubelet({
    kubernetes: recipe.kubernetes,
    cgroupDriver: recipe.drivers.kubelet,
    cgroup: recipe.cgroup,
    fields: kubeletFields(recipe),
  });
  const others = ['apiVersion', 'kind', 'cgroupDriver'];
  return Object.fromEntries(Object.entries(configuration).filter(([field]) => !others.includes(field)));
}

function declaredHandlers({ drivers, runtime }: WorldRecipe): Record<string, Record<string, string>> {
  const runc = { SystemdCgroup: String(drivers.runtime === 'systemd') };
  const beside = besideRunc({ runtime });
  if (beside !== undefined) return { runc, [beside.name]: { BinaryName: beside.program, ...runc } };
  if (runtime.name !== 'runsc') return { runc };
  const { version, systemdCgroup } = runtime;
  const runsc =
    version === 'apt'
      ? { BinaryName: '/usr/bin/runsc', SystemdCgroup: String(systemdCgroup) }
      : { runtime_type: 'io.containerd.runsc.v1', 'systemd-cgroup': String(systemdCgroup) };
  return { runc, runsc };
}
