import { describe, expect, it } from 'vitest';
import { waysToDieSchema } from '../../../../lab/model/declared/ways-to-die.ts';
import { findBlock } from '../../../../bin/docs/marked-block.ts';
import { parseWaysToDie } from '../../../../bin/docs/parse-ways-to-die.ts';
import { renderWays } from '../../../../bin/docs/render-ways.ts';
import type { ResultRow } from '../../../../bin/docs/result-row.ts';
import { configWith, readProjectText } from '../../project-files.ts';
import { tableOf } from './recorded-runs.ts';

const CONFIG = configWith();

function row(address: string, verdict: string, killer: string): ResultRow {
  return { address, date: '2025-01-01', verdict, killer, versions: {} };
}

/** What the table says of one way, after these cells were recorded. */
function told(way: object, ...rows: ResultRow[]): string | undefined {
  const { ways } = waysToDieSchema.parse({ formatVersion: 1, ways: [{ row: 1, name: 'x', ...way }] });
  return tableOf(renderWays(CONFIG, ways, rows), 'way to die')[0]
    ?.slice(2)
    .join(', ');
}

describe('the known ways to die', () => {
  const oom = { scenarios: ['oom-single-container'] };

  it.each([
    ['1 of 1', row('default/oom-single-container', 'passed', 'memcg-oom')],
    ['1 of 1', row('default/oom-single-container', 'failed', 'memcg-oom')],
    ['0 of 1', row('default/oom-single-container', 'failed', 'self-exit')],
    ['1 of 1', row('v1/oom-single-container[limit=64Mi]', 'passed', 'memcg-oom')],
    ['not run', row('default/oom-single-container', 'inconclusive', 'memcg-oom')],
    ['not run', row('default/oom-single-container', 'skipped', 'a rule')],
    ['not run', row('no-such-world/oom-single-container', 'passed', 'memcg-oom')],
    ['not run', row('default/plain-exit', 'passed', 'self-exit')],
  ])('are counted by the latest run of each cell: %s', (counted, recorded) => {
    expect(told(oom, recorded)).toBe(`\`oom-single-container\`, ${counted}`);
  });

  it.each([
    ['killer', { killer: 'none' }],
    ['way', { how: 'group-kill' }],
    ['runtime', { runtime: 'runsc' }],
  ])('leave out cells of another %s', (_, only) => {
    const recorded = row('default/oom-single-container', 'passed', 'memcg-oom');
    expect(told({ ...oom, only }, recorded)).toBe('`oom-single-container`, not run');
  });

  it('say why nobody stages one', () => {
    expect(told({ whyNot: 'no hardware | breaks' })).toBe('nobody: no hardware \\| breaks, -');
  });

  it('are in staged.md as they are declared now', () => {
    const block = findBlock(readProjectText('docs/measured/staged.md'), 'ways-to-die') ?? '';
    const ways = parseWaysToDie('docs/ways-to-die.yaml', readProjectText('docs/ways-to-die.yaml'));
    expect(tableOf(block, 'way to die').map(([number, name]) => [number, name])).toEqual(
      ways.map(({ row, name }) => [String(row), name]),
    );
  });
});
