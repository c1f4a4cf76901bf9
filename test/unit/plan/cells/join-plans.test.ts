import { describe, expect, it } from 'vitest';
import { joinPlans } from '../../../../lab/plan/cells/join-plans.ts';
import { planCells, type Plan } from '../../../../lab/plan/cells/plan-cells.ts';
import { configWith } from '../../project-files.ts';

const config = configWith();
/** Nothing is in the cache: programs have to be built. */
const plan = (...words: string[]): Plan => planCells(config, words, { made: new Set<string>() });

describe('joinPlans', () => {
  it('makes worlds and programs that plans share once', () => {
    const parts = [plan('plain-exit', 'exit-one'), plan('exit-zero'), plan('exit-zero', 'nodes=1+1')];
    const whole = plan('plain-exit', 'exit-one', 'exit-zero', 'nodes=1,1+1');
    const joined = joinPlans(parts);
    expect(joined?.cells.map(({ address }) => address)).toEqual([
      'default/exit-one',
      'default/plain-exit',
      'default/exit-zero',
      '1+1/exit-zero',
    ]);
    expect(joined?.worlds.map(({ name }) => name)).toEqual(['default', '1+1']);
    expect([joined?.buildSeconds, joined?.memoryMiB]).toEqual([whole.buildSeconds, whole.memoryMiB]);
    const [one, two, three] = parts.map(({ estimateSeconds }) => estimateSeconds) as [number, number, number];
    const [shared] = parts[1]!.worlds;
    // Of three plans, two would have made the default world, and two the programs.
    expect(joined?.estimateSeconds).toBe(
      one + two + three - shared!.estimateSeconds - 2 * whole.buildSeconds,
    );
  });

  it('is nothing of no plan', () => {
    expect(joinPlans([])).toBeUndefined();
  });
});
