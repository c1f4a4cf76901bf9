import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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
  const packed = await runProgram('npm', ['run', '--silent', 'tarball', folder]);
  expect(packed.status, packed.stderr).toBe(0);
  const [packedFile = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  tarball = join(folder, packedFile);
  const installed = await runProgram('npm', [...INSTALL, '--global', '--prefix', prefix, tarball]);
  expect(installed.status, installed.stderr).toBe(0);
}, INSTALL_MS);
afterAll(() => rmSync(folder, { recursive: true }));

/** The version of a package that a lock, or what npm has installed, names. */
const versionIn = (file: string): unknown =>
  (JSON.parse(readFileSync(file, 'utf8')) as { readonly version?: unknown }).version;

describe('a whodunit that npm has installed from its tarball', () => {
  it('has its packages in the versions of the lock file', () => {
    const home = join(prefix, 'lib/node_modules/whodunit');
    const lock = JSON.parse(readFileSync(join(home, 'npm-shrinkwrap.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly version?: string; readonly dev?: boolean }>>;
    };
    const packages = Object.entries(lock.packages);
    expect(packages.filter(([, { dev }]) => dev === true)).toEqual([]);
    for (const name of ['zod', 'yaml', 'cdktf'])
      expect(versionIn(join(home, 'node_modules', name, 'package.json')), name).toBe(
        lock.packages[`node_modules/${name}`]?.version,
      );
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

/** A program that imports the library, as somebody would write it. */
const WHO_DID_IT = `import { check, judge, readEvidence } from 'whodunit';
import type { cells } from 'whodunit/vitest';
const evidence = readEvidence(process.argv[2] ?? '');
const verdict = judge(evidence);
export const addressOf = ([cell]: Awaited<ReturnType<typeof cells>>): string => cell?.address ?? '';
console.log(\`\${verdict.verdict}, \${check(evidence.folder, verdict).ok}\`);
`;

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

  it('imports the library in plain Node, and has types that hold with the defaults of tsc', async () => {
    const own = join(folder, 'own');
    const source = join(own, 'who.ts');
    writeFileSync(source, WHO_DID_IT);
    writeFileSync(join(own, 'package.json'), JSON.stringify({ ...readPackage(own), type: 'module' }));
    const words = ['--strict', '--skipLibCheck', 'false', '--module', 'nodenext', '--target', 'es2022'];
    const types = ['--typeRoots', join(PROJECT, 'node_modules/@types'), '--types', 'node'];
    const tsc = join(PROJECT, 'node_modules/typescript/bin/tsc');
    const compiled = await runProgram(process.execPath, [tsc, ...words, ...types, source], {}, own);
    expect(compiled).toEqual({ status: 0, stdout: '', stderr: '' });
    const evidence = 'node_modules/whodunit/test/fixtures/evidence/oom-single-container';
    const judged = await runProgram(process.execPath, ['who.js', evidence], { VITEST: undefined }, own);
    expect(judged).toMatchObject({ status: 0, stdout: 'passed, true\n' });
  });

  it('has the cells of the example as tests, and judges saved evidence in its program', async () => {
    const project = join(folder, 'example');
    cpSync(join(PROJECT, 'examples/own-project'), project, { recursive: true });
    const packages = join(folder, 'own/node_modules');
    // npm installs a peer beside what asks for it.
    symlinkSync(join(PROJECT, 'node_modules/vitest'), join(packages, 'vitest'));
    symlinkSync(packages, join(project, 'node_modules'));
    const vitest = join(PROJECT, 'node_modules/vitest/vitest.mjs');
    const env = { WHODUNIT_PROJECT: project, VITEST: undefined, WHODUNIT_CACHE: join(folder, 'cache') };
    const listed = await runProgram(process.execPath, [vitest, 'list', '--root', project], env);
    expect(listed.stdout, listed.stderr).toContain('tests/deaths.test.mjs > default/first-death');
    expect(listed.stdout).toContain('tests/deaths.test.mjs > v1/first-death');
    const evidence = join(PROJECT, 'test/fixtures/evidence/oom-single-container');
    const judged = await runProgram(process.execPath, [join(project, 'who-did-it.mjs'), evidence], env);
    expect(judged.stdout).toBe('passed: memcg-oom, proof holds\n');
  });
});

const readPackage = (own: string): object =>
  JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')) as object;
