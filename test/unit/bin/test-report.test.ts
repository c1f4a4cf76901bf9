import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTestReport, renderTestTotals } from '../../../bin/test-report.mjs';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-test-report-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

type Row = Parameters<typeof renderTestTotals>[0][number];

const part = (more: Partial<Row>): Row => ({
  name: 'unit',
  seconds: 12.34,
  passed: 0,
  failed: 0,
  skipped: 0,
  failures: [],
  ...more,
});

/** The lines of a block of the end of `npm test`, which begins with this word. */
const blockOf = (text: string, head: string): string[] =>
  text
    .split('\n\n')
    .map((block) => block.trim().split('\n'))
    .find(([first = '']) => first.startsWith(head))
    ?.slice(1) ?? [];

describe('the slowest tests at the end of npm test', () => {
  const slowestOf = (...parts: readonly (readonly number[])[]): string[] => {
    const rows = parts.map((seconds, index) =>
      part({ tests: seconds.map((taken) => ({ name: `part ${index} takes ${taken}`, seconds: taken })) }),
    );
    return blockOf(renderTestTotals(rows), 'slowest');
  };

  it.each<readonly [string, readonly (readonly number[])[], readonly string[]]>([
    [
      'of all parts are together, the slowest first',
      [
        [0.2, 31],
        [4.04, 100],
      ],
      [
        '100.0 s  part 1 takes 100',
        '31.0 s  part 0 takes 31',
        '4.0 s  part 1 takes 4.04',
        '0.2 s  part 0 takes 0.2',
      ],
    ],
    ['are not there where none takes long', [[0.049, 0]], []],
    ['are those that take 50 ms', [[0.05, 0.0499]], ['0.1 s  part 0 takes 0.05']],
    ['are not there where nothing was measured', [[]], []],
  ])('%s', (_, parts, lines) => {
    expect(slowestOf(...parts).map((line) => line.trim())).toEqual([...lines]);
  });

  it('are ten at most', () => {
    const lines = slowestOf(Array.from({ length: 25 }, (_, index) => index + 1));
    expect(lines).toHaveLength(10);
    expect(lines.at(0)).toContain('takes 25');
    expect(lines.at(-1)).toContain('takes 16');
  });
});

describe('the end of npm test', () => {
  it('counts the parts, and names what failed near its last line', () => {
    const text = renderTestTotals([
      part({ passed: 3, skipped: 1 }),
      part({
        name: 'cli',
        seconds: 100,
        failed: 22,
        failures: Array.from({ length: 22 }, (_, index) => ({ name: `test ${index}`, why: 'it broke' })),
      }),
    ]);
    expect(blockOf(text, 'part')).toEqual([
      'unit           3       0       1      12.3 s',
      'cli            0      22       0     100.0 s',
    ]);
    const failed = blockOf(text, 'failed');
    expect(failed).toHaveLength(41);
    expect(failed.at(-1)).toBe('  and 2 more');
    expect(text.trimEnd().split('\n').slice(-3)).toEqual(['1 skipped', '', '3 passed, 22 failed']);
  });

  it('has each test of a report of vitest with its seconds, and why a file failed', () => {
    const path = join(folder, 'report.json');
    const file = (name: string, more: object): object => ({
      name: join(folder, name),
      status: 'passed',
      message: '',
      assertionResults: [],
      ...more,
    });
    const report = {
      numPassedTests: 2,
      numPendingTests: 1,
      numTodoTests: 1,
      testResults: [
        file('a.test.ts', {
          assertionResults: [
            { fullName: 'is fast', status: 'passed', duration: 1500, failureMessages: [] },
            {
              fullName: 'was void',
              status: 'passed',
              duration: 50,
              failureMessages: ['inconclusive\n  at x'],
            },
          ],
        }),
        file('b.test.ts', {
          status: 'failed',
          assertionResults: [
            { fullName: 'breaks', status: 'failed', failureMessages: ['\nit broke\n  at x'] },
          ],
        }),
        file('c.test.ts', { status: 'failed', message: 'no such module' }),
      ],
    };
    writeFileSync(path, JSON.stringify(report));
    const counts = readTestReport(path, 1, folder);
    expect(counts).toEqual({
      passed: 2,
      failed: 2,
      skipped: 2,
      failures: [
        { name: 'b.test.ts > breaks', why: 'it broke' },
        { name: 'c.test.ts', why: 'no such module' },
      ],
      repeated: [{ name: 'a.test.ts > was void', why: 'inconclusive' }],
      tests: [
        { name: 'a.test.ts > is fast', seconds: 1.5 },
        { name: 'a.test.ts > was void', seconds: 0.05 },
        { name: 'b.test.ts > breaks', seconds: 0 },
      ],
    });
    expect(blockOf(renderTestTotals([part(counts)]), 'passed when it was run again')).toEqual([
      '  a.test.ts > was void',
      '    inconclusive',
    ]);
  });

  it('says so where vitest has left no report, or fails without a failed test', () => {
    expect(readTestReport(join(folder, 'none.json'), 137, folder).failures).toEqual([
      { name: 'vitest', why: 'it ended with 137 and without a report' },
    ]);
    const path = join(folder, 'empty.json');
    writeFileSync(path, JSON.stringify({ numPassedTests: 1, numPendingTests: 0, testResults: [] }));
    expect(readTestReport(path, 1, folder).failures).toEqual([
      { name: 'vitest', why: 'it ended with 1, though no test failed' },
    ]);
  });
});
