import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT, runProgram, type Ended } from './support/run-cli.ts';

/** A test of the project that takes no time. */
const QUICK = 'test/unit/project/install-scripts.test.ts';

function npmTest(...words: readonly string[]): Promise<Ended> {
  const env = { FORCE_COLOR: undefined, NO_COLOR: '1' };
  return runProgram(process.execPath, [join(PROJECT, 'bin/test.mjs'), ...words], env);
}

describe('npm test', () => {
  it('runs only the tests of a path, in the part that has them', async () => {
    const { status, stdout, stderr } = await npmTest(QUICK);
    expect(stderr).toBe('');
    expect(stdout).toContain('== unit\n');
    expect(stdout).toMatch(/Test Files +1 passed/);
    expect(stdout).toMatch(/\n[1-9]\d* passed, 0 failed\n$/);
    expect(status).toBe(0);
  });

  it('runs only the tests whose name is given, and says so when there are none', async () => {
    const { status, stderr } = await npmTest(QUICK, '-t', 'no test has such a name');
    expect(stderr).toBe('error LAB_USAGE: no test there has a name that matches no test has such a name\n');
    expect(status).toBe(2);
  });

  it.each([
    ['a path with a typo', 'test/unit/project/instal-scripts.test.ts', QUICK],
    ['a test of another folder', 'test/unit/judge/install-scripts.test.ts', QUICK],
    ['a test without its folder', 'install-scripts.test.ts', QUICK],
    ['a file that is no test', 'test/cli/doctor.ts', 'test/cli/doctor.test.ts'],
    ['a folder with a typo', 'test/unit/projct', 'test/unit/project'],
    ['a folder without tests', 'test/fixtures/project', 'test/unit/project'],
  ])('refuses %s in one line, with the nearest path', async (_, path, nearest) => {
    expect(await npmTest(path)).toEqual({
      status: 2,
      stdout: '',
      stderr: `error LAB_USAGE: no test is at ${path}, the nearest is ${nearest}\n`,
    });
  });

  it('says which parts there are when no part has that name', async () => {
    const { status, stderr } = await npmTest('unti', QUICK);
    expect(stderr).toMatch(/^error LAB_USAGE: no part is called unti\n {2}try: one of format, lint, .*\n$/);
    expect(status).toBe(2);
  });

  it.each([
    [['-t'], '-t needs the name of a test'],
    [['-t', 'kills'], '-t needs the path of a test or the name of a part, too'],
  ])('refuses %j, which chooses nothing', async (words, why) => {
    expect(await npmTest(...words)).toEqual({ status: 2, stdout: '', stderr: `error LAB_USAGE: ${why}\n` });
  });
});
