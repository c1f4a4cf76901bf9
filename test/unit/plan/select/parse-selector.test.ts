import { describe, expect, it } from 'vitest';
import { AXES } from '../../../../lab/model/axes/axes.ts';
import { listSchema } from '../../../../lab/model/saved/formats.ts';
import { toListResult } from '../../../../lab/plan/cells/list-result.ts';
import { planCells } from '../../../../lab/plan/cells/plan-cells.ts';
import { configWith, shippedText } from '../../project-files.ts';
import { addressesOf, messageOf } from '../plan-words.ts';

const config = configWith();

const addresses = (...words: string[]): string[] => addressesOf(config, words);
const skipped = (...words: string[]): string[] =>
  planCells(config, words).skipped.map((cell) => cell.address);

const refusalOf = (...words: string[]): string => messageOf(() => planCells(config, words));

describe('selecting cells', () => {
  it('means the quick set without words', () => {
    expect(addresses()).toEqual(addresses('set=quick'));
    const quick = config.matrix.sets['quick']?.blocks.flatMap(({ scenarios }) => scenarios) ?? [];
    expect(addresses()).toEqual(quick.map((name) => `default/${name}`).sort());
  });

  it('adds up bare globs over scenario names, addresses and variants', () => {
    expect(addresses('oom-single-*', 'default/within-limits')).toEqual([
      'default/oom-single-container',
      'default/within-limits',
    ]);
    expect(addresses('cron-job-o*', 'cron-*')).toEqual(['default/cron-job-oom']);
  });

  it('chooses among all scenarios, on the default variant', () => {
    const all = config.scenarios
      .filter(({ scenario }) => scenario.requires === undefined)
      .map(({ scenario }) => `default/${scenario.name}`);
    for (const word of ['default', 'default/*', '*', 'scenario=*']) {
      expect(addresses(word), word).toEqual(expect.arrayContaining(all));
    }
    expect(addresses('oom-child-group')).toEqual(['default/oom-child-group']);
    expect(addresses('tag=overcommit').length).toBeGreaterThan(1);
  });

  it('describes variants by axis, whether or not a set has them', () => {
    expect(addresses('cgroup=v1,v2', 'plain-exit')).toEqual(['default/plain-exit', 'v1/plain-exit']);
    expect(addresses('drivers=*', 'plain-exit')).toHaveLength(4);
    expect(addresses('drivers=systemd+*', 'plain-exit')).toHaveLength(2);
    expect(addresses('kubernetes=1.29.14,1.3?', 'plain-exit')).toEqual([
      'default/plain-exit',
      '1.29.14/plain-exit',
      '1.31/plain-exit',
      '1.35/plain-exit',
      '1.36/plain-exit',
      '1.37/plain-exit',
    ]);
    expect(skipped('containerd=1.5.11', 'plain-exit')).toEqual(['containerd-1.5.11/plain-exit']);
  });

  it('describes variants of local builds', () => {
    expect(addresses('runtime=runsc@file:./out/runsc', 'plain-exit')).toEqual([
      'runsc@file:.%2Fout%2Frunsc/plain-exit',
    ]);
    expect(addresses('runsc@file:.%2Fout%2Frunsc/plain-exit')).toHaveLength(1);
  });

  it('accepts a variant name or an address that is in no set', () => {
    expect(addresses('bullseye_1.22.17_v1/plain-*')).toEqual(['bullseye_1.22.17_v1/plain-exit']);
    const everywhere = config.scenarios.filter(({ scenario }) => scenario.requires === undefined);
    const found = addresses('1.29.14_v1');
    for (const { scenario } of everywhere) expect(found).toContain(`1.29.14_v1/${scenario.name}`);
  });

  it('filters a named set by axis, tag and scenario', () => {
    expect(addresses('set=full', 'os=bullseye', 'scenario=plain-exit')).toEqual([
      'bullseye_1.22/plain-exit',
      'bullseye_1.22_v1/plain-exit',
    ]);
    expect(addresses('tag=signal')).toContain('default/sigkill-from-node');
    expect(addresses('tag=signal')).not.toContain('default/plain-exit');
  });

  it('moves a named set to another variant, on axes that it does not vary', () => {
    const moved = addresses('set=deaths', 'kubernetes=1.37', 'containerd=2.4.2');
    expect(moved).toContain('1.37_containerd-2.4.2/oom-exec');
    expect(moved).toContain('1.37_containerd-2.4.2_tight/pids-limit');
    const cells = (words: string[]): number => {
      const { cells: chosen, skipped: refused } = planCells(config, words);
      return chosen.length + refused.length;
    };
    expect(cells(['set=deaths', 'kubernetes=1.37', 'containerd=2.4.2'])).toBe(cells(['set=deaths']));
    expect(cells(['set=deaths', 'kubernetes=1.36,1.37'])).toBe(2 * cells(['set=deaths']));
    expect(addresses('set=deaths', 'kubernetes=1.37', 'knobs=tight').toSorted()).toEqual(
      ['eviction-memory-hard', 'node-shutdown', 'pids-limit'].map((name) => `1.37_tight/${name}`),
    );
    expect(addresses('set=deaths', 'kubernetes=1.34')).toEqual(addresses('set=deaths'));
  });

  it('counts the cells of a set that is moved to too many variants', () => {
    const axes = ['os', 'kernel', 'kubernetes', 'containerd', 'runtime'].map((axis) => `${axis}=*`);
    expect(refusalOf('set=deaths', ...axes)).toMatch(
      /these words select .* cells \(os \d+ x .* x 78 cells\)/,
    );
  });

  it('means the cells of a bug: its sides, its controls, its table', () => {
    const sides = ['default[file=deleted]', 'default[cure=drop-caches]', 'sid', 'default'];
    expect(addresses('bug=dying-memory-cgroups').toSorted()).toEqual(
      sides.map((side) => side.replace(/(?=\[|$)/, '/dying-cgroups')).toSorted(),
    );
    const mismatch = addresses('bug=driver-mismatch-*');
    expect(mismatch.slice(0, 2)).toEqual(['default/minute-survivor', 'cgroupfs+cgroupfs/minute-survivor']);
    expect(mismatch).toContain('1.36_systemd+cgroupfs_containerd-2.1.4/minute-survivor');
    expect(addresses('bug=driver-mismatch-*', 'v1_*')).toHaveLength(3);
  });

  it('means the scenario of a bug beside axes and sets', () => {
    expect(addresses('drivers=systemd+cgroupfs', 'bug=driver-mismatch-*')).toEqual([
      'systemd+cgroupfs/minute-survivor',
    ]);
    expect(addresses('set=full', 'bug=gvisor-oom-reported-as-error')).toEqual(
      addresses('set=full', 'scenario=sandbox-limit'),
    );
  });

  it('reports a scenario that a variant does not support as skipped by its own requirement', () => {
    const path = 'scenarios/plain-exit/scenario.yaml';
    const changed = configWith({ [path]: `${shippedText(path)}\nrequires: { cgroup: [v1] }\n` });
    expect(planCells(changed, ['plain-exit']).skipped).toMatchObject([
      { address: 'default/plain-exit', rule: 'scenario-requires', reason: 'the scenario requires cgroup v1' },
    ]);
  });

  it('reads facts and comparators in what a scenario requires and expects', () => {
    const path = 'scenarios/plain-exit/scenario.yaml';
    const more = "requires: { kubernetes: ['>=1.32'], containerdVersion: ['<2.0'] }\n";
    const changed = configWith({
      [path]: `${shippedText(path)}\n${more}variants: [{ when: { systemdVersion: ['>=257'] }, expect: { exitCode: [4] } }]\n`,
    });
    const plan = planCells(changed, ['kubernetes=1.31,1.34', 'os=bookworm,trixie,sid', 'plain-exit']);
    expect(plan.cells.map(({ address, outcome }) => [address, outcome.exitCode])).toEqual([
      ['default/plain-exit', [3]],
      ['trixie/plain-exit', [4]],
    ]);
    expect(plan.skipped.map(({ reason }) => reason)).toContain(
      'the scenario requires kubernetes >=1.32 and containerdVersion <2.0',
    );
  });

  it('never loses a cell: each is run or skipped, once', () => {
    const words = AXES.slice(0, 6).map((axis) => `${axis}=*`);
    const plan = planCells(config, [...words, 'plain-exit']);
    const all = [...plan.cells, ...plan.skipped].map((cell) => cell.address);
    const product = AXES.slice(0, 6).reduce((n, axis) => n * config.matrix.axes[axis].values.length, 1);
    expect(new Set(all).size).toBe(all.length);
    expect(all).toHaveLength(product);
  });
});

describe('words that select nothing', () => {
  it('are all named in one error with the nearest names', () => {
    const message = refusalOf('cgroup=v3', 'drivrs=*', 'scenario=plain-exits', 'set=quik', 'tag=ooom');
    expect(message).toMatch(/^5 problems/);
    for (const nearest of ['"v2"', '"drivers"', '"plain-exit"', '"quick"', '"oom"']) {
      expect(message).toContain(`did you mean ${nearest}?`);
    }
  });

  it('name a mistyped scenario or address', () => {
    expect(refusalOf('oom-single-contaner')).toContain('did you mean "oom-single-container"?');
    expect(refusalOf('default/plain-exits', 'nothing-like-it')).toMatch(
      /2 problems\n.*did you mean "default\/plain-exit"\?.*\n.*"nothing-like-it" matches no cell/,
    );
  });

  it('name the part of an address that is no value', () => {
    expect(refusalOf('1.33')).toContain('(did you mean an exact kubernetes, like 1.29.14?)');
    expect(refusalOf('1.33_v1/plain-exit')).toBe(
      '"1.33_v1/plain-exit" matches no cell: "1.33" is not a value of any axis (did you mean an exact kubernetes, like 1.29.14?)',
    );
    expect(refusalOf('defalt/plain-exit')).toContain('did you mean "default"?');
  });

  it('say so when each word is right but no cell has them all', () => {
    expect(refusalOf('tag=cron', 'plain-exit')).toBe('no cell matches all of these words');
  });

  it('refuse more cells than a plan holds, counted before one is made', () => {
    const all = AXES.map((axis) => `${axis}=*`);
    const startedAt = performance.now();
    const message = refusalOf(...all);
    // Expanding them takes minutes, if memory lasts.
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    const product = AXES.reduce((n, axis) => n * config.matrix.axes[axis].values.length, 1);
    const told = Number(/select ([\d,]+) cells/.exec(message)?.[1]?.replaceAll(',', ''));
    expect(told).toBe(product * config.scenarios.length);
    expect(message).toContain('a plan holds 200,000: name a scenario, fewer values, or a set');
    expect(refusalOf(...all, 'plain-exit')).toContain('x 1 scenario)');
  });

  it('refuse an empty value', () => {
    expect(refusalOf('cgroup=')).toContain('"cgroup=" has no value');
  });
});

describe('the plan', () => {
  it('is printed in the format of list --json, every axis value in it', () => {
    const list = toListResult(planCells(config, ['set=full'], { seed: '7', pairwise: true }));
    expect(listSchema.parse(list)).toEqual(list);
    const all = toListResult(planCells(config, ['set=full']));
    expect(all.cells.find(({ address }) => address === 'default/plain-exit')?.set).toEqual([
      'quick',
      'deaths',
      'full',
    ]);
    const addressesOfAll = [...all.cells, ...all.skipped].map(({ address }) => address).join('\n');
    for (const axis of AXES) {
      for (const value of config.matrix.axes[axis].values.slice(1)) {
        expect(addressesOfAll, `${axis}=${value}`).toMatch(
          new RegExp(
            `(^|_)${axis === 'containerd' ? 'containerd-' : ''}${value.replace(/[.+]/g, '\\$&')}[_/]`,
            'm',
          ),
        );
      }
    }
    for (const cell of all.skipped) {
      expect(cell.reason).not.toBe('');
      expect(cell.source).toMatch(/^(https:\/\/|docs\/|scenarios\/)/);
    }
  });

  it('counts the memory of the largest world, all its machines', () => {
    expect(planCells(config, ['nodes=1,1+2', 'plain-exit']).memoryMiB).toBe(3 * 3072);
  });

  it('shows what is declared about its worlds, and takes no time for pods that cannot start', () => {
    const plan = planCells(config, ['drivers=*', 'plain-exit']);
    expect(plan.notes).toMatchObject([
      { kind: 'start-failure', variants: ['cgroupfs+systemd'] },
      { kind: 'note', note: { id: 'driver-mismatch-kills-pods' }, variants: ['systemd+cgroupfs'] },
    ]);
    expect(plan.cells.find(({ address }) => address.startsWith('cgroupfs+systemd/'))?.estimateSeconds).toBe(
      0,
    );
  });

  it('refuses what the host has no memory for', () => {
    const plan = planCells(config, ['nodes=*', 'plain-exit'], { host: { memoryMiB: 8000 } });
    expect(plan.cells.map(({ address }) => address)).toEqual(['default/plain-exit', '1+1/plain-exit']);
    expect(plan.skipped).toMatchObject([{ address: '1+2/plain-exit', rule: 'nodes-need-host-memory' }]);
  });
});
