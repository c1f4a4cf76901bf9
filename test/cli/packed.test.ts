import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT, runProgram, type Ended } from './support/run-cli.ts';

/** npm has to read a hundred packages from its cache, or from the registry. */
const INSTALL_MS = 15 * 60_000;

const INSTALL = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];

let folder: string;
let prefix: string;
let tarball: string;
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
  const [packedFile = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  tarball = join(folder, packedFile);
  const installed = await runProgram('npm', [...INSTALL, '--global', '--prefix', prefix, tarball]);
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

/** The lines of docs/your-own-project.md, up to where machines would be started. */
describe('a project of somebody else, begun in an empty folder', () => {
  it(
    'has a first scenario that passes every check, and is planned from any folder of it',
    async () => {
      const own = join(folder, 'own');
      mkdirSync(own);
      // Without it npm installs into a folder above that has one.
      writeFileSync(join(own, 'package.json'), '{}');
      const env = {
        npm_lifecycle_event: undefined,
        WHODUNIT_HOME: undefined,
        WHODUNIT_CACHE: undefined,
        WHODUNIT_PROJECT: undefined,
      };
      const type = async (...words: string[]): Promise<string> => {
        const ended = await runProgram('npx', ['--no-install', 'whodunit', ...words], env, own);
        expect(ended.status, ended.stderr).toBe(0);
        return ended.stdout;
      };
      const installed = await runProgram('npm', [...INSTALL, '--save-dev', tarball], env, own);
      expect(installed.status, installed.stderr).toBe(0);
      await type('init');
      expect(await type('list', 'first-death')).toContain('default/first-death');
      expect(await type('run', 'first-death', '--dry-run')).toContain('1 cell, 1 world');
      const deep = join(own, 'scenarios/first-death');
      const below = await runProgram(
        join(own, 'node_modules/.bin/whodunit'),
        ['list', 'first-death'],
        env,
        deep,
      );
      expect(below.stdout, below.stderr).toContain('default/first-death');
    },
    INSTALL_MS,
  );
});
