import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT, runProgram, type Ended } from './support/run-cli.ts';

/** npm has to read a hundred packages from its cache, or from the registry. */
const INSTALL_MS = 15 * 60_000;

let folder: string;
let prefix: string;
const run = (words: readonly string[]): Promise<Ended> =>
  runProgram(join(prefix, 'bin/whodunit'), words, {
    npm_lifecycle_event: undefined,
    WHODUNIT_HOME: undefined,
    WHODUNIT_CACHE: undefined,
    HOME: join(folder, 'home'),
  });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-packed-'));
  prefix = join(folder, 'prefix');
  const packed = await runProgram('npm', ['pack', '--pack-destination', folder]);
  expect(packed.status, packed.stderr).toBe(0);
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  const flags = [
    '--global',
    '--prefix',
    prefix,
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
  ];
  const installed = await runProgram('npm', ['install', ...flags, join(folder, tarball)]);
  expect(installed.status, installed.stderr).toBe(0);
}, INSTALL_MS);
afterAll(() => rmSync(folder, { recursive: true }));

describe('a whodunit that npm has installed from its tarball', () => {
  it('says its version, and names itself as it is called', async () => {
    expect((await run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await run(['lst'])).stderr).toContain('try: whodunit help\n');
  });

  it('lists the scenarios that it brings, and plans them', async () => {
    const { status, stdout, stderr } = await run(['list', 'plain-exit']);
    expect(stderr).toBe('');
    expect(stdout).toContain('/plain-exit');
    expect(status).toBe(0);
  });

  it('judges the capture that it brings', async () => {
    const capture = 'lib/node_modules/whodunit/test/fixtures/evidence/oom-single-container';
    const { status, stdout } = await run(['judge', join(prefix, capture)]);
    expect(stdout).toContain('killer    memcg-oom (group-kill) at pod level, proven');
    expect(status).toBe(0);
  });

  it('brings what machines are made of', () => {
    const home = join(prefix, 'lib/node_modules/whodunit');
    for (const path of ['provision/guest', 'provision/image', 'provision/workloads', 'stacks/provider'])
      expect(readdirSync(join(home, path)).sort()).toEqual(readdirSync(join(PROJECT, path)).sort());
  });

  it('keeps its state in the home of its user', async () => {
    expect((await run(['status'])).stdout).toContain(`in ${join(folder, 'home/.whodunit')}\n`);
    const refused = await run(['new', 'scenario', 'my-scenario']);
    expect(refused.stderr).toContain('try: whodunit init');
    expect(refused.status).toBe(2);
  });
});
