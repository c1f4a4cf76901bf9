import { combineAttempts } from '../../../lab/judge/verdict/attempts.ts';
import { judgeRepro } from '../../../lab/judge/compare/judge-repro.ts';
import { DEFAULT_VARIANT, variantName } from '../../../lab/model/axes/axes.ts';
import { cellAddress } from '../../../lab/model/host/cell-address.ts';
import type { CellResult } from '../../../lab/model/saved/formats.ts';
import type { Verdict } from '../../../lab/model/killers/killers.ts';
import { getBug } from '../../../lab/plan/bugs/find-bug.ts';
import type { ReproCase } from '../../../lab/report/words/repro-case.ts';
import { configWith } from '../project-files.ts';

/** Drivers of the affected and of the fixed side of a bug. */
export const BAD = 'systemd+cgroupfs';
export const GOOD = 'systemd+systemd';

/** A cell of that bug. */
export function cell(
  drivers: string,
  killer: CellResult['attribution']['killer'],
  verdict: Verdict,
): CellResult {
  const variant = { ...DEFAULT_VARIANT, drivers };
  const address = cellAddress(variantName(variant), 'minute-survivor');
  return {
    address,
    variant,
    scenario: 'minute-survivor',
    verdict,
    expected: { killer, withinSeconds: 300 },
    attribution: {
      killer,
      victim: 'bystander/bystander pid 900 (sleeper)',
      confidence: 'proven',
      because: [
        {
          source: 'cgroup',
          at: '2026-11-20T10:01:01.000Z',
          file: 'node-1/witness.jsonl',
          line: 412,
          text: 'cgroup.subtree_control: cpu io ```memory``` | pids in /kubepods.slice',
        },
      ],
    },
    claims: [
      { layer: 'api', says: 'Completed, exit 0', agrees: true },
      { layer: 'kubelet', says: 'Killing: Stopping container bystander', agrees: null },
    ],
    mismatches:
      verdict === 'failed' ? [{ field: 'killer', expected: `killed by ${killer}`, observed: 'alive' }] : [],
    timings: { restoreMs: 1, deployMs: 1, verdictMs: 1, totalMs: 200_000 },
    evidence: `cells/${address}`,
    ...(verdict === 'inconclusive' ? { note: 'node-1/kmsg.log: cut short' } : {}),
  };
}

/** A repeated cell: `passed` of `of` runs ended as expected. */
export function repeated(drivers: string, passed: number, of: number): CellResult {
  const verdicts = Array.from({ length: of }, (_, index): Verdict => (index < passed ? 'passed' : 'failed'));
  return combineAttempts(
    verdicts.map((verdict) => cell(drivers, drivers === BAD ? 'kubelet-cgroup-missing' : 'none', verdict)),
    0,
  );
}

/** A reproduction of that bug. */
export function reproOf(affected: CellResult, fixed: CellResult): ReproCase {
  return {
    bug: getBug(configWith().bugs, 'driver-mismatch-kill-loop'),
    ...judgeRepro(affected, fixed, []),
    overrides: { affected: {}, fixed: {} },
    repeat: 1,
    cells: [
      {
        role: 'affected',
        cell: affected,
        facts: { kubelet: 'v1.34.2', kernel: '6.1.0-56', runc: '1.1.5' },
      },
      { role: 'fixed', cell: fixed, facts: { kubelet: 'v1.34.2', kernel: '6.1.0-56' } },
    ],
    run: { run: '1120-a1', startedAt: '2026-11-20T10:00:00.000Z', accelerator: 'tcg' },
  };
}
