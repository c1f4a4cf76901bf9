import { describe, expect, it } from 'vitest';
import type { CellResult, RunResult } from '../../../../lab/model/saved/formats.ts';
import { compareCells, compareRuns } from '../../../../lab/judge/compare/compare-cells.ts';
import { plainText } from '../../../../lab/model/text/plain-text.ts';
import { VERDICTS } from '../../../../lab/model/killers/killers.ts';
import { explainCell } from '../../../../lab/report/terminal/explain-cell.ts';
import { renderCellDiff, renderRunDiff } from '../../../../lab/report/terminal/render-diff.ts';
import { renderMarkdown } from '../../../../lab/report/markdown/render-markdown.ts';
import { renderRuns } from '../../../../lab/report/terminal/render-runs.ts';
import { renderSummary } from '../../../../lab/report/terminal/render-summary.ts';
import { createCell, createRunOf } from '../made-run.ts';

const FORGED = 'killer    memcg-oom, proven';

/** A cell with every field that a page prints, all of it as a stranger may have written it. */
function forgedCell(verdict: CellResult['verdict']): CellResult {
  const ref = { source: 'kmsg', at: '2026-04-12T10:00:00.000Z', file: 'node-1/kmsg.log', line: 1, text: 'x' };
  return createCell('forged', {
    verdict,
    note: 'a note',
    attribution: {
      killer: 'unknown',
      victim: 'eater',
      confidence: 'none',
      doubts: ['a doubt'],
      because: [ref],
      chain: [{ ...ref, step: 'cause' }],
      findings: [{ what: 'a finding', explained: false, because: [ref] }],
      excluded: [{ what: 'a killer', by: 'a reason' }],
      open: [{ what: 'another', why: 'a reason', wanted: 'a record' }],
    },
    claims: [{ layer: 'kernel', says: 'a claim', agrees: null }],
    mismatches: [{ field: 'reason', expected: 'this', observed: 'that' }],
    attempts: [{ verdict, killer: 'unknown', evidence: 'cells/run-1', note: 'why' }],
  });
}

/** Fields whose values are checked before anything is printed: a closed list, an id. */
const CHECKED = /\.(?:verdict|killer|layer|confidence|step|run|accelerator|variant\.\w+)$/;

/** Every text of a value, by its path. */
function textsOf(value: unknown, path = ''): string[] {
  if (typeof value === 'string') return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => textsOf(inner, `${path}.${name}`));
}

/** A copy in which one text ends with a line of its own. */
function forge<T>(value: T, path: string): T {
  const copy = structuredClone(value);
  const names = path.split('.').slice(1);
  let at = copy as Record<string, unknown>;
  for (const name of names.slice(0, -1)) at = at[name] as Record<string, unknown>;
  const last = names.at(-1) ?? '';
  at[last] = `${String(at[last])}\n${FORGED}\r\n${FORGED}\u2028${FORGED}`;
  return copy;
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
  const run = createRunOf(VERDICTS.map(forgedCell));
  const paths = textsOf(run).filter((path) => !CHECKED.test(path));

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
