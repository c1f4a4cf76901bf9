import { describe, expect, it } from 'vitest';
import type { RunResult } from '../../../../lab/model/saved/formats.ts';
import { compareCells, compareRuns } from '../../../../lab/judge/compare/compare-cells.ts';
import { plainText } from '../../../../lab/model/text/plain-text.ts';
import { VERDICTS } from '../../../../lab/model/killers/killers.ts';
import { explainCell } from '../../../../lab/report/terminal/explain-cell.ts';
import { renderCellDiff, renderRunDiff } from '../../../../lab/report/terminal/render-diff.ts';
import { renderMarkdown } from '../../../../lab/report/markdown/render-markdown.ts';
import { renderRuns } from '../../../../lab/report/terminal/render-runs.ts';
import { renderSummary } from '../../../../lab/report/terminal/render-summary.ts';
import { createFullCell, replaceText, textsOf } from '../full-cell.ts';
import { createCell, createRunOf } from '../made-run.ts';

const FORGED = 'killer    memcg-oom, proven';

/** Fields whose values are checked before anything is printed: a closed list, an id. */
const CHECKED = /\.(?:verdict|killer|layer|confidence|step|run|accelerator|variant\.\w+)$/;

/** A copy in which one text ends with a line of its own. */
function forge<T>(value: T, path: string): T {
  return replaceText(
    value,
    path.split('.').slice(1),
    (text) => `${text}\n${FORGED}\r\n${FORGED}\u2028${FORGED}`,
  );
}

const PAGES: Readonly<Record<string, (run: RunResult) => string>> = {
  why: ({ cells }) => cells.map((cell) => explainCell(cell)).join('\n'),
  report: renderSummary,
  markdown: renderMarkdown,
  'diff of runs': (run) => renderRunDiff(compareRuns(createRunOf([createCell('forged')]), run)),
  'diff of cells': (run) =>
    renderCellDiff(
      compareCells({ run: 'one', cell: createCell('forged') }, { run: 'two', cell: run.cells[0]! }),
    ),
  runs: ({ run, startedAt, totals, cells }) =>
    renderRuns({ formatVersion: 1, runs: [{ run, startedAt, totals, words: [cells[0]!.address] }] }),
};

describe('a saved run whose texts have lines of their own', () => {
  const run = createRunOf(VERDICTS.map((verdict) => createFullCell(verdict, 'forged')));
  const paths = textsOf(run)
    .map((path) => ['', ...path].join('.'))
    .filter((path) => !CHECKED.test(path));

  it('has many texts', () => {
    expect(paths.length).toBeGreaterThan(100);
  });

  it.each(Object.entries(PAGES))('begins no line of the page of %s', (_, render) => {
    const forged = paths.filter((path) =>
      // As it is printed (lab/commands/context/context.ts).
      plainText(render(forge(run, path)))
        .split('\n')
        .some((line) => line.startsWith(FORGED)),
    );
    expect(forged).toEqual([]);
  });

  it('is cut where it is longer than anybody reads', () => {
    const long = createRunOf([createCell('long', { note: 'y'.repeat(10_000_000), verdict: 'failed' })]);
    for (const render of [PAGES.why!, PAGES.report!]) expect(render(long).length).toBeLessThan(20_000);
  });
});

describe('a command that a page offers', () => {
  it('is one command, whatever a saved run calls its cell and its evidence', () => {
    const cell = createCell('x; touch /tmp/pwned #', {
      evidence: 'cells/$(touch /tmp/pwned)',
      verdict: 'failed',
    });
    expect(renderSummary(createRunOf([cell]))).toContain("whodunit why 'default/x; touch /tmp/pwned #'");
    expect(explainCell(cell)).toContain("less +41 'cells/$(touch /tmp/pwned)/node-1/kmsg.log'");
  });
});
