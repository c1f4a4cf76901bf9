import { describe, expect, it } from 'vitest';
import { findContradiction } from '../../../../lab/commands/searching/find-contradiction.ts';
import type { BisectHead, DifferenceHead, SearchedRun } from '../../../../lab/model/saved/search.ts';

const addressOf = (version: string): string => `containerd-${version}/oom-single-container`;
const costs = { prepareSeconds: 60, againSeconds: 5, runSeconds: 20 };
const asked = { formatVersion: 1, search: '20260101-090000-abcd', what: ['killer'] } as const;
const BISECT: BisectHead = {
  ...asked,
  what: ['killer'],
  kind: 'bisect',
  address: addressOf('2.4.2'),
  axis: 'containerd',
  good: '1.6.2',
  bad: '2.4.2',
  branches: false,
  values: ['1.6.2', '2.1.4', '2.4.2'].map((value) => ({ value, address: addressOf(value), ...costs })),
  notes: [],
};
const OF_PARAMETER: BisectHead = {
  ...BISECT,
  address: 'default/supercronic-zombies',
  axis: 'supercronic',
  good: '0.2.33',
  bad: '0.2.30',
  values: [
    { value: '0.2.30', address: 'default/supercronic-zombies', ...costs },
    { value: '0.2.33', address: 'default/supercronic-zombies[supercronic=0.2.33]', ...costs },
  ],
};
const DIFFERENCE: DifferenceHead = {
  ...asked,
  what: ['killer'],
  kind: 'difference',
  red: 'v1/plain-exit',
  green: 'default/plain-exit',
  mostRuns: 8,
  names: [{ name: 'cgroup', red: 'v1', green: 'v2' }],
};
const RUN: SearchedRun = {
  value: '2.1.4',
  place: 'run',
  isFresh: false,
  seconds: 9,
  end: { killer: 'none' },
};

describe('the state of a search', () => {
  it('is not doubted when a search wrote it', () => {
    expect(findContradiction({ head: BISECT, seen: [RUN] })).toBeUndefined();
    expect(
      findContradiction({ head: BISECT, seen: [{ ...RUN, end: undefined, why: 'a gap' }] }),
    ).toBeUndefined();
    expect(findContradiction({ head: DIFFERENCE, seen: [] })).toBeUndefined();
    expect(findContradiction({ head: OF_PARAMETER, seen: [] })).toBeUndefined();
  });

  it.each<[Partial<BisectHead>, string]>([
    [{ good: '2.4.2' }, 'both ends are 2.4.2'],
    [{ good: '9.9' }, 'its end 9.9 is not among its versions'],
    [{ axis: 'contanerd' }, '"contanerd" is neither an axis with versions nor a parameter of its cells'],
    [{ axis: 'cgroup' }, '"cgroup" is neither an axis with versions nor a parameter of its cells'],
    [{ axis: 'toString' }, '"toString" is neither an axis with versions nor a parameter of its cells'],
    [{ values: [] }, 'its end 1.6.2 is not among its versions'],
    [{ values: [...BISECT.values, ...BISECT.values] }, '1.6.2 is among its versions twice'],
    [
      { values: BISECT.values.map((version) => ({ ...version, address: addressOf('2.4.2') })) },
      'containerd-2.4.2/oom-single-container is among its versions twice',
    ],
    [
      { values: [...BISECT.values, { ...BISECT.values[0]!, value: 'new' }] },
      'new has no place among versions',
    ],
    [{ what: ['killer', 'killer'] }, 'it asks for killer twice'],
    [{ what: ['zombies.between=9:3'] }, 'no number is within zombies.between=9:3'],
    [{ address: 'set=full' }, 'its cell set=full is not that of its bad end 2.4.2'],
  ])('of a bisect is refused with %j', (changed, says) => {
    expect(findContradiction({ head: { ...BISECT, ...changed }, seen: [RUN] })).toBe(says);
  });

  it.each<[Partial<SearchedRun>, string]>([
    [{ value: '7.7' }, 'a run is of 7.7, which is not among its versions'],
    [{ end: undefined }, 'the run run has neither an end nor a reason for none'],
    [{ why: 'a gap' }, 'the run run has both an end and a reason for none'],
    [{ end: { killer: 'cosmic-ray' } }, 'a run ends by "cosmic-ray", which is not a killer'],
  ])('is refused with a run of %j', (changed, says) => {
    expect(findContradiction({ head: BISECT, seen: [{ ...RUN, ...changed }] })).toBe(says);
  });

  it('is refused with a run that counts twice; one without an observation counts for nothing', () => {
    expect(findContradiction({ head: BISECT, seen: [RUN, RUN] })).toBe('the run run is in it twice');
    const unseen = { ...RUN, end: undefined, why: 'its world did not come up' };
    expect(findContradiction({ head: BISECT, seen: [unseen, unseen, RUN] })).toBeUndefined();
  });

  it.each<[Partial<DifferenceHead>, string]>([
    [{ names: [] }, 'nothing differs between its ends'],
    [{ mostRuns: 0 }, 'it allows no run'],
    [{ green: 'v1/plain-exit' }, 'both ends are v1/plain-exit'],
    [{ names: [...DIFFERENCE.names, ...DIFFERENCE.names] }, 'cgroup is among its differences twice'],
    [{ names: [{ name: 'cgroup', red: 'v1', green: 'v1' }] }, 'cgroup is v1 at both ends'],
  ])('of a difference is refused with %j', (changed, says) => {
    expect(findContradiction({ head: { ...DIFFERENCE, ...changed }, seen: [] })).toBe(says);
  });
});
