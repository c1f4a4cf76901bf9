import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listSchema } from '../../lab/model/saved/formats.ts';
import { bugsSchema, reproSchema } from '../../lab/model/saved/repro.ts';
import { copyProject, type ProjectCopy } from './support/project-copy.ts';
import { runCli } from './support/run-cli.ts';

const ISSUE = 'https://github.com/kubernetes/kubernetes/issues/131567#issuecomment-1';
let folder: string;
let project: ProjectCopy;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-cli-'));
  project = copyProject(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('lab bugs', () => {
  it('lists each bug with its links and the command that reproduces it', async () => {
    const { status, stdout, stderr } = await runCli(folder, ['bugs']);
    expect(stderr).toBe('');
    expect(stdout).toContain('driver-mismatch-kill-loop  (reproduces)');
    expect(stdout).toContain('  systemd+cgroupfs against default: scenario minute-survivor');
    const [first = ''] = stdout.split(' ');
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(`next: npx whodunit repro ${first}`);
    expect(status).toBe(0);
  });

  it('answers in JSON', async () => {
    const { stdout } = await runCli(folder, ['bugs', '--json']);
    const { bugs } = bugsSchema.parse(JSON.parse(stdout));
    expect(bugs.map(({ id, affected, fixed }) => [id, affected, fixed])).toContainEqual([
      'gvisor-limit-not-enforced',
      'runsc@20230927',
      'runsc@20230927+systemd-cgroup',
    ]);
  });
});

describe('lab repro', () => {
  it('finds the bug of an issue, and shows what it would run with --dry-run', async () => {
    const { status, stdout } = await runCli(folder, ['repro', ISSUE, '--dry-run', '--json']);
    const { cells } = listSchema.parse(JSON.parse(stdout));
    expect(cells.map(({ address }) => address)).toEqual([
      'default/minute-survivor',
      'systemd+cgroupfs/minute-survivor',
    ]);
    expect(status).toBe(0);
    expect(existsSync(join(folder, 'runs'))).toBe(false);
  });

  it.each([
    ['broken.yaml', 'a: ['],
    ['half.yaml', 'formatVersion: 1\nrun: x\n'],
    ['empty.yaml', ''],
    ['none.yaml', undefined],
  ])('leads on from a replay that is wrong itself: %s', async (name, text) => {
    const path = join(folder, name);
    if (text !== undefined) writeFileSync(path, text);
    const { status, stderr } = await runCli(folder, ['repro', path]);
    expect(stderr).toContain(name);
    expect(stderr).toContain('try: name the replay.yaml of an archive of `npx whodunit export`');
    expect(status).toBe(2);
  });

  it('asks with other axes and more runs, and says what that costs', async () => {
    const words = [
      'repro',
      ISSUE,
      '--affected',
      'kubernetes=1.36',
      'os=trixie',
      '--repeat',
      '2',
      '--dry-run',
    ];
    const { status, stdout } = await runCli(folder, [...words, '--json']);
    const { cells } = listSchema.parse(JSON.parse(stdout));
    expect(cells.map(({ address, estimateSeconds }) => [address, estimateSeconds])).toEqual([
      ['default/minute-survivor', 600],
      ['trixie_1.36_systemd+cgroupfs/minute-survivor', 600],
    ]);
    expect(status).toBe(0);
  });

  it.each([
    [
      ['--affected', 'drivers=systemd+systemd'],
      'both sides of driver-mismatch-kill-loop would be the same cell',
    ],
    [['--fixed', 'oss=sid'], '--fixed: there is no axis or parameter "oss" (did you mean "os"?)'],
    [['--json', '--markdown'], '--json is not used here: --markdown prints only Markdown'],
  ])('refuses %j, and starts nothing', async (flags, message) => {
    const { status, stderr } = await runCli(folder, ['repro', ISSUE, ...flags]);
    expect(stderr).toContain(message);
    expect(status).toBe(2);
    expect(existsSync(join(folder, 'runs'))).toBe(false);
  });

  it('names the nearest bug, and exits 2', async () => {
    const { status, stderr } = await runCli(folder, ['repro', 'gvisor-limit-not-enforcd']);
    const [first, ...more] = stderr.trimEnd().split('\n');
    expect(first).toBe(
      'error LAB_USAGE: there is no bug "gvisor-limit-not-enforcd" (did you mean "gvisor-limit-not-enforced"?)',
    );
    expect(more.slice(0, 2).join('\n')).toMatch(
      /^near\n {2}bug {2}gvisor-limit-not-enforced +its title has /,
    );
    expect(more.at(-1)).toBe('  try: npx whodunit bugs gvisor-limit-not-enforcd');
    expect(status).toBe(2);
  });

  it('takes one bug at a time', async () => {
    const { status, stderr } = await runCli(folder, ['repro', 'gvisor#10264', 'gvisor#9580']);
    expect(stderr).toContain("too many arguments for 'repro'");
    expect(status).toBe(2);
  });

  it('starts nothing and concludes nothing when a rule refuses one of the two', async () => {
    project.change(
      'bugs/driver-mismatch-kill-loop.yaml',
      [
        'formatVersion: 1',
        'id: driver-mismatch-kill-loop',
        'title: A title',
        'links: [https://github.com/kubernetes/kubernetes/issues/131567]',
        'status: historic',
        'scenario: minute-survivor',
        'affected: { drivers: systemd+cgroupfs }',
        'fixed: { os: sid, cgroup: v1 }',
        'summary: A summary',
        'whatToSee: [nothing]',
        '',
      ].join('\n'),
    );
    const { status, stdout } = await project.run(['repro', ISSUE, '--json']);
    const result = reproSchema.parse(JSON.parse(stdout));
    expect(result.outcome).toBe('inconclusive');
    expect(result.fixed.verdict).toBe('skipped');
    expect(result.affected.note).toBe('not started: another cell is refused');
    expect(result.markdown).toContain('**Inconclusive**: ');
    expect(status).toBe(3);
    const markdown = await project.run(['repro', ISSUE, '--markdown']);
    expect(markdown.stdout).toBe(`${result.markdown}\n`);
    expect(existsSync(join(project.home, 'runs'))).toBe(false);
  });

  it('names every problem of a bug', async () => {
    project.change('bugs/driver-mismatch-kill-loop.yaml', 'formatVersion: 1\nid: another\n');
    const { status, stderr } = await project.run(['repro', 'driver-mismatch-kill-loop']);
    expect(stderr).toContain('error LAB_CONFIG: ');
    for (const field of [
      'title',
      'links',
      'status',
      'scenario',
      'affected',
      'fixed',
      'summary',
      'whatToSee',
    ]) {
      expect(stderr).toContain(`bugs/driver-mismatch-kill-loop.yaml:1:1: ${field}: expected`);
    }
    expect(status).toBe(2);
  });
});
