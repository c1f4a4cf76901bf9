import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { runCommand } from '../../lab/drivers/programs/command.ts';
import { reservePorts } from '../../lab/drivers/claims/ports.ts';
import { listQemuGuests } from '../../lab/drivers/machines/qemu-guests.ts';
import type { Host, LibvirtConnection } from '../../lab/model/host/host.ts';
import { worldLibvirtName, type WorldStack } from '../../lab/model/host/machine.ts';
import { ensureProvider, ensureTerraform } from '../../provision/components/terraform.ts';
import { createQuietHost } from '../quiet-host.ts';
import { buildTinyKernel } from './tiny-kernel.ts';

const projectDir = resolve(import.meta.dirname, '../..');

/** Returns the drivers of a lab whose state is in the given folder; the cache is the project's own. */
export function createTestHost(stateDir: string): Host {
  const cacheDir = process.env['WHODUNIT_CACHE'] ?? join(projectDir, '.lab', 'cache');
  mkdirSync(cacheDir, { recursive: true });
  const user = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  return createQuietHost(projectDir, { run: runCommand, ...user, stateDir, cacheDir });
}

/** Returns Terraform and the CLI configuration that leads it to the real provider. */
export async function findTerraform(host: Host): Promise<{ program: string; cliConfig: string }> {
  const terraform = await ensureTerraform(host);
  const { cliConfig } = await ensureProvider(host, terraform);
  return { program: terraform.program, cliConfig };
}

/** Makes the files of a world with one machine that boots the tiny kernel, and returns the world. */
export async function planSmallWorld(
  host: Host,
  connection: LibvirtConnection,
  initrdDir: string,
): Promise<WorldStack> {
  const { stateDir } = host;
  const [sshPort = 0, apiPort = 0] = await reservePorts(2);
  const base = join(stateDir, 'base.raw');
  await host.run('qemu-img', ['create', '-q', '-f', 'raw', base, '16M']);
  writeFileSync(join(stateDir, 'vmlinuz'), buildTinyKernel());
  // In a folder with a plain name: for Multiboot kernels, unlike Linux, QEMU splits this one at commas and blanks.
  writeFileSync(join(initrdDir, 'initrd.img'), 'not looked at');
  return {
    name: worldLibvirtName(stateDir, 'runsc@20230927+systemd-cgroup'),
    providerUri: connection.providerUri,
    accelerator: 'tcg',
    poolFolder: join(stateDir, 'pool'),
    uid: host.uid,
    gid: host.gid,
    nodes: [
      {
        name: 'node-1',
        memoryMiB: 64,
        vcpus: 1,
        diskGiB: 1,
        base,
        kernel: join(stateDir, 'vmlinuz'),
        initrd: join(initrdDir, 'initrd.img'),
        cmdline: ['rw', 'root=/dev/vda', 'quiet', 'console=tty0', 'console=ttyS0', 'net.ifnames=0'],
        sshPort,
        apiPort,
        consoleLog: join(stateDir, 'node-1.console.log'),
        mac: '52:54:00:12:34:56',
      },
    ],
  };
}

/** Whether somebody listens on a port of 127.0.0.1. */
export async function isListenedOn(port: number | undefined): Promise<boolean> {
  if (port === undefined) throw new Error('no port to ask');
  const socket = connect(port, '127.0.0.1');
  try {
    return await new Promise((resolve, reject) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED') resolve(false);
        else reject(error);
      });
    });
  } finally {
    socket.destroy();
  }
}

/** Process id of the QEMU of a domain; undefined when it does not run. */
export function findQemuPid(domain: string): number | undefined {
  return listQemuGuests().find((guest) => guest.name === domain)?.pid;
}
