import { describe, expect, it } from 'vitest';
import { judgeRepro } from '../../../../lab/judge/compare/judge-repro.ts';
import { cellSchema, type CellResult, type RunResult } from '../../../../lab/model/saved/formats.ts';
import { explainCell } from '../../../../lab/report/terminal/explain-cell.ts';
import { measureLines } from '../../../../lab/report/words/measure-lines.ts';
import { renderJunit } from '../../../../lab/report/formats/render-junit.ts';
import { renderRepro } from '../../../../lab/report/terminal/render-repro.ts';
import { renderReproMarkdown } from '../../../../lab/report/markdown/render-repro-markdown.ts';
import type { ReproCase } from '../../../../lab/report/words/repro-case.ts';
import { renderSparkline } from '../../../../lab/report/text/sparkline.ts';
import { judgeCapture, loadCapture } from '../../../fixtures/evidence/load-capture.ts';
import { bound, everySecond, toldSamples } from '../../../fixtures/evidence/samples.ts';
import { configWith } from '../../project-files.ts';
import { renderBareHtml } from '../bare-report.ts';

/** A cell in which so many zombies were added each second. */
function cellWith(perSecond: number, given: Parameters<typeof bound>[0]): CellResult {
  const capture = toldSamples(
    everySecond((second) => `zombies ${(second - 3) * perSecond}`),
    [bound(given)],
  );
  const { record } = capture;
  const timings = { restoreMs: 1, deployMs: 1, verdictMs: 1, totalMs: 30_000 };
  return cellSchema.parse({
    address: `default/story[rate=${perSecond}]`,
    variant: record.variant,
    scenario: 'story',
    timings,
    expected: { ...record.expected },
    evidence: 'cells/default/story',
    ...judgeCapture(capture),
  });
}

const BAD = cellWith(1, { statistic: 'slope', atMost: 3 });
const GOOD = cellWith(0, { statistic: 'slope', atMost: 3 });

describe('a sparkline', () => {
  it('goes from the lowest bar to the highest, and is no wider than its room', () => {
    expect(renderSparkline([0, 1, 2, 3, 4, 5, 6, 7])).toBe('▁▂▃▄▅▆▇█');
    expect(renderSparkline([5, 5, 5])).toBe('▁▁▁');
    expect(renderSparkline([])).toBe('');
    expect(renderSparkline(Array.from({ length: 1000 }, (_, index) => (index === 500 ? 9 : 0)))).toMatch(
      /^▁{20}█▁{19}$/,
    );
  });
});

describe('what was measured is told', () => {
  it('by why: a curve, its figures, its bound with the reason, and its lines', () => {
    const text = explainCell(BAD);
    expect(text).toContain('measured\n  zombies  ▁');
    expect(text).toContain('node-1/samples.jsonl:2 to :27');
    expect(text).toContain(
      '26 times: last 26, largest 26, median 13.5 (8 to 19 with 95 %), slope 60 a minute\n' +
        '    slope 60 a minute, expected at most 3 a minute: does NOT hold\n      because one orphan a second',
    );
    expect(text).toContain(
      'expected  measures.zombies: slope at most 3 a minute\nobserved  measures.zombies: slope 60 a minute',
    );
    expect(explainCell(GOOD)).toContain('slope of zombies at most 3 a minute: all of it holds');
  });

  it('by one line when it is one number', () => {
    const [line, next] = measureLines(judgeCapture(loadCapture('slow-pull')));
    expect(line).toMatch(/^ {2}pull-s {2}once: 2\.91 s {2}events\.jsonl:\d+$/);
    expect(next).toBe('    last 2.91 s, expected at most 10 s: holds');
  });

  it('by one line for all that no sampler said and nobody expected', () => {
    const [zombies] = BAD.measures ?? [];
    if (zombies === undefined) throw new Error('no measure');
    const silent = { ...zombies, n: 0, points: [], bounds: [] };
    const measures = [silent, zombies, { ...silent, measure: 'pids' as const }];
    const lines = measureLines({ measures });
    expect(lines.at(-1)).toBe('  nothing was measured of zombies, pids');
    expect(lines.slice(0, -1)).toEqual(measureLines({ measures: [zombies] }));
    // What was expected of it stands by itself: the cell is not decided without it.
    expect(measureLines({ measures: [{ ...zombies, n: 0, points: [] }] }).join()).toContain(
      'expected at most',
    );
  });

  const run: RunResult = {
    formatVersion: 1,
    run: 'r',
    startedAt: '2025-10-09T08:53:20Z',
    host: {},
    accelerator: 'tcg',
    totals: { passed: 1, failed: 1, inconclusive: 0, skipped: 0, interrupted: 0 },
    cells: [BAD, GOOD],
  };

  it('by the HTML report: a curve of its own, and which bound is broken', () => {
    const page = renderBareHtml(run);
    expect(page).toMatch(/<svg\s+class="curve"/);
    expect(page.match(/<path class="line" d="M[\dL.,]+"/g)).toHaveLength(2);
    expect(page.match(/class="tick"/g)?.length).toBeGreaterThan(8);
    expect(page).toContain('aria-label="zombies over 25 s"');
    expect(page.match(/class="broken"/g)).toHaveLength(1);
    expect(page).toContain('href="cells/default/story/node-1/samples.jsonl"');
  });

  it('by JUnit', () => {
    expect(renderJunit(run)).toContain(
      'measure zombies: slope 60 a minute, expected at most 3 a minute: does NOT hold node-1/samples.jsonl:2 to :27',
    );
  });
});

describe('the two sides of a bug', () => {
  const affected = cellWith(1, { statistic: 'slope', atLeast: 30 });
  const compare = [
    { measure: 'zombies', statistic: 'slope', ratioAtLeast: 10, reason: 'none is left' },
  ] as const;

  it('are compared: any number is many times nothing', () => {
    expect(judgeRepro(affected, GOOD, [], compare)).toMatchObject({
      outcome: 'reproduced',
      compared: [{ affected: 60, fixed: 0, holds: true }],
    });
    const near = cellWith(0.5, { statistic: 'slope', atMost: 40 });
    expect(judgeRepro(affected, near, [], compare)).toMatchObject({
      outcome: 'not-reproduced',
      note: 'the two are too near: slope of zombies 60 a minute beside 30 a minute, at least 10 times as much wanted',
    });
    expect(judgeRepro(GOOD, GOOD, [], compare).outcome).toBe('not-reproduced');
  });

  it('are open when one of them has no such number', () => {
    const without = { ...GOOD, measures: [] };
    expect(judgeRepro(affected, without, [], compare)).toMatchObject({
      outcome: 'inconclusive',
      compared: [{ holds: null }],
    });
  });

  it('are told side by side, with figures, also where the bug itself compares nothing', () => {
    const judged = judgeRepro(affected, GOOD, [], compare);
    expect(judgeRepro(affected, GOOD, []).note).toContain('slope zombies 60 a minute beside 0 a minute');
    const repro: ReproCase = {
      bug: { ...configWith().bugs[0]!, compare: [...compare] },
      ...judged,
      run: undefined,
      overrides: { affected: {}, fixed: {} },
      repeat: 1,
      cells: [
        { role: 'affected', cell: affected, facts: {} },
        { role: 'fixed', cell: GOOD, facts: {} },
      ],
    };
    const markdown = renderReproMarkdown(repro);
    expect(markdown).toMatch(/\| `zombies` +\| 26 times: last 26.*\| 26 times: last 0/);
    expect(markdown).toContain(
      '- slope of zombies 60 a minute beside 0 a minute, at least 10 times as much wanted, because none is left',
    );
    expect(markdown).toContain(
      '- measure zombies: slope 60 a minute, expected at least 30 a minute: holds node-1/samples.jsonl:2 to :27',
    );
    expect(renderRepro(repro)).toMatch(/^zombies +slope 60 a minute, expected at least 30/m);
  });
});
