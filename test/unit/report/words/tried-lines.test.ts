import { describe, expect, it } from 'vitest';
import { readEvidence } from '../../../../lab/evidence/read-evidence.ts';
import { compareJudgements } from '../../../../lab/judge/compare/compare-judgements.ts';
import { judgeCell } from '../../../../lab/judge/verdict/judge-cell.ts';
import type { ShareBound } from '../../../../lab/model/declared/tries.ts';
import type { CellRecord } from '../../../../lab/model/evidence/observation.ts';
import { cellSchema, type CellResult } from '../../../../lab/model/saved/formats.ts';
import { renderJunit } from '../../../../lab/report/formats/render-junit.ts';
import { explainCell } from '../../../../lab/report/terminal/explain-cell.ts';
import { triedLines } from '../../../../lab/report/words/tried-lines.ts';
import { loadCapture } from '../../../fixtures/evidence/load-capture.ts';
import { renderBareHtml } from '../bare-report.ts';

/** The result of a captured cell of which two deaths are judged, one OOMKilled and one that could not start. */
function cellWith(shares?: ShareBound[]): CellResult {
  const { record, files } = loadCapture('tmpfs-oom-loop');
  const expected = { ...record.expected };
  delete expected.then;
  if (shares !== undefined) expected.shares = shares;
  const tried: CellRecord = { ...record, tries: { restarts: 2 }, expected };
  return cellSchema.parse({
    address: record.address,
    variant: record.variant,
    scenario: record.scenario,
    expected,
    evidence: `cells/${record.address}`,
    timings: { restoreMs: 1, deployMs: 1, verdictMs: 1, totalMs: 3 },
    ...judgeCell(tried, readEvidence(files, tried)),
  });
}

const LINES = [
  '2 of 2 deaths judged, 1 of them as expected',
  'killer container-init-oom: 1 of 2 (9.5 % to 90.5 % in the long run)',
  'killer memcg-oom: 1 of 2 (9.5 % to 90.5 % in the long run)',
  'reason OOMKilled: 1 of 2 (9.5 % to 90.5 % in the long run)',
  'reason StartError: 1 of 2 (9.5 % to 90.5 % in the long run)',
  'exit code 128: 1 of 2 (9.5 % to 90.5 % in the long run)',
  'exit code 137: 1 of 2 (9.5 % to 90.5 % in the long run)',
];

describe('the shares of a cell', () => {
  it('are lines, with what became of each bound', () => {
    const shares: ShareBound[] = [
      { killer: 'memcg-oom', atLeast: 0.05 },
      { reason: 'StartError', atMost: 0.5 },
      { exitCode: 128, atMost: 0.05 },
    ];
    expect(triedLines(cellWith(shares))).toEqual([
      ...LINES,
      'expected killer memcg-oom in at least 5 % of the deaths: settled, it holds',
      'expected reason StartError in at most 50 % of the deaths: not settled',
      'expected exit code 128 in at most 5 % of the deaths: settled, it does NOT hold',
    ]);
  });

  it('are none of a cell with one death', () => {
    const cell = cellWith();
    delete cell.tried;
    expect(triedLines(cell)).toEqual([]);
    expect(explainCell(cell)).not.toContain('deaths judged');
  });

  it('are on every page', () => {
    const cell = cellWith();
    const page = explainCell(cell);
    for (const line of LINES) expect(page).toContain(`\n  ${line}\n`);
    const run = {
      formatVersion: 1 as const,
      run: '0412-a1',
      startedAt: '2025-04-12T14:00:00.000Z',
      host: {},
      accelerator: 'kvm',
      totals: {},
      cells: [cell],
    };
    for (const text of [renderBareHtml(run as never), renderJunit(run as never)])
      for (const line of LINES) expect(text).toContain(line);
  });

  it('are in what the expectation says', () => {
    expect(explainCell(cellWith([{ killer: 'memcg-oom', atLeast: 0.05 }]))).toContain(
      'killer memcg-oom in at least 5 % of the deaths',
    );
  });

  it('are compared with saved ones', () => {
    const cell = cellWith();
    const before = { ...cell };
    delete before.tried;
    expect(compareJudgements(cell, cell)).toEqual([]);
    expect(compareJudgements(before, cell)).toContainEqual({
      field: 'shares of the killer',
      before: 'none',
      now: 'container-init-oom 1, memcg-oom 1',
    });
  });
});
