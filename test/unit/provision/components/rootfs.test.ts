import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { linkApplets } from '../../../../provision/components/rootfs.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'whodunit-rootfs-'));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

/** Puts a program that is many into a folder of the root, and runs the hook as mmdebstrap does. */
function link(folder: string, script: string): void {
  mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, folder, 'many'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  execFileSync('sh', ['-c', linkApplets('many'), 'exec', root], { stdio: 'pipe' });
}

describe('a program that is many in one', () => {
  it.each(['bin', 'usr/bin'])('in /%s has a link in /bin for each of its names', (folder) => {
    link(folder, 'echo sh; echo "["; echo "[["; echo many');
    const linked = readdirSync(join(root, 'bin')).filter((name) => name !== 'many');
    expect(linked.sort()).toEqual(['[', '[[', 'sh']);
    expect(readlinkSync(join(root, 'bin/sh'))).toBe(`/${folder}/many`);
  });

  it('takes no name that another program has', () => {
    mkdirSync(join(root, 'bin'));
    writeFileSync(join(root, 'bin/sh'), 'another one');
    link('usr/bin', 'echo sh; echo ls');
    expect(() => readlinkSync(join(root, 'bin/sh'))).toThrow('EINVAL');
    expect(readlinkSync(join(root, 'bin/ls'))).toBe('/usr/bin/many');
  });

  it.each([
    ['cannot be run', 'exit 1'],
    ['is broken', 'kill -KILL $$'],
  ])('that %s fails the build', (_, script) => {
    expect(() => link('bin', script)).toThrow('Command failed');
  });

  it('that no package has fails the build', () => {
    expect(() => execFileSync('sh', ['-c', linkApplets('many'), 'exec', root], { stdio: 'pipe' })).toThrow(
      'Command failed',
    );
  });
});
