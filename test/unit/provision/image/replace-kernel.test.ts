import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

/** The programs of the suite are not there: what they would be asked is printed. */
const REPLACE = `set -eu
chroot() { shift; echo "$*"; }
. provision/image/replace-kernel.sh`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-kernel-'));
  writeFile('root/lib/modules/6.1.0/modules.order');
  writeFile('root/boot/vmlinuz-6.1.0');
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function writeFile(path: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), path);
}

it.each([
  ['in /boot (bookworm)', ['boot/vmlinuz-7.2', 'boot/config-7.2', 'lib/modules/7.2/modules.order']],
  [
    'in /boot, with a merged /usr',
    ['boot/vmlinuz-7.2', 'boot/config-7.2', 'usr/lib/modules/7.2/modules.order'],
  ],
  ['beside its modules (Debian since 7.2)', ['usr/lib/modules/7.2/vmlinuz', 'usr/lib/modules/7.2/config']],
])('takes a kernel whose package holds it %s', (_, files) => {
  for (const file of files) writeFile(`package/${file}`);
  writeFile('package/usr/share/doc/linux-image/copyright');
  const tar = join(folder, 'kernel.tar');
  execFileSync('tar', ['-C', join(folder, 'package'), '-cf', tar, '.']);
  writeFile('work/kernel-tar');
  writeFileSync(join(folder, 'work/kernel-tar'), tar);

  const asked = execFileSync('sh', ['-c', REPLACE], {
    env: { PATH: process.env.PATH, root: join(folder, 'root'), work: join(folder, 'work') },
    encoding: 'utf8',
  });

  expect(readdirSync(join(folder, 'root/boot')).sort()).toEqual(['config-7.2', 'vmlinuz-7.2']);
  expect(readdirSync(join(folder, 'root/lib/modules'))).toEqual(['7.2']);
  expect(readdirSync(join(folder, 'work'))).toEqual(['kernel-tar']);
  expect(asked.trim().split('\n')).toEqual(['depmod 7.2', 'mkinitramfs -o /boot/initrd.img-7.2 7.2']);
});
