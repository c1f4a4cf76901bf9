import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

/** Saves a run of a scenario in a project, as if it had run there: a run from before, under another name. */
function saveRun(project: string, scenario: string): void {
  const runs = join(project, '.lab/runs');
  cpSync(join(PROJECT, 'test/fixtures/run-from-before'), runs, { recursive: true });
  const [run = ''] = readdirSync(runs);
  const cells = join(runs, run, 'cells/default');
  const [before = ''] = readdirSync(cells);
  renameSync(join(cells, before), join(cells, scenario));
  for (const path of [
    join(runs, run, 'result.json'),
    ...['cell.json', 'result.json'].map((name) => join(cells, scenario, name)),
  ])
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(before, scenario));
}

describe('a run of a project', () => {
  it('is exported, and its replay knows the scenarios of that project only', async () => {
    const project = join(root, 'exported');
    expect((await runCli(root, ['init', project])).status).toBe(0);
    saveRun(project, 'first-death');
    const archive = join(root, 'run.tar.gz');
    const exported = await runIn(project, ['export', 'latest', '--out', archive]);
    expect(exported).toMatchObject({ status: 0, stderr: '' });
    const [file = ''] = /[^ ]*replay\.yaml/.exec(exported.stdout) ?? [];
    expect((await runProgram('tar', ['xzf', archive, '-C', root])).status).toBe(0);
    const replay = ['repro', join(root, file), '--dry-run'];
    const unknown = 'expected a scenario of this project, received "first-death"';
    expect((await runIn(project, replay)).stderr).not.toContain(unknown);
    const elsewhere = await runCli(root, replay);
    expect(elsewhere.stderr).toContain(unknown);
    expect(elsewhere.status).toBe(2);
  });
});

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
