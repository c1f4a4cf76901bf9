import { describe, expect, it } from 'vitest';
import { codeForGitBisect, codeOfError } from '../../../../lab/commands/running/exit-for.ts';
import type { ExitReason } from '../../../../lab/model/errors/exit-status.ts';
import type { RunResult } from '../../../../lab/model/saved/formats.ts';

const resultOf = (passed: number): RunResult => ({
  formatVersion: 1,
  run: 'a-run',
  startedAt: '2026-01-01T00:00:00.000Z',
  host: { hostname: 'host', kernel: '6.1', cpus: 2, memoryMiB: 1 },
  accelerator: 'tcg',
  totals: { passed, failed: 0, inconclusive: 0, skipped: 0, interrupted: 0 },
  cells: [],
});

describe('exit codes for git bisect', () => {
  it.each<[ExitReason, number, number]>([
    ['passed', 1, 0],
    ['passed', 0, 125],
    ['failed', 0, 1],
    ['inconclusive', 1, 125],
    ['interrupted', 1, 255],
  ])('%s with %i passed cells is %i', (status, passed, code) => {
    expect(codeForGitBisect({ status, json: resultOf(passed) })).toBe(code);
  });

  it('skips what a dry run only planned: its totals are of the plan', () => {
    const totals = { cells: 1, skipped: 0, worlds: 1, estimateSeconds: 30, memoryMiB: 3072 };
    expect(codeForGitBisect({ status: 'passed', json: { totals } })).toBe(125);
  });

  it('stops at an error: git would take it for a bad commit', () => {
    expect(codeOfError(['run', '--exit-for', 'git-bisect'], 2)).toBe(255);
    expect(codeOfError(['run'], 2)).toBe(2);
  });
});
