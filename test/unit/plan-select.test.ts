import { describe, expect, it } from 'vitest';
import { AXES } from '../../lab/model/axes.ts';
import { UsageError } from '../../lab/model/errors.ts';
import { listSchema } from '../../lab/model/formats.ts';
import { parsePastTimings } from '../../lab/plan/estimate.ts';
import { planCells, toListResult } from '../../lab/plan/plan-cells.ts';
import { configWith, shippedText } from './project-files.ts';

const config = configWith();

const addresses = (...words: string[]): string[] =>
  planCells(config, words).cells.map((cell) => cell.address);
const skipped = (...words: string[]): string[] =>
  planCells(config, words).skipped.map((cell) => cell.address);

function messageOf(...words: string[]): string {
  try {
    planCells(config, words);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return '';
}

describe('selecting cells', () => {
  it('means the quick set without words', () => {
    expect(addresses()).toEqual(addresses('set=quick'));
    expect(addresses()).toHaveLength(config.scenarios.length);
  });

  it('adds up bare globs over scenario names, addresses and variants', () => {
    expect(addresses('oom-*', 'default/within-limits')).toEqual([
      'default/oom-single-container',
      'default/within-limits',
    ]);
    expect(addresses('default')).toEqual(addresses());
    expect(addresses('*oom*', 'oom-*')).toEqual(['default/cron-job-oom', 'default/oom-single-container']);
  });

  it('describes variants by axis, whether or not a set has them', () => {
    expect(addresses('cgroup=v1,v2', 'oom-*')).toEqual(['default/oom-single-container']);
    expect(skipped('cgroup=v1,v2', 'oom-*')).toEqual(['v1/oom-single-container']);
    expect(skipped('drivers=*', 'plain-exit')).toHaveLength(3);
    expect(skipped('kubernetes=1.29.14', 'plain-exit')).toEqual(['1.29.14/plain-exit']);
  });

  it('accepts a variant name or an address that is in no set', () => {
    expect(skipped('bullseye_1.22.17_v1/oom-*')).toEqual(['bullseye_1.22.17_v1/oom-single-container']);
    expect(skipped('v1')).toHaveLength(config.scenarios.length);
  });

  it('filters a named set by axis, tag and scenario', () => {
    expect(skipped('set=full', 'cgroup=v1', 'scenario=plain-exit')).toEqual([
      'v1/plain-exit',
      'bullseye_v1/plain-exit',
    ]);
    expect(addresses('tag=oom')).toEqual(['default/cron-job-oom', 'default/oom-single-container']);
  });

  it('reports a scenario that a variant does not support as skipped by its own requirement', () => {
    const path = 'scenarios/plain-exit/scenario.yaml';
    const changed = configWith({ [path]: `${shippedText(path)}\nrequires: { cgroup: [v1] }\n` });
    expect(planCells(changed, ['plain-exit']).skipped).toMatchObject([
      { address: 'default/plain-exit', rule: 'scenario-requires', reason: 'the scenario requires cgroup v1' },
    ]);
  });

  it('never loses a cell: each is run or skipped, once', () => {
    const words = AXES.slice(0, 6).map((axis) => `${axis}=*`);
    const plan = planCells(config, words);
    const all = [...plan.cells, ...plan.skipped].map((cell) => cell.address);
    const product = AXES.slice(0, 6).reduce((n, axis) => n * config.matrix.axes[axis].values.length, 1);
    expect(new Set(all).size).toBe(all.length);
    expect(all).toHaveLength(product * config.scenarios.length);
  });
});

describe('words that select nothing', () => {
  it('are all named in one error with the nearest names', () => {
    const message = messageOf('cgroup=v3', 'drivrs=*', 'scenario=plain-exits', 'set=quik', 'tag=ooom');
    expect(message).toMatch(/^5 problems/);
    for (const nearest of ['"v2"', '"drivers"', '"plain-exit"', '"quick"', '"oom"']) {
      expect(message).toContain(`did you mean ${nearest}?`);
    }
  });

  it('name a mistyped scenario or address', () => {
    expect(messageOf('oom-single-contaner')).toContain('did you mean "oom-single-container"?');
    expect(messageOf('default/plain-exits', 'nothing-like-it')).toMatch(
      /2 problems\n.*did you mean "default\/plain-exit"\?.*\n.*"nothing-like-it" matches no cell/,
    );
  });

  it('say so when each word is right but no cell has them all', () => {
    expect(messageOf('tag=cron', 'plain-exit')).toBe('no cell matches all of these words');
  });

  it('say that no scenario has a bug when none has', () => {
    expect(messageOf('bug=gvisor-1')).toContain('no scenario has one');
  });

  it('refuse an empty value', () => {
    expect(messageOf('cgroup=')).toContain('"cgroup=" has no value');
  });
});

describe('the plan', () => {
  it('is printed in the format of list --json', () => {
    const list = toListResult(planCells(config, ['set=full']));
    expect(listSchema.parse(list)).toEqual(list);
    expect(list.totals).toMatchObject({ cells: 5, skipped: list.skipped.length, worlds: 1, memoryMiB: 3072 });
    expect(list.cells[0]?.set).toEqual(['quick', 'full']);
  });

  it('estimates from the median of past runs, and survives a line cut short', () => {
    const line = (seconds: number): string => JSON.stringify({ kind: 'cell', name: 'plain-exit', seconds });
    const timings = parsePastTimings([line(10), line(900), line(12), '{"kind":"ce']);
    const [cell] = planCells(config, ['plain-exit'], timings).cells;
    expect(cell?.estimateSeconds).toBe(12);
    expect(planCells(config, ['plain-exit']).cells[0]?.estimateSeconds).not.toBe(12);
  });

  it('counts each world once', () => {
    const timings = parsePastTimings([
      JSON.stringify({ kind: 'world', name: 'default', seconds: 100 }),
      ...['plain-exit', 'within-limits'].map((name) => JSON.stringify({ kind: 'cell', name, seconds: 10 })),
    ]);
    expect(planCells(config, ['plain-exit', 'within-limits'], timings).estimateSeconds).toBe(120);
  });
});
