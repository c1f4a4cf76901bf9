import { join } from 'node:path';
import { createWaitFor, systemClock } from '../../../lab/drivers/clock.ts';
import type { Kubernetes } from '../../../lab/drivers/kubernetes/kubernetes.ts';
import { openPortRegister } from '../../../lab/drivers/claims/lease-ports.ts';
import { openLeaseBook } from '../../../lab/drivers/claims/leases.ts';
import { createLibvirt } from '../../../lab/drivers/machines/libvirt.ts';
import { createUndo } from '../../../lab/drivers/undo.ts';
import { DEFAULT_VARIANT, type Variant } from '../../../lab/model/axes/axes.ts';
import type { Guest, Host } from '../../../lab/model/host/host.ts';
import { statePaths } from '../../../lab/model/host/paths.ts';
import type { BuildInput, ClusterWorld } from '../../../lab/world/steps/build-step.ts';
import { planWorld } from '../../../lab/world/recipe/recipe.ts';
import type { Lab } from '../../../lab/world/lab.ts';
import { createQuietHost } from '../../quiet-host.ts';
import { configWith, PROJECT } from '../project-files.ts';

const { matrix, catalogue } = configWith();

/** A lab whose waits take no time. */
export function createFakeLab(folder: string, given: { host?: Partial<Host> } = {}): Lab {
  let ms = systemClock.now();
  const clock = {
    now: () => ms,
    elapsed: () => ms,
    sleep: (pause: number) => Promise.resolve(void (ms += pause)),
  };
  const host = createQuietHost(folder, { waitFor: createWaitFor(clock), projectDir: PROJECT, ...given.host });
  const leases = openLeaseBook(statePaths(host.stateDir).leases, host.clock, process.pid);
  return {
    host,
    catalogue,
    matrix,
    leases,
    ports: openPortRegister(join(folder, 'claims'), host, leases),
    connection: { uri: 'qemu:///session', providerUri: 'qemu:///session', kind: 'session' },
    libvirt: createLibvirt(host.run, { uri: 'qemu:///session' }),
    undo: createUndo(systemClock),
  };
}

/** What the world of a variant is built from, over an image that has what its axes ask for. */
export function inputOf(axes: Partial<Variant> = {}): BuildInput {
  const recipe = planWorld({ ...DEFAULT_VARIANT, ...axes }, { matrix, catalogue, projectDir: PROJECT });
  const image = {
    digest: 'd',
    dir: '/image',
    base: '/image/base',
    kernel: '/image/kernel',
    initrd: '/image/initrd',
    sshKey: join(PROJECT, 'package.json'),
    hostKey: 'ssh-ed25519 A',
    images: ['registry.k8s.io/pause:3.10'],
    inputs: {},
    versions: {
      kubelet: `v${recipe.kubernetes}`,
      containerd: recipe.variant.containerd === 'apt' ? '1.6.20' : recipe.variant.containerd,
    },
  };
  return { recipe, image, accelerator: 'tcg', key: 'k', inputs: { suite: recipe.suite } };
}

/** A world of a variant with a cluster in it. */
export function clusterOf(
  axes: Partial<Variant>,
  connections: { readonly guests: readonly Guest[]; readonly kubernetes: Kubernetes },
): ClusterWorld {
  const input = inputOf(axes);
  const { recipe, image } = input;
  const record: ClusterWorld['record'] = {
    formatVersion: 1,
    name: recipe.name,
    variant: recipe.variant,
    state: 'building',
    key: input.key,
    image,
    kubernetes: recipe.kubernetes,
    accelerator: 'tcg',
    libvirtUri: '',
    pool: '/pool',
    nodes: recipe.nodes.map(({ name, memoryMiB }, index) => ({
      name,
      domain: `world-${name}`,
      sshPort: 2222 + index,
      memoryMiB,
    })),
    restarts: 0,
    createdAt: '',
    timings: {},
  };
  return { ...input, record, ...connections };
}
