import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeModules } from '../../bin/library.ts';
import { PROJECT, runCli, runProgram, type Ended } from './support/run-cli.ts';

let root: string;
beforeAll(() => (root = mkdtempSync(join(tmpdir(), 'whodunit-own-'))));
afterAll(() => rmSync(root, { recursive: true }));

/** A command in a project, whose state is its own. */
const runIn = (project: string, words: readonly string[]): Promise<Ended> =>
  runCli(root, words, {
    WHODUNIT_PROJECT: project,
    WHODUNIT_HOME: undefined,
    WHODUNIT_CACHE: join(root, 'cache'),
  });

const filesOf = (answer: Ended): string[] => (JSON.parse(answer.stdout) as { files: string[] }).files;

describe('whodunit init', () => {
  it('makes a project that is planned, listed and added to', async () => {
    const project = join(root, 'made');
    const made = await runCli(root, ['init', project, '--json']);
    expect(made).toMatchObject({ status: 0, stderr: '' });
    expect(filesOf(made)).toContain(join(project, 'whodunit.yaml'));
    expect(await runIn(project, ['list', 'first-death', 'oom-single-container', '-o', 'name'])).toMatchObject(
      {
        status: 0,
        stdout: expect.stringMatching(/default\/first-death\n[^]*default\/oom-single-container/) as string,
      },
    );
    expect((await runIn(project, ['run', 'first-death', '--dry-run'])).status).toBe(0);
    const added = await runIn(project, ['new', 'bug', 'my-bug', '--json']);
    expect(filesOf(added)).toContain(join(project, 'bugs/my-bug.yaml'));
    expect((await runIn(project, ['repro', 'my-bug', '--dry-run'])).status).toBe(0);
    expect(readFileSync(join(project, 'bugs/my-bug.yaml'), 'utf8')).toContain(
      'node_modules/whodunit/docs/schemas',
    );
    expect(existsSync(join(PROJECT, 'bugs/my-bug.yaml'))).toBe(false);
    const offered = await runIn(project, ['complete', 'whodunit run first-']);
    expect(offered.stdout).toContain('first-death');
    expect((await runIn(project, ['status'])).stdout).toContain(join(project, '.lab'));
  });

  it('keeps what is there, and makes no project twice', async () => {
    const project = join(root, 'kept');
    mkdirSync(project);
    writeFileSync(join(project, '.gitignore'), 'node_modules\n');
    expect((await runCli(root, ['init', project])).stdout).toContain('.gitignore (was there)');
    expect(readFileSync(join(project, '.gitignore'), 'utf8')).toBe('node_modules\n.lab/\n');
    expect((await runCli(root, ['init', project])).stderr).toContain('is a project already');
  });

  it.each([
    [{ WHODUNIT_PROJECT: tmpdir() }, /is not a project/],
    [{ WHODUNIT_PROJECT: '' }, /WHODUNIT_PROJECT is set, but empty/],
  ])('is what an error names: %j', async (env, text) => {
    const { status, stderr, stdout } = await runCli(root, ['list', '--json'], env);
    expect(stderr).toMatch(text);
    expect(stdout).toMatch(/"LAB_USAGE"/);
    expect(status).toBe(2);
  });
});

describe('the example', () => {
  it('has its cells as tests, and judges saved evidence in a program', async () => {
    await writeModules(join(PROJECT, 'dist'));
    const project = join(root, 'example');
    cpSync(join(PROJECT, 'examples/own-project'), project, { recursive: true });
    mkdirSync(join(project, 'node_modules'));
    symlinkSync(PROJECT, join(project, 'node_modules/whodunit'));
    symlinkSync(join(PROJECT, 'node_modules/vitest'), join(project, 'node_modules/vitest'));
    const vitest = join(PROJECT, 'node_modules/vitest/vitest.mjs');
    const env = { WHODUNIT_PROJECT: project, VITEST: undefined, WHODUNIT_CACHE: join(root, 'cache') };
    const listed = await runProgram(process.execPath, [vitest, 'list', '--root', project], env);
    expect(listed.stdout).toContain('tests/deaths.test.mjs > default/first-death');
    expect(listed.stdout).toContain('tests/deaths.test.mjs > v1/first-death');
    const evidence = join(PROJECT, 'test/fixtures/evidence/oom-single-container');
    const judged = await runProgram(process.execPath, [join(project, 'who-did-it.mjs'), evidence], env);
    expect(judged.stdout).toBe('passed: memcg-oom, proof holds\n');
  });
});
