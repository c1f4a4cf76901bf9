import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { findTool } from '../../lab/drivers/host-facts.ts';

const FAKES = join(import.meta.dirname, 'fake-tools');

/** Programs that the lab or its tools need around them, taken from the host. */
const REAL = [
  ...[
    'bash',
    'sh',
    'env',
    'ps',
    'which',
    'sleep',
    'true',
    'unshare',
    'setpriv',
    'mke2fs',
    'ssh',
    'ssh-keygen',
    'apt-get',
  ],
  ...['qemu-system-x86_64', 'qemu-img', 'virsh', 'mmdebstrap', 'xsltproc', 'go', 'terraform', 'newuidmap'],
];

/**
 * Makes a folder to be the whole PATH of a test: links to the host's tools, with some exchanged for fakes (by the
 * name of their file in fake-tools/) and some left out (`undefined`).
 */
export function makeToolFolder(
  home: string,
  exchanged: Readonly<Record<string, string | undefined>>,
): NodeJS.ProcessEnv {
  const folder = join(home, 'tools');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of new Set([...REAL, ...Object.keys(exchanged)])) {
    const fake = exchanged[name];
    const target = fake === undefined ? findTool(name, process.env.PATH ?? '') : join(FAKES, fake);
    if (name in exchanged && fake === undefined) continue;
    if (target !== undefined && existsSync(target)) symlinkSync(target, join(folder, name));
  }
  return { PATH: folder };
}
