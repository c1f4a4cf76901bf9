import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERBS } from '../../lab/commands/verbs.ts';
import { runCli, runProgram } from './run-cli.ts';

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
    const { status, stdout, stderr } = await runCli(home, ['--help']);
    for (const verb of VERBS) expect(stdout).toMatch(new RegExp(`^  ${verb.name} `, 'm'));
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  it('prints the help and exits 2 when there is no verb', async () => {
    const { status, stdout } = await runCli(home, []);
    expect(stdout).toContain('Usage: lab <verb>');
    expect(status).toBe(2);
  });

  it.each([
    [['help', 'lst'], 'there is no verb "lst" (did you mean "list"?)'],
    [['lst'], 'there is no verb "lst" (did you mean "list"?)'],
    [['list', '--jsn'], 'list has no flag "--jsn" (did you mean "--json"?)'],
    [['--jsn'], 'lab has no flag "--jsn"'],
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
      expect(stderr).toBe('error LAB_USAGE: there is no finished run yet\n  try: npm run lab run\n');
      expect(status).toBe(2);
    },
  );

  it('tells which flag npm ate, through the real npm', async () => {
    const env = { WHODUNIT_HOME: home };
    const eaten = await runProgram('npm', ['run', '-s', 'lab', 'list', 'plain-exit', '--json'], env);
    expect(eaten.stderr).toContain('npm took --json for itself');
    expect(eaten.stderr).toContain('try: npm run lab -- list plain-exit --json');
    expect(eaten.status).toBe(2);
    const kept = await runProgram('npm', ['run', '-s', 'lab', '--', 'list', 'plain-exit', '--json'], env);
    expect(JSON.parse(kept.stdout)).toMatchObject({ formatVersion: 1 });
    expect(kept.status).toBe(0);
  });
});
