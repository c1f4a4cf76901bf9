import { describe, expect, it } from 'vitest';
import { listDifferencesOfSides } from '../../../../lab/plan/bugs/bug-cells.ts';
import { configWith } from '../../project-files.ts';

const { scenarios } = configWith();
const loaded = scenarios.find(({ scenario }) => scenario.name === 'supercronic-zombies')!;

describe('the differences of the sides of a bug', () => {
  it.each<[affected: Record<string, string>, fixed: Record<string, string>, names: string[]]>([
    [{}, { supercronic: '0.2.33' }, ['supercronic']],
    [{ supercronic: '0.2.30' }, { supercronic: '0.2.33', cgroup: 'v2' }, ['supercronic']],
    [{ cgroup: 'v1' }, { supercronic: '0.2.33' }, ['cgroup', 'supercronic']],
    [{ cgroup: 'v2', supercronic: '0.2.30' }, {}, []],
  ])('%j and %j are %j: a default is the same as nothing', (affected, fixed, names) => {
    expect(listDifferencesOfSides({ affected, fixed }, loaded)).toEqual(names);
  });
});
