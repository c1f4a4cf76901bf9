import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatBlock } from '../../../../bin/format-block.ts';
import { readLines } from '../../../../lab/drivers/files/files.ts';
import { findBlock } from '../../../../bin/docs/marked-block.ts';
import { pickLatestCells, type RecordedRun } from '../../../../lab/report/words/recorded-run.ts';
import { renderResultsPage } from '../../../../bin/docs/render-results-page.ts';
import { renderResultsIndex } from '../../../../bin/docs/render-results-index.ts';
import { renderResults } from '../../../../bin/docs/render-results.ts';
import {
  joinResultRows,
  parseResultRows,
  pickFound,
  toResultRow,
  type ResultRow,
} from '../../../../bin/docs/result-row.ts';
import { PROJECT, readProjectText } from '../../project-files.ts';
import { cell, run, tableOf } from './recorded-runs.ts';

describe('the tables of results', () => {
  const rowsOf = (...runs: RecordedRun[]): ResultRow[] => pickLatestCells(runs).map(toResultRow);

  it('have versions as read back, the killer, and the times of world and cell', () => {
    const skipped = cell('v1', 'oom', { verdict: 'skipped', note: 'pods cannot start; seen: line 3' });
    const text = renderResults(rowsOf(run('a', '2025-01-01', [skipped, cell('default', 'oom')])));
    const [first] = tableOf(text, 'world up');
    const [second] = tableOf(text.slice(text.indexOf('<code>v1</code>')), 'world up');
    const killer = '`memcg-oom` (pod level, group-kill)';
    expect(first).toEqual(['`oom`', 'passed', killer, '3m 20s, built', '8.4 s', '`a`']);
    expect(second).toEqual(['`oom`', 'skipped', 'pods cannot start (seen in this run)', '-', '-', '`a`']);
    expect(text).toMatch(
      /^<details>\n<summary><code>default<\/code>: 1 passed<\/summary>\n\nkernel 6\.1\.0-9, systemd 252, kubelet 1\.34\.2, .*runc 1\.1\.5\n/,
    );
    expect(text).toContain('Made good by the kubelet itself: by the runtime');
  });

  it('have no cells that a rule kept out of the run', () => {
    const note = 'scenario-requires: the scenario requires runtime runc*';
    const kept = cell('crun', 'oom', { verdict: 'skipped', note });
    const seen = cell('v1', 'oom', { verdict: 'skipped', note: 'pods cannot start; seen: line 3' });
    const found = pickFound([
      run('a', '2025-01-01', [seen, cell('default', 'oom')]),
      run('b', '2025-01-02', [kept, cell('default', 'oom', { verdict: 'skipped', note })]),
    ]);
    expect(found.map(({ cell: { address, verdict } }) => [address, verdict])).toEqual([
      ['default/oom', 'passed'],
      ['v1/oom', 'skipped'],
    ]);
  });

  it('have how often a repeated cell ended as expected', () => {
    const failing = { low: 0.00888, high: 0.23613, method: 'wilson-95' as const };
    const repeated = cell('default', 'oom', { rate: { passed: 19, of: 20, tolerate: 0.5, failing } });
    const [[, verdict] = []] = tableOf(renderResults(rowsOf(run('a', '2025-01-01', [repeated]))), 'world up');
    expect(verdict).toBe('passed: 19 of 20 runs as expected, 0.9 to 23.6 % otherwise (Wilson, 95 %)');
  });

  it('keep what earlier runs found, and take the later of two', () => {
    const before = rowsOf(run('a', '2025-01-01', [cell('default', 'oom'), cell('default', 'other')]));
    const after = rowsOf(run('b', '2025-01-02', [cell('default', 'oom', { verdict: 'failed' })]));
    for (const rows of [
      [...before, ...after],
      [...after, ...before],
    ])
      expect(joinResultRows(rows).map(({ address, run: id, verdict }) => [address, id, verdict])).toEqual([
        ['default/oom', 'b', 'failed'],
        ['default/other', 'a', 'passed'],
      ]);
  });

  it('keep what was observed when a later run could not observe it', () => {
    const inconclusive = cell('default', 'oom', { verdict: 'inconclusive' });
    const [first, blind] = [
      run('a', '2025-01-01', [cell('default', 'oom')]),
      run('b', '2025-01-02', [inconclusive]),
    ];
    expect(rowsOf(first, blind).map(({ run: id }) => id)).toEqual(['a']);
    expect(joinResultRows([...rowsOf(blind), ...rowsOf(first)]).map(({ run: id }) => id)).toEqual(['a']);
    expect(rowsOf(blind)).toMatchObject([{ verdict: 'inconclusive', run: 'b' }]);
  });

  it('are what the recorded rows say: else run `npm run docs`', async () => {
    const page = join(PROJECT, 'docs/measured/results.md');
    const rows = parseResultRows(readLines(join(PROJECT, 'docs/measured/results.jsonl')));
    expect(rows).toEqual(joinResultRows(rows));
    expect(findBlock(readProjectText('docs/measured/results.md'), 'results')).toBe(
      await formatBlock(renderResultsIndex(rows), page),
    );
    const ends = findBlock(readProjectText('docs/measured/who-gets-killed.md'), 'ends') ?? '';
    expect(readProjectText('docs/measured/results.html')).toBe(renderResultsPage(rows, ends));
  });
});
