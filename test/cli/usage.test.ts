import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERBS } from '../../lab/commands/line/verbs.ts';
import { PROJECT, runCli, runProgram } from './support/run-cli.ts';

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-cli-'));
});
afterAll(() => {
  const left = readdirSync(home);
  rmSync(home, { recursive: true });
  expect(left).toEqual([]);
});

describe('the command line', () => {
  it('lists every verb in its help, on standard output', async () => {
    const { status, stdout, stderr } = await runCli(home, ['help', '--all']);
    for (const verb of VERBS) expect(stdout).toMatch(new RegExp(`^  ${verb.name} `, 'm'));
    expect(stdout).not.toContain('help --all');
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  it('prints the help and exits 2 when there is no verb', async () => {
    const { status, stdout } = await runCli(home, []);
    expect(stdout).toContain('Usage: whodunit <command>');
    expect(stdout).toContain('npx whodunit help --all ');
    expect(status).toBe(2);
  });

  it.each([
    [['help', 'lst'], 'unknown command "lst" (did you mean "list"?)'],
    [['lst'], 'unknown command "lst" (did you mean "list"?)'],
    [['list', '--jsn'], 'list has no flag "--jsn" (did you mean "--json"?)'],
    [['--jsn'], 'whodunit has no flag "--jsn"'],
    [['why'], 'missing required argument'],
    [['report', 'one', 'two'], 'too many arguments'],
    [['why', 'a/b', '--run'], 'argument missing'],
  ])('refuses %j with exit 2 and one message', async (words, message) => {
    const { status, stdout, stderr } = await runCli(home, words);
    expect(stderr).toContain('error LAB_USAGE: ');
    expect(stderr).toContain(message);
    expect(stderr).toContain('  try: ');
    expect(stdout).toBe('');
    expect(status).toBe(2);
  });

  it('refuses a variant that a rule refuses, before anything is started', async () => {
    const { status, stderr } = await runCli(home, ['up', 'os=trixie', 'cgroup=v1']);
    expect(stderr).toContain('trixie_v1 cannot be built: ');
    expect(status).toBe(2);
  });

  it.each([['why', 'default/plain-exit'], ['report']])(
    'says what to run when there is no run yet: %s',
    async (...words) => {
      const { status, stderr } = await runCli(home, words);
      expect(stderr).toBe('error LAB_USAGE: there is no finished run yet\n  try: npx whodunit run\n');
      expect(status).toBe(2);
    },
  );

  it('tells which flag npm ate, through the real npm, with a line that works', async () => {
    const env = { WHODUNIT_HOME: home };
    const eaten = await runProgram('npm', ['run', '-s', 'lab', 'list', 'plain-exit', '--json'], env);
    expect(eaten.stderr).toContain('npm took --json for itself');
    const line = /^ {2}try: (npx whodunit .*)$/m.exec(eaten.stderr)?.[1] ?? '';
    expect(line).toBe('npx whodunit list plain-exit --json');
    expect(eaten.status).toBe(2);
    for (const again of [line, 'npm run -s lab -- list plain-exit --json']) {
      const kept = await runProgram('sh', ['-c', again], env);
      expect(JSON.parse(kept.stdout), again).toMatchObject({ formatVersion: 1 });
      expect(kept.status).toBe(0);
    }
  });

  it.each([
    ['list plain-exit --seed 5', 0, 'order of seed 5'],
    ['kubectl get pods -A', 2, 'no world is up'],
    ['kubectl delete pod x --dry-run=client', 2, 'no world is up'],
    ['shell uname -r', 2, 'no world is up'],
  ])('tells that npm ate a flag of %j, and that npx does not', async (words, status, answer) => {
    const env = { WHODUNIT_HOME: home };
    const eaten = await runProgram('sh', ['-c', `npm run -s lab ${words}`], env);
    expect(eaten.stderr).toContain(
      'try: the same line with `npx whodunit` in place of `npm run lab`: npx leaves flags alone',
    );
    expect(eaten.status).toBe(2);
    const kept = await runProgram('sh', ['-c', `npx whodunit ${words}`], env);
    expect(kept.stdout + kept.stderr).toContain(answer);
    expect(kept.status).toBe(status);
  });

  it('names itself in every text as it was called', async () => {
    const env = { WHODUNIT_HOME: home };
    const byNpm = await runProgram('npm', ['run', '-s', 'lab', 'lst'], env);
    expect(byNpm.stderr).toContain('try: npm run lab -- help\n');
    const byNpx = await runProgram('npx', ['whodunit', 'lst'], env);
    expect(byNpx.stderr).toContain('try: npx whodunit help\n');
    const installed = join(mkdtempSync(join(tmpdir(), 'whodunit-bin-')), 'whodunit');
    symlinkSync(join(PROJECT, 'bin/whodunit.mjs'), installed);
    const byPath = await runProgram(installed, ['lst'], { ...env, npm_lifecycle_event: undefined });
    expect(byPath.stderr).toContain('try: whodunit help\n');
    rmSync(dirname(installed), { recursive: true });
  });
});
