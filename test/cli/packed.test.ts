import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BEGIN_PROJECT } from './support/begin-project.ts';
import { NO_CLEAN_ROOT, openCleanRoot, type CleanRoot } from './support/clean-root.ts';
import { copyFromNpmCache, copyPackages } from './support/npm-packages.ts';
import { PROJECT, runProgram, type Ended } from './support/run-cli.ts';

/** npm has to read a hundred packages from its cache, or from the registry. */
const INSTALL_MS = 15 * 60_000;

const INSTALL = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];

/** Ends the titles of what should not have the clone in reach. */
const NOT_CLEAN = NO_CLEAN_ROOT === undefined ? '' : ` (with the clone in reach: ${NO_CLEAN_ROOT})`;

let folder: string;
let root: CleanRoot;
/** Where npm installs what it is to install globally, and whodunit in it. */
let prefix: string;
let installed: string;
let own: string;
let tarball: string;

/** A capture that a tarball brings. */
const CAPTURE = 'test/fixtures/evidence/oom-single-container';

const run = (words: readonly string[]): Promise<Ended> =>
  root.run([join(prefix, 'bin/whodunit'), ...words], root.home);

/** The packing, and the one installation that may use the network, are done where the clone is; all else is not. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-packed-'));
  root = openCleanRoot(folder);
  prefix = join(folder, 'prefix');
  installed = join(prefix, 'lib/node_modules/whodunit');
  own = join(folder, 'own');
  root.give(own);
  const packed = await runProgram('npm', ['run', '--silent', 'tarball', folder]);
  expect(packed.status, packed.stderr).toBe(0);
  const [packedFile = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  tarball = join(folder, packedFile);
  const ended = await runProgram('npm', [...INSTALL, '--global', '--prefix', prefix, tarball]);
  expect(ended.status, ended.stderr).toBe(0);
  root.give(prefix);
}, INSTALL_MS);
afterAll(() => rmSync(folder, { recursive: true }));

describe(`a whodunit that npm has installed from its tarball${NOT_CLEAN}`, () => {
  it.skipIf(NO_CLEAN_ROOT !== undefined)('is where no clone is, nor anything else of this host', async () => {
    const look = `const { existsSync, readdirSync } = require('node:fs');
      const seen = readdirSync('/').filter((name) => !/^(bin|lib\\d*|usr|etc|dev|proc|tmp)$/.test(name));
      const isOpen = ${JSON.stringify([PROJECT, '/root', '/etc/hosts'])}.filter(existsSync);
      console.log(JSON.stringify({ seen, isOpen, home: readdirSync(process.env.HOME), user: process.getuid() }));`;
    const { stdout, stderr } = await root.run(['node', '-e', look], root.home);
    const [, top = ''] = folder.split('/');
    expect(JSON.parse(stdout || '{}'), stderr).toEqual({
      seen: ['tmp', 'usr'].includes(top) ? [] : [top],
      isOpen: [],
      home: [],
      user: 65534,
    });
  });

  it('brings the lock of its packages, without those of its tests', () => {
    const lock = JSON.parse(readFileSync(join(installed, 'npm-shrinkwrap.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly version?: string; readonly dev?: boolean }>>;
    };
    const packages = Object.entries(lock.packages);
    expect(packages.filter(([, { dev }]) => dev === true)).toEqual([]);
    const own = readPackage(PROJECT) as { readonly dependencies: Readonly<Record<string, string>> };
    for (const name of Object.keys(own.dependencies)) {
      const at = `node_modules/${name}`;
      expect(lock.packages, name).toHaveProperty([at, 'version']);
      // npm takes no notice of that lock in a tarball that is a file.
      expect(readPackage(join(installed, at)), name).toHaveProperty('version', lock.packages[at]?.version);
    }
  });

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
    const { status, stdout } = await run(['judge', join(installed, CAPTURE)]);
    expect(stdout).toContain('killer    memcg-oom (group-kill) at pod level, proven');
    expect(status).toBe(0);
  });

  it('brings what machines are made of', () => {
    for (const path of ['provision/guest', 'provision/image', 'provision/workloads', 'stacks/provider'])
      expect(readdirSync(join(installed, path)).sort()).toEqual(readdirSync(join(PROJECT, path)).sort());
    const sources = readdirSync(join(PROJECT, 'lab'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => readFileSync(join(PROJECT, 'lab', path), 'utf8'));
    const threads = sources.flatMap((text) => [...text.matchAll(/runInThread\(\s*'([^']+)'/g)]);
    expect(threads.length).toBeGreaterThan(0);
    for (const [, script = ''] of threads) expect(readdirSync(join(installed, 'bin'))).toContain(script);
  });

  it('keeps its state in the home of its user', async () => {
    expect((await run(['status'])).stdout).toContain(`in ${join(folder, 'home/.whodunit')}\n`);
    const refused = await run(['new', 'scenario', 'my-scenario']);
    expect(refused.stderr).toContain('try: whodunit init');
    expect(refused.status).toBe(2);
  });
});

/** A program that imports the library, as somebody would write it. */
const WHO_DID_IT = `import { check, judge, readEvidence } from 'whodunit';
import type { cells } from 'whodunit/vitest';
const evidence = readEvidence(process.argv[2] ?? '');
const verdict = judge(evidence);
export const addressOf = ([cell]: Awaited<ReturnType<typeof cells>>): string => cell?.address ?? '';
console.log(\`\${verdict.verdict}, \${check(evidence.folder, verdict).ok}\`);
`;

/** A setting of npm on this host. */
const ask = async (name: string): Promise<string> =>
  (await runProgram('npm', ['config', 'get', name])).stdout.trim();

describe(`a project of somebody else, begun in an empty folder${NOT_CLEAN}`, () => {
  const type = async (line: string, cwd = own, env = {}): Promise<string> => {
    const ended = await root.run(['sh', '-c', line], cwd, env);
    expect(ended.status, `${line}\n${ended.stderr}`).toBe(0);
    return ended.stdout;
  };

  it(
    'begins with the lines of its page, with a cache of npm and no network',
    async () => {
      const cache = join(folder, 'cache');
      const [from, registry] = [await ask('cache'), await ask('registry')];
      copyFromNpmCache({ from, to: cache, installed, registry });
      root.give(cache);
      cpSync(tarball, join(own, basename(tarball)));
      const npm = {
        npm_config_cache: cache,
        npm_config_offline: 'true',
        npm_config_registry: registry,
      };
      const printed: string[] = [];
      for (const line of BEGIN_PROJECT) printed.push(await type(line, own, npm));
      expect(BEGIN_PROJECT.filter((line) => line.startsWith('npm install '))).toHaveLength(1);
      expect(printed.at(-1)).toContain('default/first-death');
    },
    INSTALL_MS,
  );

  it('has a first scenario that passes every check, and is planned from any folder of it', async () => {
    expect(await type('npx whodunit run first-death --dry-run')).toContain('1 cell, 1 world');
    const below = join(own, 'scenarios/first-death');
    expect(await type('npx whodunit list first-death', below)).toContain('default/first-death');
  });

  it('judges the capture that is installed with it, and names the killer in files of its own', async () => {
    expect(await type(`npx whodunit judge node_modules/whodunit/${CAPTURE}`)).toContain(
      'killer    memcg-oom (group-kill) at pod level, proven',
    );
    cpSync(join(PROJECT, 'test/fixtures/pastes/p01-oom-dmesg-T/input'), own, { recursive: true });
    expect(await type('npx whodunit autopsy pod.yaml dmesg.txt kubelet.log')).toContain('memcg-oom');
  });

  it('imports the library in plain Node, and has types that hold with the defaults of tsc', async () => {
    copyPackages(['typescript', '@types/node', 'vitest'], own);
    writeFileSync(join(own, 'who.ts'), WHO_DID_IT);
    writeFileSync(join(own, 'package.json'), JSON.stringify({ ...readPackage(own), type: 'module' }));
    const settings = '--strict --skipLibCheck false --module nodenext --target es2022 --types node';
    expect(await type(`node node_modules/typescript/bin/tsc ${settings} who.ts`)).toBe('');
    expect(await type(`node who.js node_modules/whodunit/${CAPTURE}`)).toBe('passed, true\n');
  });

  it('has the cells of the example as tests, and judges saved evidence in its program', async () => {
    const example = join(folder, 'example');
    root.give(example);
    await type(`/bin/cp -R ../own/node_modules/whodunit/examples/own-project/. .`, example);
    await type('/bin/ln -s ../own/node_modules node_modules', example);
    const listed = await type('node node_modules/vitest/vitest.mjs list', example);
    expect(listed).toContain('tests/deaths.test.mjs > default/first-death');
    expect(listed).toContain('tests/deaths.test.mjs > v1/first-death');
    const judged = await type(`node who-did-it.mjs node_modules/whodunit/${CAPTURE}`, example);
    expect(judged).toBe('passed: memcg-oom, proof holds\n');
  });
});

const readPackage = (project: string): object =>
  JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as object;
