import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRecipe } from '../../lab/commands/setup/get-recipe.ts';
import { loadWholeConfig } from '../../lab/commands/setup/config.ts';
import { readHostFacts } from '../../lab/drivers/host/host-facts.ts';
import { InternalError, UsageError } from '../../lab/model/errors/errors.ts';
import { controlPlaneFiles } from '../../lab/world/steps/init-cluster.ts';
import { stepVariables } from '../../lab/world/steps/provision-node.ts';
import { kernelArguments } from '../../lab/world/recipe/recipe.ts';
import { runtimeFiles } from '../../lab/world/recipe/runtime-files.ts';
import { readGuestSteps } from '../../provision/guest/steps.ts';
import { findImageRecord } from '../../provision/layers/image-record.ts';
import { formatRow, median, seconds } from './numbers.ts';
import { renderClusterScript, renderJudgeScript } from './peers/guest-scripts.ts';
import type { Session } from './session.ts';

const SCENARIO = 'oom-single-container';
const CELL = `default/${SCENARIO}`;
/** How often a verdict is asked for again; the median counts. */
const AGAIN = 3;
const PEER_MS = 60 * 60_000;

/** What people would use instead. */
interface Peer {
  readonly name: string;
  /** Programs that it needs in addition to those of the lab. */
  readonly needs: readonly string[];
  /** What its script times: parts of a first verdict from nothing but an image, and of each further one. */
  readonly cold: readonly string[];
  readonly warm: readonly string[];
}

const PEERS: readonly Peer[] = [
  {
    name: 'vagrant',
    needs: ['vagrant', 'dnsmasq'],
    cold: ['node', 'snapshot', 'verdict'],
    warm: ['restore', 'verdict again'],
  },
  { name: 'tmt', needs: ['tmt', 'mkisofs', 'rsync'], cold: ['node and verdict'], warm: ['verdict again'] },
];
const FOR_THE_DISK = ['extlinux', 'apt-get'];

/** Seconds by what took them. */
type Times = ReadonlyMap<string, readonly number[]>;

/**
 * A fresh node with a kubeadm cluster and one OOM verdict, and a further verdict: the lab, vagrant with vagrant-libvirt
 * and tmt's virtual provision one after the other, on the same image contents. Each peer has its own libvirt, in
 * namespaces of its own. Needs root.
 *
 * @throws UsageError that names everything that is missing; CommandError when a peer fails.
 */
export async function benchmarkPeers(session: Session, print: (line: string) => void): Promise<void> {
  refuseMissing();
  const ours = { cold: await runCell(session), warm: await repeat(AGAIN, () => runCell(session)) };
  const folder = mkdtempSync(join(tmpdir(), 'whodunit-peers-'));
  try {
    const env = await prepare(session, folder);
    await session.run(['down', '--all']);
    print(`the lab: ${ours.cold.toFixed(1)} s, then ${median(ours.warm).toFixed(1)} s`);
    for (const peer of PEERS) {
      const times = await timePeer(session, folder, peer, env);
      for (const [what, seconds] of times) print(`${what}: ${seconds.map((s) => s.toFixed(1)).join(', ')} s`);
      const of = (parts: readonly string[]): number =>
        parts.reduce((all, part) => all + median(times.get(`${peer.name} ${part}`) ?? []), 0);
      const cold = {
        what: `a node and a verdict: the lab / ${peer.name}`,
        ours: ours.cold,
        bare: of(peer.cold),
      };
      const warm = {
        what: `a further verdict: the lab / ${peer.name}`,
        ours: median(ours.warm),
        bare: of(peer.warm),
      };
      for (const row of [cold, warm]) print(formatRow({ ...row, unit: 's' }));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function refuseMissing(): void {
  const facts = readHostFacts();
  const needed = [...PEERS.flatMap(({ needs }) => needs), ...FOR_THE_DISK];
  const missing = needed.filter((name) => facts.findTool(name) === undefined);
  if (process.getuid?.() === 0 && missing.length === 0) return;
  const root = process.getuid?.() === 0 ? [] : ['root'];
  throw new UsageError(`the comparison needs ${[...root, ...missing].join(', ')}`, {
    tryNext:
      "apt-get install vagrant-libvirt dnsmasq-base extlinux genisoimage rsync; pip install 'tmt[provision-virtual]'",
  });
}

/** Seconds that the lab takes for a verdict, with a world if it has none. */
async function runCell(session: Session): Promise<number> {
  return seconds((await session.run(['run', CELL, '--json'])).ms);
}

async function repeat(times: number, work: () => Promise<number>): Promise<number[]> {
  const all: number[] = [];
  while (all.length < times) all.push(await work());
  return all;
}

/** Makes the disk and the scripts of the peers, of what the lab's own world was made of. */
async function prepare(session: Session, folder: string): Promise<Record<string, string>> {
  const { context } = session;
  const { record } = await session.upDefault();
  const config = loadWholeConfig(context);
  const recipe = getRecipe(context, config, []);
  const image = findImageRecord(record.image.dir);
  const node = recipe.nodes[0];
  const loaded = config.scenarios.find(({ scenario }) => scenario.name === SCENARIO);
  if (image === undefined || node === undefined || loaded === undefined)
    throw new InternalError('the default world has no image, no node, or no scenario');
  const files = [...runtimeFiles(recipe, image, recipe.drivers.kubelet), ...controlPlaneFiles(recipe)];
  const variables = stepVariables({ recipe, image }, node, context.clock.now());
  const script = renderClusterScript(files, readGuestSteps(context.projectDir), variables);
  writeFileSync(join(folder, 'make-cluster.sh'), script);
  writeFileSync(join(folder, 'judge.sh'), renderJudgeScript(loaded.manifests));
  const key = join(folder, 'key');
  copyFileSync(record.image.sshKey, key);
  chmodSync(key, 0o600);
  const from = (name: string): string => join(record.image.dir, name);
  const words = kernelArguments(recipe, record.accelerator).join(' ');
  const makeDisk = join(context.projectDir, 'bin/bench/peers/make-disk.sh');
  await context.run('bash', [makeDisk, folder, from('base.raw'), from('vmlinuz'), from('initrd.img'), words]);
  return {
    ACCELERATOR: record.accelerator,
    KEY: key,
    MEMORY_MIB: String(node.memoryMiB),
    VCPUS: String(node.vcpus),
  };
}

async function timePeer(
  { context }: Session,
  folder: string,
  { name }: Peer,
  env: Record<string, string>,
): Promise<Times> {
  const scripts = join(context.projectDir, 'bin/bench/peers');
  const { stdout } = await context.run(
    'bash',
    [join(scripts, 'enter.sh'), 'bash', join(scripts, `${name}.sh`)],
    { env: { ...env, SHARED: folder, OWN: join(folder, name) }, timeoutMs: PEER_MS },
  );
  const times = new Map<string, number[]>();
  for (const line of stdout.trim().split('\n')) {
    const [what = '', taken] = line.split('\t');
    times.set(what, [...(times.get(what) ?? []), Number(taken)]);
  }
  return times;
}
