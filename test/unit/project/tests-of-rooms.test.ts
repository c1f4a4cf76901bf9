import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isNamedAs, stemOf, testsOf, TESTS_ELSEWHERE, TESTS_OF_MANY } from '../../../bin/tests-of-rooms.mjs';
import { PROJECT } from '../project-files.ts';

const FILES = execFileSync(
  'git',
  [
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    'lab',
    'provision',
    'stacks',
    'bin',
    'test/unit',
  ],
  { cwd: PROJECT, encoding: 'utf8' },
)
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(PROJECT, path)));
const isTest = (path: string): boolean => path.endsWith('.test.ts');
const CODE = FILES.filter((path) => !path.startsWith('test/') && /\.(?:ts|mts|mjs|js|go|sh)$/.test(path));
/** What a test of a room may be named after: its files, and the rooms in it. */
const NAMES = new Map<string, Set<string>>();
for (let path of CODE) {
  for (; path.includes('/'); path = dirname(path)) {
    const room = dirname(path).replace(/^lab(?:\/|$)/, '');
    NAMES.set(room, (NAMES.get(room) ?? new Set()).add(stemOf(path)));
  }
}

describe('the tests of a room', () => {
  const tests = FILES.filter((path) => isTest(path) && !path.startsWith('test/unit/project/'));

  it.each(tests)('%s is named after a file or a room at its place, or asks many rooms', (test) => {
    const names = NAMES.get(dirname(test).slice('test/unit/'.length)) ?? new Set();
    const isNamed = [...names].some((name) => isNamedAs(basename(test, '.test.ts'), name));
    expect(isNamed || test in TESTS_OF_MANY, 'rename it, or add a row to TESTS_OF_MANY').toBe(true);
  });

  it('are known of every file of code', () => {
    const untested = CODE.filter((path) => !path.startsWith('bin/') && testsOf(PROJECT, path).length === 0);
    expect(untested, 'add a row to TESTS_ELSEWHERE').toEqual([]);
  });

  it('are all there', () => {
    const paths = [...Object.entries(TESTS_ELSEWHERE).flat(2), ...Object.keys(TESTS_OF_MANY)];
    expect(paths.filter((path) => !existsSync(join(PROJECT, path)))).toEqual([]);
  });

  it.each([
    ['lab/judge/killer/hypotheses/seccomp.ts', ['test/unit/judge/killer/hypotheses/seccomp.test.ts']],
    ['lab/commands/verbs/why.ts', ['test/cli/why.test.ts']],
    ['lab/drivers/remote/send-entry.ts', ['test/cli/remote']],
    ['lab/case/facts/read-facts.ts', ['test/unit/case/facts.test.ts']],
    ['lab/evidence/bundle/redact-objects.ts', ['test/unit/commands/saved/save-autopsy.test.ts']],
    ['provision/workloads/pause/main.go', ['test/lab/go-programs.test.ts']],
    ['lab/judge/killer', ['test/unit/judge/killer']],
    ['README.md', []],
    ['lab/no-such-file.ts', []],
  ])('of %s are %j', (path, expected) => {
    expect(testsOf(PROJECT, path)).toEqual(expected);
  });

  it('of a file are those that begin with its name, unless they have the name of another one', () => {
    const tests = testsOf(PROJECT, 'lab/judge/killer/hypotheses/oom.ts').map((test) => basename(test));
    expect(tests).toContain('oom-by-hand.test.ts');
    expect(tests).toContain('oom.test.ts');
    expect(testsOf(PROJECT, 'lab/judge/measures/measures.ts').map((test) => basename(test))).toEqual([
      'measures-captures.test.ts',
      'measures.test.ts',
    ]);
  });
});
