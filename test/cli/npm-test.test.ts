import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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

  it('runs the tests that belong to a file of code, and names them first', async () => {
    const { status, stdout } = await npmTest(
      'lab/model/limits/time-limits.ts',
      '-t',
      'no test has such a name',
    );
    expect(stdout).toMatch(
      /^tests of lab\/model\/limits\/time-limits\.ts: test\/unit\/project\/time-limits\.test\.ts\n\n== unit\n/,
    );
    expect(status).toBe(2);
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

describe('the end of npm test', () => {
  let folder: string;
  const CONFIG = `export default { test: { projects: [
    { test: { name: 'unit', include: ['test/unit/**/*.test.ts'] } },
  ] } };`;

  /** A project that has only the tests that are given, by path below `test/unit`. */
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'whodunit-npm-test-'));
    cpSync(join(PROJECT, 'bin'), join(folder, 'bin'), { recursive: true });
    symlinkSync(join(PROJECT, 'lab'), join(folder, 'lab'));
    symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
    write('package.json', '{ "type": "module" }');
    write('vitest.config.js', CONFIG);
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }

  async function endOf(...words: readonly string[]): Promise<{ status: number; end: string }> {
    const env = { FORCE_COLOR: undefined, NO_COLOR: '1' };
    const ended = await runProgram(process.execPath, [join(folder, 'bin/test.mjs'), ...words], env);
    const end = /\nfailed\n[^]*/.exec(ended.stdout)?.[0] ?? `nothing failed: ${ended.stdout}`;
    return { status: ended.status, end };
  }

  it('names what failed with the first line of the reason, before the last line', async () => {
    write(
      'test/unit/fails.test.ts',
      `import { describe, expect, it } from 'vitest';
      describe('a group', () => {
        it('fails', () => { expect([1, 2]).toEqual([1, 3]); });
        it('passes', () => { expect(1).toBe(1); });
      });`,
    );
    write('test/unit/loads-nothing.test.ts', `import './missing.ts';`);
    write(
      'test/unit/prepares.test.ts',
      `import { beforeAll, it } from 'vitest';
      beforeAll(() => { throw new Error('the hook broke'); });
      it('is never begun', () => undefined);`,
    );
    const { status, end } = await endOf('unit');
    expect(status).toBe(1);
    expect(end).toBe(`
failed
  test/unit/fails.test.ts > a group fails
    AssertionError: expected [ 1, 2 ] to deeply equal [ 1, 3 ]
  test/unit/loads-nothing.test.ts
    Cannot find module './missing.ts' imported from ${join(folder, 'test/unit/loads-nothing.test.ts')}
  test/unit/prepares.test.ts
    the hook broke

1 skipped

1 passed, 3 failed
`);
  });

  it('counts the failures after the twentieth', async () => {
    write(
      'test/unit/many.test.ts',
      `import { expect, it } from 'vitest';
      it.each(Array.from({ length: 23 }, (_, at) => at + 1))('number %i', () => { expect.fail('broken'); });`,
    );
    const { end } = await endOf('unit');
    expect(end.match(/ > number \d+\n {4}AssertionError: broken\n/g)).toHaveLength(20);
    expect(end).toMatch(/\n {2}and 3 more\n\n0 passed, 23 failed\n$/);
  });

  it.each([
    [
      'a run that ends without a report',
      `process.kill(process.ppid, 'SIGKILL');`,
      'it ended with 1 and without a report',
    ],
    [
      'an error outside of all tests',
      `import { it } from 'vitest';
      it('passes', () => { setTimeout(() => { throw new Error('nobody awaits it'); }, 0); });
      it('waits', () => new Promise((done) => setTimeout(done, 50)));`,
      'it ended with 1, though no test failed',
    ],
  ])('names %s', async (_, text, why) => {
    write('test/unit/odd.test.ts', text);
    const { status, end } = await endOf('unit');
    expect(status).toBe(1);
    expect(end).toMatch(/ 1 failed\n$/);
    expect(end).toContain(`\nfailed\n  vitest\n    ${why}\n`);
  });

  it('names a check that failed', async () => {
    rmSync(join(folder, 'node_modules'));
    write('node_modules/prettier/bin/prettier.cjs', 'process.exitCode = 3;');
    const { status, end } = await endOf('format');
    expect(status).toBe(1);
    expect(end).toBe('\nfailed\n  prettier.cjs --check .\n    it ended with 3\n\n0 passed, 1 failed\n');
  });

  it('prints what each part has said below its name, though their programs run side by side', async () => {
    rmSync(join(folder, 'node_modules'));
    const say = (text: string): string =>
      `setTimeout(() => console.log('${text}'), 20); console.log('begun');`;
    write('node_modules/prettier/bin/prettier.cjs', `${say('prettier')} process.exitCode = 3;`);
    write('node_modules/eslint/bin/eslint.js', say('eslint'));
    write('node_modules/knip/bin/knip.js', say('knip'));
    const ended = await runProgram(process.execPath, [join(folder, 'bin/test.mjs'), 'lint', 'format']);
    expect(ended.stdout).toContain('\n== format\nbegun\nprettier\n');
    expect(ended.stdout).toContain('\n== lint\nbegun\neslint\nbegun\nknip\n');
    expect(ended.stdout).toMatch(/^format +0 +1 .*\nlint +2 +0 /m);
    expect(ended.stdout).toMatch(/\n2 passed, 1 failed\n$/);
  });

  it.skipIf(availableParallelism() < 2)(
    'runs the tests of the report beside programs that only read, and counts each of them',
    async () => {
      rmSync(join(folder, 'node_modules'));
      // Each waits for the other to begin.
      const meet = (own: string, other: string): string => `
      writeFileSync('${own}', '');
      await new Promise((done) => {
        const timer = setInterval(() => existsSync('${other}') && done(clearInterval(timer)), 20);
      });`;
      const files = `import { existsSync, writeFileSync } from 'node:fs';`;
      write('node_modules/prettier/package.json', '{ "type": "module" }');
      write('node_modules/prettier/bin/prettier.cjs', `import('./prettier.js');`);
      write('node_modules/prettier/bin/prettier.js', `${files} ${meet('format-began', 'report-began')}`);
      symlinkSync(join(PROJECT, 'node_modules/vitest'), join(folder, 'node_modules/vitest'));
      const project = `{ test: { name: 'report', include: ['test/report/**/*.test.ts'] } }`;
      write('vitest.config.js', `export default { test: { projects: [${project}] } };`);
      write(
        'test/report/one.test.ts',
        `${files} import { expect, it } from 'vitest';
      it('passes', async () => { ${meet('report-began', 'format-began')} });
      it('breaks', () => { expect.fail('the picture is gone'); });`,
      );
      const ended = await runProgram(process.execPath, [join(folder, 'bin/test.mjs'), 'format', 'report'], {
        FORCE_COLOR: undefined,
        NO_COLOR: '1',
      });
      expect(ended.stdout).toMatch(/\n== report\n[^]* FAIL [^]*the picture is gone/);
      expect(ended.stdout).toMatch(/\nformat +1 +0 .*\nreport +1 +1 +0 .*\n/);
      expect(ended.stdout).toContain(
        '  test/report/one.test.ts > breaks\n    AssertionError: the picture is gone\n',
      );
      expect(ended.status).toBe(1);
    },
  );

  it('lets the compiler go on from what it knows, also in another clone that shares the cache', async () => {
    rmSync(join(folder, 'node_modules'));
    write(
      'node_modules/typescript/bin/tsc',
      `const { existsSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
      const file = process.argv[process.argv.indexOf('--tsBuildInfoFile') + 1];
      console.log('knew ' + (existsSync(file) ? readFileSync(file, 'utf8') : 'nothing'));
      writeFileSync(file, 'all');`,
    );
    write('node_modules/typescript/package.json', '{ "type": "commonjs" }');
    const cache = join(folder, 'shared');
    const types = (): Promise<Ended> =>
      runProgram(process.execPath, [join(folder, 'bin/test.mjs'), 'types'], { WHODUNIT_CACHE: cache });
    expect((await types()).stdout).toContain('\nknew nothing\nknew nothing\n');
    rmSync(join(folder, '.lab'), { recursive: true });
    expect((await types()).stdout).toContain('\nknew all\nknew all\n');
  });
});
