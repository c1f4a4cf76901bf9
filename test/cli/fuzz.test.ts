import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT, runProgram } from './support/run-cli.ts';

describe('npm run fuzz', () => {
  it.each([
    [['no-such-test.ts'], 'no-such-test.ts: there is no such file or folder'],
    [['test/unit/nowhere'], 'test/unit/nowhere: there is no such file or folder'],
    [['test/cli'], 'test/cli: want a test, or a folder of tests, of test/unit'],
    [['test/unit/project-files.ts'], 'test/unit/project-files.ts: want a test, or'],
    [['..'], '..: want a test, or'],
    [['--seed', 'x', 'no-such'], '--seed x: want 0'],
    [['--sed', '7'], "Unknown option '--sed'"],
  ])('refuses %j in a line, and starts nothing', async (words, says) => {
    const { status, stdout, stderr } = await runProgram(process.execPath, [
      join(PROJECT, 'bin/fuzz.mjs'),
      ...words,
    ]);
    expect(stderr).toContain(says);
    expect(stderr.length).toBeLessThan(400);
    expect(stdout).toBe('');
    expect(status).toBe(2);
  });
});
