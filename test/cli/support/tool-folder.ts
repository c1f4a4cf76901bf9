import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { findTool } from '../../../lab/drivers/host/host-facts.ts';

const FAKES = join(import.meta.dirname, 'fake-tools');

/** Programs of the host that the lab or its tools need around them, whatever else is exchanged. */
export const SURROUNDINGS: readonly string[] = [
  'bash',
  'sh',
  'env',
  'flock',
  'ps',
  'which',
  'sleep',
  'true',
  'setpriv',
  'mke2fs',
  'ssh',
  'ssh-keygen',
  'qemu-img',
  'xsltproc',
  'newuidmap',
];

/** Those that make machines, programs and images. */
const WORKERS = ['unshare', 'apt-get', 'qemu-system-x86_64', 'virsh', 'mmdebstrap', 'go', 'terraform'];

/** Links a program of the host into a folder, where the host has it. */
export function linkHostTool(folder: string, name: string): void {
  const target = findTool(name, process.env.PATH ?? '');
  if (target !== undefined && existsSync(target)) symlinkSync(target, join(folder, name));
}

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
  for (const name of [...SURROUNDINGS, ...WORKERS]) if (!(name in exchanged)) linkHostTool(folder, name);
  for (const [name, fake] of Object.entries(exchanged))
    if (fake !== undefined) symlinkSync(join(FAKES, fake), join(folder, name));
  return { PATH: folder };
}
