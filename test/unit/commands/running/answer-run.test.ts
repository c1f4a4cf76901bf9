import { describe, expect, it } from 'vitest';
import { statusOfRun } from '../../../../lab/commands/running/answer-run.ts';
import { VERBS } from '../../../../lab/commands/line/verbs.ts';
import {
  EXIT_CODES,
  EXIT_MEANINGS,
  toExitCode,
  type ExitReason,
} from '../../../../lab/model/errors/exit-status.ts';
import type { Verdict } from '../../../../lab/model/killers/killers.ts';
import { readProjectText } from '../../project-files.ts';
import { createRun } from '../../report/made-run.ts';

/** Cells of these verdicts, and what the README says of them. */
const RUNS: readonly (readonly [readonly Verdict[], number])[] = [
  [[], 0],
  [['passed', 'skipped'], 0],
  [['passed', 'inconclusive'], 3],
  [['passed', 'inconclusive', 'failed'], 1],
  // --fail-fast: the others were not started.
  [['failed', 'inconclusive', 'interrupted'], 1],
  [['passed', 'interrupted'], 130],
];

describe('the exit code of a run', () => {
  it.each(RUNS)('of %j cells is %i', (verdicts, code) => {
    const result = createRun(Object.fromEntries(verdicts.map((verdict) => [verdict, {}])));
    expect(toExitCode(statusOfRun(result, false))).toBe(code);
    expect(toExitCode(statusOfRun(result, true))).toBe(130);
  });
});

/** Exit codes that any command can end with. */
const COMMON: readonly number[] = [EXIT_CODES.passed, EXIT_CODES.usage, EXIT_CODES.interrupted];

describe('the exit codes in README.md', () => {
  const [, section = ''] = readProjectText('README.md').split('\n## Exit codes\n');
  const [rows = ''] = section.split('\n## ');

  it('are all of the table, each once', () => {
    const codes = [...rows.matchAll(/^\| (\d+) +\|/gm)].map(([, code]) => code);
    expect(codes).toEqual(Object.keys(EXIT_MEANINGS));
  });

  it.each(VERBS.filter(({ name, exits }) => exits !== undefined && name !== 'run'))(
    'are said for $name',
    ({ name, exits = {} }) => {
      const row = rows.split('\n').find((line) => line.split('|')[1]?.includes(`\`${name}\``));
      const codes = Object.keys(exits).map((reason) => EXIT_CODES[reason as ExitReason]);
      for (const code of codes.filter((own) => !COMMON.includes(own)))
        expect(row, `exit code ${code}`).toMatch(new RegExp(`\\b${code}\\b`));
    },
  );
});
