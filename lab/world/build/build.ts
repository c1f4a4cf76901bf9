import { openKubernetes } from '../../drivers/kubernetes.ts';
import { connectLibvirt } from '../../drivers/libvirt.ts';
import { reservePorts } from '../../drivers/ports.ts';
import { createTerraform } from '../../drivers/terraform.ts';
import { appendLine, ensureFolder, writeJsonAtomic, writePrivateText } from '../../drivers/files.ts';
import { InternalError } from '../../model/errors.ts';
import type { Accelerator, Guest } from '../../model/host.ts';
import type { Image } from '../../model/image.ts';
import { domainName, worldLibvirtName, type WorldStack } from '../../model/machine.ts';
import { statePaths } from '../../model/paths.ts';
import { ensureProvider, ensureTerraform } from '../../../provision/components/terraform.ts';
import { PATCHES_DIR } from '../../../provision/kubeadm/patches.ts';
import { bootProbes } from '../../../provision/probes/node-probes.ts';
import { forwardKubeconfig, waitForCluster, waitForNode } from './cluster-ready.ts';
import { connectAll } from '../connect.ts';
import { destroyWorld } from './destroy.ts';
import { awaitRenewal, readRenewals } from '../restore/health/leases.ts';
import { countRestarts } from '../restore/health/restarts.ts';
import { joinWorkers } from './join-workers.ts';
import { labWithSignal, type Lab } from '../lab.ts';
import { lanMachine, reserveLan } from './lan.ts';
import { provisionNode } from './provision-node.ts';
import { kernelArguments, kubeadmConfig, kubeadmPatches, type WorldRecipe } from './recipe.ts';
import { settleWorld, type Settled } from '../settle/settle.ts';
import { saveReady } from '../restore/snapshots.ts';
import { WITNESS } from '../witness.ts';
import type { WorldRecord } from '../world-record.ts';
import type { World } from '../world.ts';

const UNDO_TIMEOUT_MS = 5 * 60_000;

/** What a build needs beside the lab. */
export interface BuildInput {
  readonly recipe: WorldRecipe;
  readonly image: Image;
  readonly accelerator: Accelerator;
  readonly key: string;
  /** Keep a half-built world for a look inside instead of removing it. */
  readonly keep: boolean;
}

/** Builds a world from its image to the `ready` snapshot. What was made is undone when a step fails. */
export async function buildWorld(lab: Lab, input: BuildInput): Promise<World> {
  const { host } = lab;
  const { recipe } = input;
  const paths = statePaths(host.stateDir).world(recipe.name);
  const timings: Record<string, number> = {};
  const buildStart = host.clock.now();
  const timed = async <T>(
    name: string,
    title: string,
    work: (update: (detail: string) => void) => Promise<T>,
  ) => {
    const startedAt = host.clock.now();
    const result = await host.progress.step(title, work);
    timings[`${name}Ms`] = host.clock.now() - startedAt;
    return result;
  };
  if (!input.keep) {
    lab.undo.register(
      `remove the half-built world ${recipe.name}`,
      (signal) => destroyWorld(labWithSignal(lab, signal), recipe.name),
      { timeoutMs: UNDO_TIMEOUT_MS },
    );
  }
  const record = await takeLeases(lab, input, paths.dir, paths.pool);
  writeJsonAtomic(paths.record, record);

  await timed('machines', `machines of ${recipe.name} through Terraform`, (update) =>
    applyStack(lab, input, record, update),
  );
  const guests = await timed('boot', 'boot to SSH', () => connectAll(lab, record));
  const probes = bootProbes(recipe.variant.cgroup);
  await Promise.all(guests.map((guest) => waitForNode(host, guest, probes, paths.console(guest.name))));
  await timed('kubeadm', 'kubeadm init', () => initCluster(lab, input, record, guests[0]));
  const kubernetes = await openKubernetes(paths.kubeconfig, host);
  if (guests.length > 1) {
    await timed('join', 'kubeadm join', () => joinWorkers(lab, input, guests, kubernetes));
  }
  await timed('cluster', 'node Ready, kube-proxy and DNS', () =>
    waitForCluster(host, kubernetes, guests, paths.console('node-1')),
  );
  const settled = await timed('settle', 'what the variant adds, and all of it read back', () =>
    settleWorld(lab, input, { guests, kubernetes, reconnect: () => connectAll(lab, record) }),
  );
  const { effective, restartsDeclared } = settled;
  const restarts = await countRestarts(settled.kubernetes);
  const saved = await timed('snapshot', 'saving the ready snapshot', () => saveWorld(lab, record, settled));
  const ready: WorldRecord = { ...saved, state: 'ready', restarts, restartsDeclared, effective, timings };
  writeJsonAtomic(paths.record, ready);
  appendLine(
    statePaths(host.stateDir).timings,
    JSON.stringify({ kind: 'world', name: recipe.name, seconds: (host.clock.now() - buildStart) / 1000 }),
  );
  lab.undo.disarm();
  return { record: ready, guests: [...settled.guests], kubernetes: settled.kubernetes, pristine: true };
}

/**
 * Reads the programs of the workloads once, so that their pages in the cache are nobody's. The first reader is charged: a
 * container at its limit would give back the pages of its own program and read them in again, and as long as that
 * frees anything the kernel retries instead of killing (mm/memcontrol.c, `try_charge_memcg`). On a slow emulated node
 * that took more than a minute.
 */
const READ_PROGRAMS = `cd "$(dirname /var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots/*/fs/bin/memory-eater)"
cat -- * > /dev/null`;

/** Saves the snapshot; the record then says what of its nodes a restore compares with. */
async function saveWorld(lab: Lab, record: WorldRecord, world: Settled): Promise<WorldRecord> {
  const { guests, kubernetes } = world;
  const { host, libvirt } = lab;
  // Otherwise each cell would turn the trace on by itself, right after a restore (`armTrace` in the witness).
  await Promise.all(guests.map((guest) => guest.must(`${WITNESS} arm\n${READ_PROGRAMS}`)));
  const names = record.nodes.map(({ name }) => name);
  for (const name of names.slice(0, 1)) await awaitRenewal(host, kubernetes, name);
  const before = await readRenewals(host, kubernetes, names);
  const domains = record.nodes.map((node) => node.domain);
  await saveReady(libvirt, domains);
  const after = await readRenewals(host, kubernetes, names);
  const nodes = record.nodes.map((node, index) =>
    before[index] === after[index] ? { ...node, leaseRenewedAt: before[index] } : node,
  );
  return { ...record, nodes };
}

/** Writes down everything that is about to exist on the host. */
async function takeLeases(lab: Lab, input: BuildInput, dir: string, pool: string): Promise<WorldRecord> {
  const { host, leases } = lab;
  const { recipe, image } = input;
  const owner = recipe.name;
  leases.take('folder', dir, owner);
  ensureFolder(dir);
  const libvirtName = worldLibvirtName(host.stateDir, recipe.name);
  // A parked world does not listen on its ports, and means to.
  const leased = leases.open().filter(({ kind }) => kind === 'port');
  const taken = new Set(leased.map(({ target }) => Number(target)));
  const ports = await reservePorts(recipe.nodes.length + 1, taken);
  const nodes = recipe.nodes.map((node, index) => ({
    name: node.name,
    domain: domainName(libvirtName, node.name),
    sshPort: ports[index] ?? 0,
    ...(index === 0 ? { apiPort: ports.at(-1) ?? 0 } : {}),
    memoryMiB: node.memoryMiB,
  }));
  const lan = await reserveLan(libvirtName, nodes.length);
  for (const port of [...ports, ...(lan === undefined ? [] : [lan.port])])
    leases.take('port', String(port), owner);
  leases.take('terraform', statePaths(host.stateDir).world(owner).terraform, owner);
  leases.take('pool', libvirtName, owner, lab.connection.uri);
  for (const node of nodes) leases.take('domain', node.domain, owner, lab.connection.uri);
  return {
    formatVersion: 1,
    name: recipe.name,
    variant: recipe.variant,
    state: 'building',
    key: input.key,
    image: { digest: image.digest, dir: image.dir, sshKey: image.sshKey, hostKey: image.hostKey },
    kubernetes: recipe.kubernetes,
    accelerator: input.accelerator,
    libvirtUri: lab.connection.uri,
    pool,
    ...(lan === undefined ? {} : { lan }),
    nodes,
    restarts: 0,
    createdAt: new Date(host.clock.now()).toISOString(),
    timings: {},
  };
}

async function applyStack(
  lab: Lab,
  input: BuildInput,
  record: WorldRecord,
  update: (detail: string) => void,
): Promise<void> {
  const { host } = lab;
  const paths = statePaths(host.stateDir).world(record.name);
  const terraform = await ensureTerraform(host);
  const { cliConfig } = await ensureProvider(host, terraform);
  const { synthWorld } = await import('../../../stacks/synth-world.ts');
  update('synthesising');
  const dir = synthWorld(worldStack(lab, input, record), paths.terraform);
  const driver = createTerraform({
    run: host.run,
    program: terraform.program,
    cliConfig,
    dir,
    logFile: paths.log,
    signal: host.signal,
  });
  update('init');
  await driver.init();
  update('apply');
  await connectLibvirt(host); // baking the image can take longer than an idle session daemon lives
  await driver.apply();
}

/** Describes the machines of a world for the stack. */
export function worldStack(lab: Lab, input: BuildInput, record: WorldRecord): WorldStack {
  const { host } = lab;
  const paths = statePaths(host.stateDir).world(record.name);
  const libvirtName = worldLibvirtName(host.stateDir, record.name);
  return {
    name: libvirtName,
    poolFolder: record.pool,
    providerUri: lab.connection.providerUri,
    accelerator: input.accelerator,
    uid: host.uid,
    gid: host.gid,
    ...(record.lan === undefined ? {} : { lan: record.lan }),
    nodes: record.nodes.map((node, index) => {
      const recipeNode = input.recipe.nodes.find((each) => each.name === node.name);
      if (recipeNode === undefined) throw new InternalError(`node ${node.name} is not in the recipe`);
      const extra = lanMachine(libvirtName, record.lan, { name: node.name, index });
      return {
        ...extra,
        name: node.name,
        memoryMiB: recipeNode.memoryMiB,
        vcpus: recipeNode.vcpus,
        diskGiB: recipeNode.diskGiB,
        base: input.image.base,
        kernel: input.image.kernel,
        initrd: input.image.initrd,
        cmdline: [...kernelArguments(input.recipe, input.accelerator), ...extra.cmdline],
        sshPort: node.sshPort,
        ...(node.apiPort === undefined ? {} : { apiPort: node.apiPort }),
        consoleLog: paths.console(node.name),
      };
    }),
  };
}

async function initCluster(
  lab: Lab,
  input: BuildInput,
  record: WorldRecord,
  guest: Guest | undefined,
): Promise<void> {
  if (guest === undefined) throw new InternalError('a world without nodes');
  const { host } = lab;
  const paths = statePaths(host.stateDir).world(record.name);
  const apiPort = record.nodes[0]?.apiPort ?? 0;
  const patches = Object.entries(kubeadmPatches(input.recipe)).map(([name, text]) => ({
    path: `${PATCHES_DIR}/${name}`,
    text,
  }));
  const config = { path: '/etc/kubernetes/kubeadm.yaml', text: kubeadmConfig(input.recipe), mode: 0o600 };
  await provisionNode(lab, input, guest, [...patches, config]);
  const adminConf = await guest.must('cat /etc/kubernetes/admin.conf');
  writePrivateText(paths.kubeconfig, forwardKubeconfig(adminConf, apiPort));
}
