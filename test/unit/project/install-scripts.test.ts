import { createRequire } from 'node:module';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT, readProjectText } from '../project-files.ts';

/**
 * Every dependency that brings an install script, and why nobody needs it. Scripts of others would run as the user
 * who installs, before anybody has read them.
 */
const UNNEEDED: Readonly<Record<string, string>> = {
  'cpu-features': 'optional: it tells ssh2 which ciphers are fast on this CPU',
  esbuild: 'its program is the package @esbuild/<platform>, which needs no script',
  ssh2: 'optional: a faster cipher, compiled; without it OpenSSL of Node does it',
};

interface Locked {
  readonly hasInstallScript?: true;
}
const { packages } = JSON.parse(readProjectText('package-lock.json')) as {
  packages: Readonly<Record<string, Locked>>;
};

describe('install scripts', () => {
  it('are those of dependencies that are known to work without', () => {
    const found = Object.entries(packages).flatMap(([path, { hasInstallScript }]) =>
      hasInstallScript === true ? [path.replace(/^.*node_modules\//, '')] : [],
    );
    expect([...new Set(found)].sort()).toEqual(Object.keys(UNNEEDED).sort());
  });

  it('are turned off for everybody who clones the project', () => {
    expect(readFileSync(join(PROJECT, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m);
    const { scripts } = JSON.parse(readProjectText('package.json')) as { scripts: Record<string, string> };
    const own = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish'];
    expect(Object.keys(scripts).filter((name) => own.includes(name))).toEqual([]);
  });

  it('did not run where these tests run: what they compile is not there', () => {
    const require = createRequire(import.meta.url);
    const ssh2 = join(require.resolve('ssh2/package.json'), '..');
    expect(existsSync(join(ssh2, 'lib/protocol/crypto/build'))).toBe(false);
    expect(typeof (require('ssh2') as { Client: unknown }).Client).toBe('function');
  });
});
