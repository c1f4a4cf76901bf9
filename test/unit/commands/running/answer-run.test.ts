import { describe, expect, it } from 'vitest';
import { statusOfRun } from '../../../../lab/commands/running/answer-run.ts';
import { toExitCode } from '../../../../lab/model/errors/exit-status.ts';
import type { Verdict } from '../../../../lab/model/killers/killers.ts';
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
