import { expect, it } from 'vitest';
import { searchTextOf } from '../../../../lab/report/page/search-text.ts';
import { createCell } from '../made-run.ts';

it.each([
  ['its address', 'default/oom'],
  ['values of axes', ' cgroup=v2 '],
  ['parameters', ' limit=64mi '],
  ['killer and verdict', ' verdict=failed killer=memcg-oom '],
  ['what did not hold', 'exitcode exit code 1 exit code 137'],
  ['what layers said', 'api oomkilled, exit 137'],
  ['its proof', 'kmsg killed process 812'],
  ['the title of its scenario', 'a container eats'],
  ['what was expected', 'memcg-oom'],
])('a cell is found by %s', (_, text) => {
  const cell = createCell('oom', {
    verdict: 'failed',
    parameters: { limit: '64Mi' },
    claims: [{ layer: 'api', says: 'OOMKilled, exit 137', agrees: true }],
    mismatches: [{ field: 'exitCode', expected: 'exit code 1', observed: 'exit code 137' }],
  });
  const asked = { title: 'A container eats', manifest: undefined, from: 'pod' } as const;
  expect(searchTextOf(cell, { asked })).toContain(text);
});

it('a cell is found by what is not excluded, and why', () => {
  const doubts = ['not excluded: a signal from outside (no trace of signals was given)'];
  const open = [
    { what: 'a signal from outside', why: 'no trace of signals was given', wanted: 'a trace of signals' },
  ];
  const cell = createCell('oom', {});
  const likely = { ...cell, attribution: { ...cell.attribution, doubts, open } };
  expect(searchTextOf(likely, {})).toContain('a signal from outside (no trace of signals was given)');
});

it('a cell that was skipped is not found by a killer', () => {
  const skipped = createCell('oom', { verdict: 'skipped', note: 'no kernel for it', expected: {} });
  expect(searchTextOf(skipped, {})).toContain('no kernel for it');
  expect(searchTextOf(skipped, {})).not.toContain('memcg-oom');
});
