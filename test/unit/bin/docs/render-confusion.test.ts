import { describe, expect, it } from 'vitest';
import type { CellResult } from '../../../../lab/model/saved/formats.ts';
import { findBlock, replaceBlock } from '../../../../bin/docs/marked-block.ts';
import { renderConfusion as renderRows } from '../../../../bin/docs/render-confusion.ts';
import { toResultRow } from '../../../../bin/docs/result-row.ts';
import { pickLatestCells, type RecordedRun } from '../../../../lab/report/words/recorded-run.ts';
import { readProjectText } from '../../project-files.ts';
import { cell, run, tableOf } from './recorded-runs.ts';

/** The matrix of cells as runs record them. */
function renderConfusion(runs: readonly RecordedRun[]): string {
  return renderRows(pickLatestCells(runs).map(toResultRow));
}

function named(killer: CellResult['attribution']['killer'], confidence = 'proven'): Partial<CellResult> {
  return {
    attribution: { killer, confidence, victim: 'p/c', because: [] } as CellResult['attribution'],
  };
}

describe('the confusion matrix', () => {
  it('counts what was named for each staged cause, cgroup v2 and v1 apart', () => {
    const text = renderConfusion([
      run('a', '2025-01-01', [cell('default', 'oom'), cell('default', 'other'), cell('v1', 'oom')]),
    ]);
    expect(tableOf(text, 'staged | named on')).toEqual([
      [
        '`memcg-oom (container or pod level)`',
        '2 × `memcg-oom (pod level)`',
        '1 × `memcg-oom (pod level)`',
        '3 of 3',
      ],
    ]);
    expect(text).toContain(
      '3 staged in 3 cells, 3 named right, 0 wrong, 0 without a verdict; 0 cells skipped',
    );
    expect(text).toContain('Every staged cause was named right.');
    expect(text).toContain('of 2025-01-01 to 2025-01-01.');
  });

  it('shows another killer in bold and lists the cell with what was named', () => {
    const wrong = cell('default', 'oom', {
      ...named('external-signal'),
      verdict: 'failed',
      mismatches: [{ field: 'killer', expected: 'memcg-oom', observed: 'external-signal' }],
    });
    const text = renderConfusion([run('a', '2025-01-01', [wrong])]);
    expect(tableOf(text, 'staged | named on')[0]?.slice(1)).toEqual([
      '**1 × `external-signal`**',
      '-',
      '0 of 1',
    ]);
    expect(tableOf(text, 'verdict | why')).toEqual([
      [
        '`default/oom`',
        '`memcg-oom (container or pod level)`',
        '`external-signal`',
        'failed',
        'killer: expected memcg-oom, observed external-signal',
      ],
    ]);
  });

  it.each([
    ['level', { level: ['container'] }],
    ['way', { how: ['single-process'] }],
    ['victim', { victim: 'child' }],
  ])('does not take the right killer with another %s for right', (_, declared) => {
    const expected = { killer: 'memcg-oom', ...declared };
    const text = renderConfusion([run('a', '2025-01-01', [cell('default', 'oom', { expected })])]);
    expect(text).toContain('1 staged in 1 cells, 0 named right, 1 wrong');
  });

  it('counts a cell without a verdict as neither right nor wrong, even if the killer fits', () => {
    const open = cell('default', 'oom', {
      verdict: 'inconclusive',
      note: 'void, the machines were disturbed',
    });
    const text = renderConfusion([run('a', '2025-01-01', [open])]);
    expect(text).toContain('1 staged in 1 cells, 0 named right, 0 wrong, 1 without a verdict');
    expect(tableOf(text, 'verdict | why')[0]?.slice(2)).toEqual([
      '`memcg-oom (pod level, inconclusive)`',
      'inconclusive',
      'void, the machines were disturbed',
    ]);
  });

  it('lists a cell that failed although its killer was named right', () => {
    const failed = cell('default', 'oom', {
      verdict: 'failed',
      mismatches: [{ field: 'nobodyElseDies', expected: 'nobody', observed: 'etcd' }],
    });
    const text = renderConfusion([run('a', '2025-01-01', [failed])]);
    expect(text).toContain('1 staged in 1 cells, 1 named right');
    expect(tableOf(text, 'verdict | why')).toHaveLength(1);
  });

  it('takes the latest run that has a cell, in whatever order they are given', () => {
    const old = run('old', '2025-01-01', [cell('default', 'oom', named('unknown'))]);
    const latest = run('new', '2025-01-02', [cell('default', 'oom')]);
    for (const runs of [
      [old, latest],
      [latest, old],
    ])
      expect(renderConfusion(runs)).toContain('1 staged in 1 cells, 1 named right');
  });

  it('keeps what an earlier run found when a later one was interrupted before the cell', () => {
    const found = run('old', '2025-01-01', [cell('default', 'oom')]);
    const stopped = cell('default', 'oom', { ...named('unknown'), verdict: 'interrupted' });
    const runs = [found, run('new', '2025-01-02', [stopped])];
    expect(renderConfusion(runs)).toContain('1 staged in 1 cells, 1 named right');
  });

  it('counts every run of a repeated cell', () => {
    const attempt = { verdict: 'passed', killer: 'memcg-oom', evidence: 'x' } as const;
    const attempts = [attempt, attempt, { ...attempt, verdict: 'failed', killer: 'none' } as const];
    const text = renderConfusion([run('a', '2025-01-01', [cell('default', 'oom', { attempts })])]);
    expect(tableOf(text, 'staged | named on')[0]?.slice(1)).toEqual([
      '2 × `memcg-oom`<br>**1 × `none`**',
      '-',
      '2 of 3',
    ]);
  });

  it('leaves skipped cells out and says how many', () => {
    const skipped = cell('v1', 'oom', { verdict: 'skipped', note: 'a rule' });
    const text = renderConfusion([run('a', '2025-01-01', [cell('default', 'oom'), skipped])]);
    expect(text).toContain(
      '1 staged in 1 cells, 1 named right, 0 wrong, 0 without a verdict; 1 cells skipped',
    );
  });
});

describe('a block of a page', () => {
  const page =
    'before\n\n<!-- begin x: written by `npm run docs`, not by hand -->\n\nold\n\n<!-- end x -->\n\nafter\n';

  it('is replaced alone', () => {
    const next = replaceBlock(page, 'x', 'new $& text');
    expect(findBlock(next, 'x')).toBe('new $& text');
    expect(next.replace('new $& text', 'old')).toBe(page);
  });

  it('must be there once', () => {
    expect(() => replaceBlock('no block', 'x', 'new')).toThrow('exactly one block "x"');
    expect(() => replaceBlock(page + page, 'x', 'new')).toThrow('exactly one block "x"');
  });
});

describe('docs', () => {
  it('staged.md has the confusion matrix, and its counts add up', () => {
    const block = findBlock(readProjectText('docs/measured/staged.md'), 'confusion-matrix') ?? '';
    const [, staged, right] = /(\d+) staged in \d+ cells, (\d+) named right/.exec(block) ?? [];
    const rows = tableOf(block, 'named on cgroup v2').map((row) => /(\d+) of (\d+)/.exec(row[3] ?? ''));
    expect(rows.length).toBeGreaterThan(0);
    const sum = (place: number): number => rows.reduce((total, row) => total + Number(row?.[place]), 0);
    expect([sum(2), sum(1)]).toEqual([Number(staged), Number(right)]);
  });
});
