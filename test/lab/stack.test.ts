import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectLibvirt, createLibvirt, type Libvirt } from '../../lab/drivers/machines/libvirt.ts';
import { createTerraform, NO_CHANGES, type TerraformOptions } from '../../lab/drivers/machines/terraform.ts';
import type { Host, LibvirtConnection } from '../../lab/model/host/host.ts';
import { domainName, libvirtPrefix, type WorldStack } from '../../lab/model/host/machine.ts';
import { PROVIDER_SOURCE } from '../../stacks/libvirt/provider.ts';
import { loadReady } from '../../lab/world/restore/snapshots.ts';
import { synthWorld } from '../../stacks/synth-world.ts';
import { findContractProblems } from './provider-contract.ts';
import { createTestHost, findQemuPid, findTerraform, isListenedOn, planSmallWorld } from './stack-host.ts';
import { TINY_KERNEL_COUNTER, TINY_KERNEL_GREETING } from './tiny-kernel.ts';

/** Everything between us and QEMU must take a path literally: Terraform, XML, XSLT, libvirt, QEMU's own options. */
const AWKWARD = `state \${x} %{y} {z} & "q" 'a' , ü`;

const MINUTES = 60_000;

let outer: string;
let host: Host;
let connection: LibvirtConnection;
let libvirt: Libvirt;
let world: WorldStack;
let domain: string;
let folder: string;
let options: TerraformOptions;
let terraform: ReturnType<typeof createTerraform>;

beforeAll(async () => {
  outer = mkdtempSync(join(tmpdir(), 'whodunit-stack-')); // mode 0700: only we may look inside
  const stateDir = join(outer, AWKWARD);
  mkdirSync(stateDir);
  host = createTestHost(stateDir);
  connection = await connectLibvirt(host);
  libvirt = createLibvirt(host.run, connection);
  world = await planSmallWorld(host, connection, outer);
  domain = domainName(world.name, 'node-1');
  folder = synthWorld(world, join(stateDir, 'terraform'));
  options = {
    run: host.run,
    ...(await findTerraform(host)),
    dir: folder,
    logFile: join(stateDir, 'terraform.log'),
    signal: host.signal,
  };
  terraform = createTerraform(options);
  await terraform.init();
}, 10 * MINUTES);

afterAll(async () => {
  await libvirt.undefineDomain(domain);
  await libvirt.removePool(world.name);
  rmSync(outer, { recursive: true });
}, MINUTES);

const readStack = (): Record<string, unknown> =>
  JSON.parse(readFileSync(join(folder, 'cdk.tf.json'), 'utf8')) as Record<string, unknown>;

async function readCounter(): Promise<bigint> {
  const command = `xp /1gx ${TINY_KERNEL_COUNTER}`;
  const said = await host.run('virsh', [
    '-c',
    connection.uri,
    'qemu-monitor-command',
    domain,
    '--hmp',
    command,
  ]);
  return BigInt(/: (0x[0-9a-f]+)/.exec(said.stdout)?.[1] ?? 'nothing');
}

function countGreetings(): number {
  const log = world.nodes[0]?.consoleLog ?? '';
  return existsSync(log) ? readFileSync(log, 'utf8').split(TINY_KERNEL_GREETING).length - 1 : 0;
}

async function waitForGreetings(count: number): Promise<void> {
  await host.waitFor(
    {
      title: `greeting ${count} of the tiny kernel`,
      look: async () => {
        const seen = countGreetings();
        return seen >= count ? { done: true, value: true } : { done: false, seen: `${seen} greetings` };
      },
    },
    { timeoutMs: MINUTES, intervalMs: 100 },
  );
}

describe('the constructs', () => {
  it('say nothing that the real provider does not know', async () => {
    const schemas = await terraform.providersSchema();
    expect(findContractProblems(readStack(), schemas, PROVIDER_SOURCE)).toEqual([]);
  });

  it('would be caught with an invented attribute, a wrong type, and a missing one', async () => {
    const schemas = await terraform.providersSchema();
    const stack = readStack() as { resource: Record<string, Record<string, Record<string, unknown>>> };
    Object.assign(stack.resource['libvirt_domain']?.['node-1'] ?? {}, {
      turbo: true,
      memory: 'much',
      id: 'x',
    });
    delete stack.resource['libvirt_pool']?.['pool']?.['type'];
    expect(findContractProblems(stack, schemas, PROVIDER_SOURCE)).toEqual([
      'libvirt_domain.memory: "much" is not "number"',
      'libvirt_domain.turbo: unknown to the provider',
      'libvirt_pool.type: missing',
    ]);
  });
});

describe('a world of one small machine', () => {
  it(
    'is made by Terraform and boots the kernel it was given',
    async () => {
      await terraform.apply();
      expect(await libvirt.listDomains(libvirtPrefix(host.stateDir))).toEqual([domain]);
      expect(await libvirt.domainState(domain)).toBe('running');
      await waitForGreetings(1);
      expect(await isListenedOn(world.nodes[0]?.sshPort)).toBe(true);
    },
    MINUTES,
  );

  it(
    'is what the configuration says, right after it was made',
    async () => {
      expect(await terraform.plan()).toBe(NO_CHANGES);
    },
    MINUTES,
  );

  it('reads the base image in place', async () => {
    const disk = join(world.poolFolder, 'node-1.qcow2');
    const info = await host.run('qemu-img', ['info', '-U', '--output=json', disk]);
    const said = JSON.parse(info.stdout) as Record<string, unknown>;
    expect(said['backing-filename']).toBe(world.nodes[0]?.base);
    expect(said['virtual-size']).toBe(1024 ** 3);
  });

  it('runs QEMU as us, with no device it does not need', async () => {
    const pid = findQemuPid(domain);
    expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(new RegExp(`^Uid:\t${host.uid}\t`, 'm'));
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    expect(command).not.toMatch(/spice|vga|balloon|[-_]usb|usb-/i);
    expect(command).toMatch(/virtio-rng/);
    expect(command).toMatch(/restrict=on/);
    expect(command).toMatch(/"no-flush":true/); // cache=unsafe
  });

  it(
    'goes back to its snapshot inside the running QEMU, and Terraform does not mind',
    async () => {
      await libvirt.createSnapshot(domain, 'ready');
      const pid = findQemuPid(domain);
      await waitForCounterAbove(await readCounter());
      // A guest that stands still stays so through the load: the two values can be compared.
      await host.run('virsh', ['-c', connection.uri, 'suspend', domain]);
      const before = await readCounter();
      await libvirt.loadSnapshotInPlace(domain, 'ready');
      const saved = await readCounter();
      expect(saved).toBeLessThan(before);
      await host.run('virsh', ['-c', connection.uri, 'resume', domain]);
      await waitForCounterAbove(saved);
      expect(findQemuPid(domain)).toBe(pid);
      expect(await terraform.plan()).toBe(NO_CHANGES);
    },
    2 * MINUTES,
  );

  it(
    'goes on from its snapshot, without booting, when its QEMU is gone',
    async () => {
      await libvirt.destroyDomain(domain);
      expect(await libvirt.domainState(domain)).toBe('shut off');
      expect(findQemuPid(domain)).toBeUndefined();
      await loadReady(libvirt, [domain]);
      expect(await libvirt.domainState(domain)).toBe('running');
      await waitForCounterAbove(await readCounter());
      expect(countGreetings(), 'a boot would have greeted again').toBe(1);
      expect(await terraform.plan()).toBe(NO_CHANGES);
    },
    MINUTES,
  );

  it(
    'says so when a snapshot does not exist',
    async () => {
      await expect(libvirt.loadSnapshotInPlace(domain, 'never')).rejects.toMatchObject({
        code: 'LAB_SNAPSHOT',
      });
    },
    MINUTES,
  );

  it(
    'shows as a change when somebody removes it by hand',
    async () => {
      await libvirt.destroyDomain(domain);
      await libvirt.undefineDomain(domain);
      expect(await libvirt.domainState(domain)).toBeUndefined();
      expect(await terraform.plan()).toMatch(/libvirt_domain\.node-1 will be created/);
      await terraform.apply();
      await waitForGreetings(2);
    },
    MINUTES,
  );

  it(
    'leaves no domain, pool, file or process when it is destroyed',
    async () => {
      await terraform.destroy();
      await expectNothingLeft();
    },
    MINUTES,
  );

  it(
    'is removed by its name after a start that failed, which Terraform does not remember',
    async () => {
      const intruder = createServer();
      await new Promise<void>((listening) => {
        intruder.listen(world.nodes[0]?.sshPort, '127.0.0.1', listening);
      });
      await expect(terraform.apply()).rejects.toMatchObject({ code: 'LAB_COMMAND' });
      await new Promise((closed) => intruder.close(closed));
      await terraform.destroy();
      expect(await libvirt.domainState(domain)).toBe('shut off');
      await libvirt.undefineDomain(domain);
      await expectNothingLeft();
    },
    MINUTES,
  );

  it(
    'keeps a whole state when it is interrupted halfway, so that nothing is forgotten',
    async () => {
      const stop = new AbortController();
      const interrupted = createTerraform({
        ...options,
        signal: stop.signal,
        onLine: (line) => {
          if (/^libvirt_volume\S+ Creating/.test(line)) stop.abort();
        },
      });
      await expect(interrupted.apply()).rejects.toMatchObject({ failure: 'aborted' });
      expect(await libvirt.listPools(libvirtPrefix(host.stateDir))).toEqual([world.name]);
      expect(await libvirt.domainState(domain)).toBeUndefined();
      await terraform.destroy();
      await expectNothingLeft();
    },
    MINUTES,
  );

  it(
    'can be removed without Terraform, from its names alone',
    async () => {
      await terraform.apply();
      for (const name of await libvirt.listDomains(libvirtPrefix(host.stateDir))) {
        await libvirt.destroyDomain(name);
        await libvirt.undefineDomain(name);
      }
      for (const pool of await libvirt.listPools(libvirtPrefix(host.stateDir)))
        await libvirt.removePool(pool);
      await expectNothingLeft();
    },
    MINUTES,
  );
});

async function waitForCounterAbove(floor: bigint): Promise<bigint> {
  return host.waitFor(
    {
      title: 'the guest to count on',
      look: async () => {
        const value = await readCounter();
        return value > floor ? { done: true, value } : { done: false, seen: `${value}, not above ${floor}` };
      },
    },
    { timeoutMs: MINUTES, intervalMs: 100 },
  );
}

async function expectNothingLeft(): Promise<void> {
  const prefix = libvirtPrefix(host.stateDir);
  expect(await libvirt.listDomains(prefix)).toEqual([]);
  expect(await libvirt.listPools(prefix)).toEqual([]);
  expect(findQemuPid(domain)).toBeUndefined();
  expect(existsSync(world.poolFolder)).toBe(false);
  expect(existsSync(world.nodes[0]?.base ?? '')).toBe(true);
  expect(await isListenedOn(world.nodes[0]?.sshPort)).toBe(false);
}
