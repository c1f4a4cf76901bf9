import { describe, expect, it } from 'vitest';
import type { Scenario } from '../../../../lab/model/declared/scenario.ts';
import { createEstimator, estimateRest, parsePastTimings } from '../../../../lab/plan/worlds/estimate.ts';
import { toListResult } from '../../../../lab/plan/cells/list-result.ts';
import { planCells, type PlanOptions } from '../../../../lab/plan/cells/plan-cells.ts';
import { renderCost } from '../../../../lab/report/terminal/render-list.ts';
import { configWith, shippedText } from '../../project-files.ts';

const config = configWith();

describe('what is left of a run', () => {
  it('is the estimate when nothing is done', () => {
    expect(estimateRest({ totalSeconds: 600, doneSeconds: 0, elapsedSeconds: 0 })).toBe(600);
  });

  it('follows the pace the more, the more is done', () => {
    const early = estimateRest({ totalSeconds: 6000, doneSeconds: 10, elapsedSeconds: 60 });
    expect(early).toBeGreaterThan(5990);
    expect(early).toBeLessThan(1.5 * 5990);
    const late = estimateRest({ totalSeconds: 6000, doneSeconds: 3000, elapsedSeconds: 6000 });
    expect(late).toBeCloseTo(5885, 0);
  });

  it('is shorter when worlds run at once', () => {
    expect(estimateRest({ totalSeconds: 6000, doneSeconds: 3000, elapsedSeconds: 1500 })).toBeLessThan(1600);
  });

  it('is never less than nothing', () => {
    expect(estimateRest({ totalSeconds: 600, doneSeconds: 700, elapsedSeconds: 900 })).toBe(0);
  });
});

describe('what a plan is expected to take', () => {
  const buildsOf = (words: readonly string[], made?: readonly string[]): number =>
    planCells(config, [...words, 'plain-exit'], made === undefined ? {} : { made: new Set(made) })
      .buildSeconds;
  const PROGRAMS = 'cni-plugins-1.7.1 coredns-1.12.1 etcd-3.6.5 crictl-1.34.0 witness-1 workloads-1'.split(
    ' ',
  );

  it.each([
    { what: 'a release that is not in the cache', words: ['kubernetes=1.34'], least: 460, most: 600 },
    { what: 'two releases', words: ['kubernetes=1.30.2,1.30.4'], least: 2 * 460, most: 1600 },
    { what: 'two worlds of one release', words: ['knobs=none,tight'], least: 460, most: 600 },
    {
      what: 'a runtime',
      words: ['runtime=runc@1.1.15'],
      made: ['kubernetes-1.34.2', ...PROGRAMS],
      least: 7,
      most: 110,
    },
    {
      what: 'the package of a suite',
      words: ['runtime=crun'],
      made: ['kubernetes-1.34.2', ...PROGRAMS],
      least: 0,
      most: 100,
    },
  ])('counts builds: $what', ({ words, made = [], least, most }) => {
    expect(buildsOf(words, made)).toBeGreaterThanOrEqual(least);
    expect(buildsOf(words, made)).toBeLessThanOrEqual(most);
    // The sum that is printed has them.
    const plan = planCells(config, [...words, 'plain-exit'], { made: new Set(made) });
    const blind = planCells(config, [...words, 'plain-exit']);
    expect(plan.estimateSeconds - blind.estimateSeconds).toBe(plan.buildSeconds);
    expect(blind.buildSeconds).toBe(0);
  });

  it('estimates from the median of past runs, and survives a line cut short', () => {
    const line = (seconds: number): string => JSON.stringify({ kind: 'cell', name: 'plain-exit', seconds });
    const timings = parsePastTimings([line(10), line(900), line(12), '{"kind":"ce']);
    const plan = planCells(config, ['plain-exit'], { timings });
    expect(plan.cells[0]?.estimateSeconds).toBe(12);
    expect(plan.estimates).toBe('some-past-runs');
    const blind = planCells(config, ['plain-exit']);
    expect(blind.cells[0]?.estimateSeconds).not.toBe(12);
    expect(blind.estimates).toBe('defaults');
  });

  it('counts each world once, a saved one for less', () => {
    const timings = parsePastTimings([
      JSON.stringify({ kind: 'world', name: 'default', seconds: 100 }),
      ...['plain-exit', 'within-limits'].map((name) => JSON.stringify({ kind: 'cell', name, seconds: 10 })),
    ]);
    const words = ['plain-exit', 'within-limits'];
    expect(planCells(config, words, { timings })).toMatchObject({
      estimateSeconds: 120,
      estimates: 'past-runs',
    });
    const savedWorlds = new Set(['default']);
    expect(planCells(config, words, { timings, savedWorlds }).estimateSeconds).toBe(30);
  });

  it('takes the time of other worlds for one that never was, and never a derived one for one from its image', () => {
    const line = (kind: string, name: string, seconds: number): string =>
      JSON.stringify({ kind, name, seconds });
    const past = (...lines: string[]) => createEstimator(parsePastTimings(lines));
    const known = past(
      ...[300, 240, 9000].map((seconds) => line('world', 'default', seconds)),
      line('world', 'v1', 250),
      line('derived world', 'tight', 70),
    );
    expect(known.world('sid', 'built')).toEqual({ seconds: 300, fromPast: true });
    expect(known.world('v1', 'built')).toEqual({ seconds: 250, fromPast: true });
    expect(known.world('overcommit-2', 'derived')).toEqual({ seconds: 70, fromPast: true });
    const built = past(line('world', 'v1', 250));
    expect(built.world('tight', 'derived')).toEqual({ ...past().world('tight', 'derived'), fromPast: false });
  });

  it('takes the time of earlier forks for that of the next ones, whatever their world was', () => {
    const forks = [40, 70, 60].map((seconds) =>
      JSON.stringify({ kind: 'lane', name: `v${seconds}`, seconds }),
    );
    const past = createEstimator(parsePastTimings(forks));
    expect(past.fork()).toEqual({ seconds: 60, fromPast: true });
    expect(past.world('v60', 'derived').fromPast).toBe(false);
    expect(createEstimator([]).fork().fromPast).toBe(false);
  });

  it('counts every run of a scenario that is repeated', () => {
    const path = 'scenarios/plain-exit/scenario.yaml';
    const repeated = configWith({ [path]: `${shippedText(path)}\nrepeat: 3\n` });
    const timings = parsePastTimings([JSON.stringify({ kind: 'cell', name: 'plain-exit', seconds: 10.4 })]);
    const costOf = (of: typeof config, options: PlanOptions = {}) =>
      planCells(of, ['plain-exit'], { savedWorlds: new Set(['default']), ...options });
    expect(costOf(repeated, { timings }).cells[0]?.estimateSeconds).toBe(31);
    expect(costOf(repeated, { timings }).estimateSeconds).toBe(41);
    const once = costOf(config).cells[0]?.estimateSeconds ?? 0;
    expect(costOf(repeated).cells[0]?.estimateSeconds).toBe(3 * once);
  });

  it('counts every death that a scenario waits for', () => {
    const cost = ({ tries }: Pick<Scenario, 'tries'>): number =>
      createEstimator([]).cell({ name: 'x', repeat: 1, tries }, { killer: 'memcg-oom', withinSeconds: 40 })
        .seconds;
    expect(cost({ tries: { pods: 10 } }) - cost({})).toBe(9 * 20);
  });

  it('costs one line', () => {
    const costOf = (options: PlanOptions, ...words: string[]): string =>
      renderCost(toListResult(planCells(config, words, options)));
    expect(costOf({}, 'os=bookworm,trixie,sid', 'cgroup=*', 'nodes=1+1', 'plain-exit')).toBe(
      '4 of 6 cells, 4 worlds, about 11 min, 6 GiB peak; estimates are defaults',
    );
    expect(costOf({ seed: '9' }, 'cgroup=v1', 'os=sid', 'plain-exit')).toBe(
      '0 of 1 cell, 1 skipped; order of seed 9',
    );
    expect(costOf({ pairwise: true }, 'os=bookworm,trixie', 'kubernetes=1.34,1.36', 'plain-exit')).toMatch(
      /^4 of 4 cells|4 cells, 4 worlds.*; covers \d+ of \d+ allowed pairs in 4 cells$/,
    );
  });
});
