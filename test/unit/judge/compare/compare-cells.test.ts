import { describe, expect, it } from 'vitest';
import { compareCells, compareRuns } from '../../../../lab/judge/compare/compare-cells.ts';
import { compareRecords } from '../../../../lab/judge/compare/compare-records.ts';
import type { CellResult, ChainStep } from '../../../../lab/model/saved/formats.ts';
import { createCell, createRunOf } from '../../report/made-run.ts';

const POD = '11fb4b18-aaaa-bbbb-cccc-0123456789ab';
const OTHER_POD = 'd06ed4b4-dddd-eeee-ffff-ba9876543210';

const step = (name: ChainStep['step'], seconds: number, text: string): ChainStep => ({
  step: name,
  source: 'trace',
  at: new Date(1_700_000_000_000 + seconds * 1000).toISOString(),
  file: 'node-1/witness.jsonl',
  line: 5,
  text,
});
const withChain = (chain: ChainStep[], changes: Partial<CellResult> = {}): CellResult => {
  const cell = createCell('oom', changes);
  return { ...cell, attribution: { ...cell.attribution, chain } };
};
const compare = (before: CellResult, now: CellResult) =>
  compareCells({ run: 'a', cell: before }, { run: 'b', cell: now });

describe('two records', () => {
  it('differ by path; items of a list are compared by their names', () => {
    const node = (name: string, runc: string) => ({ name, versions: { runc }, args: ['a', runc] });
    const before = { nodes: [node('node-1', '1.1'), node('node-2', '1.1')], gone: true };
    const now = { nodes: [node('node-2', '1.1'), node('node-1', '1.2')], more: null };
    expect(compareRecords(before, now)).toEqual([
      { field: 'nodes[node-1].versions.runc', before: '1.1', now: '1.2' },
      { field: 'nodes[node-1].args', before: '["a","1.1"]', now: '["a","1.2"]' },
      { field: 'gone', before: 'true', now: 'none' },
      { field: 'more', before: 'none', now: 'null' },
    ]);
  });
});

describe('two cells', () => {
  it('do not differ by pids, ids and lines of files', () => {
    const told = (pid: number, pod: string): CellResult => {
      const cell = createCell('oom', {
        claims: [{ layer: 'kernel', says: `killed pid ${pid} in /kubepods/pod${pod}`, agrees: true }],
      });
      return { ...cell, attribution: { ...cell.attribution, victim: `eater/eater pid ${pid} (eater)` } };
    };
    expect(compare(told(812, POD), told(955, OTHER_POD)).changes).toEqual([]);
    const [change] = compare(told(812, POD), createCell('oom')).changes;
    expect(change).toMatchObject({ part: 'judgement', field: 'victim' });
  });

  it('differ by variant, parameters, expectation, judgement, origin and what their nodes are', () => {
    const before = createCell('oom', { parameters: { limit: '64Mi' } });
    const now = createCell('oom', {
      variant: { ...before.variant, cgroup: 'v1' },
      parameters: { limit: '128Mi' },
      expected: { killer: 'none' },
      verdict: 'failed',
    });
    const nodes = (path: string, placement: string, runc: string) => ({
      nodes: [{ name: 'node-1', versions: { runc }, cgroups: { sandbox: { path, placement } } }],
    });
    const diff = compareCells(
      { run: 'a', cell: before, effective: nodes('/a', 'systemd', '1.1'), origin: { world: { key: '1' } } },
      { run: 'b', cell: now, effective: nodes('/b', 'systemd', '1.2'), origin: { world: { key: '2' } } },
    );
    expect(diff.changes.map(({ part, field }) => `${part} ${field}`)).toEqual([
      'variant cgroup',
      'parameters limit',
      'expected killer',
      'judgement verdict',
      'origin world.key',
      'effective nodes[node-1].versions.runc',
    ]);
  });

  it('have the same steps beside each other, with the time of each side, and the others alone', () => {
    const before = [
      step('signal', 0, 'SIGKILL to pid 812'),
      step('end', 0.5, 'pid 812 ended 4 ms after SIGKILL'),
    ];
    const now = [
      step('request', 10, 'Killing container'),
      step('signal', 40, 'SIGKILL to pid 77'),
      step('end', 41, 'pid 77 ended 21.4 ms after SIGKILL'),
    ];
    const { timeline } = compare(withChain(before), withChain(now));
    expect(timeline.map((row) => [row.step, row.before?.afterMs, row.now?.afterMs])).toEqual([
      ['request', undefined, 0],
      ['signal', 0, 30_000],
      ['end', 500, 31_000],
    ]);
  });

  it('keep every step, each side in the order of its times', () => {
    const one = [step('signal', 0, 'SIGTERM'), step('signal', 1, 'SIGKILL'), step('end', 2, 'ended')];
    const other = [step('signal', 3, 'SIGKILL'), step('end', 5, 'ended'), step('signal', 4, 'SIGTERM')];
    const { timeline } = compare(withChain(one), withChain(other));
    const texts = (side: 'before' | 'now') => timeline.flatMap((row) => row[side]?.text ?? []);
    expect(texts('before')).toEqual(['SIGTERM', 'SIGKILL', 'ended']);
    expect(texts('now')).toEqual(['SIGKILL', 'SIGTERM', 'ended']);
  });
});

describe('two runs', () => {
  it('differ by flips (verdict or killer changed), other answers, new and gone cells, and their hosts', () => {
    const killed = createCell('c');
    const before = createRunOf(
      [createCell('a'), createCell('b'), killed, createCell('d'), createCell('old')],
      {
        host: { cpus: 2 },
      },
    );
    const now = createRunOf(
      [
        createCell('a', { verdict: 'failed' }),
        createCell('b'),
        createCell('c', { attribution: { ...killed.attribution, killer: 'liveness-probe' } }),
        createCell('d', { attribution: { ...killed.attribution, confidence: 'likely' } }),
        createCell('new'),
      ],
      { host: { cpus: 4 }, run: 'later' },
    );
    expect(compareRuns(before, now)).toMatchObject({
      host: [{ field: 'cpus', before: '2', now: '4' }],
      flips: [
        { address: 'default/a', changes: [{ field: 'verdict', before: 'passed', now: 'failed' }] },
        { address: 'default/c', changes: [{ field: 'killer' }] },
      ],
      changed: [{ address: 'default/d', changes: [{ field: 'confidence' }] }],
      new: ['default/new'],
      gone: ['default/old'],
      same: 1,
    });
  });
});
