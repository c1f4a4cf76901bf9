import { describe, expect, it } from 'vitest';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import { waysToDieSchema, type Place } from '../../../../lab/model/declared/ways-to-die.ts';
import { planWays } from '../../../../bin/docs/plan-ways.ts';
import { configWith } from '../../project-files.ts';

const { ways: WAYS } = waysToDieSchema.parse({
  formatVersion: 1,
  ways: [
    { row: 1, name: 'exit', scenarios: ['plain-exit'] },
    { row: 2, name: 'pids', scenarios: ['pids-limit'] },
    { row: 3, name: 'oomd', scenarios: ['systemd-oomd'] },
    { row: 4, name: 'alone', scenarios: ['oom-child-group'], only: { how: 'single-process' } },
    { row: 5, name: 'group', scenarios: ['oom-child-group'], only: { how: 'group-kill' } },
    { row: 6, name: 'nobody', whyNot: 'no hardware breaks' },
  ],
});
const RECORDED = [{ scenario: 'plain-exit', variant: DEFAULT_VARIANT, killer: 'self-exit' }];
const PLANNED = planWays(configWith(), WAYS, RECORDED);
const OPEN = { isRecorded: false, address: undefined, refusedBy: undefined };

/** What is planned for a way on one value. */
function placeOf(name: string, value: string): Partial<Place> | undefined {
  const places = PLANNED.find(({ way }) => way.name === name)?.places ?? [];
  const found = places.find((place) => place.value === value);
  return found && { isRecorded: found.isRecorded, address: found.address, refusedBy: found.refusedBy };
}

describe('the places of a way to die', () => {
  it('are recorded where a cell staged it, and have the address that stages it elsewhere', () => {
    expect(placeOf('exit', 'v2')).toEqual({ ...OPEN, isRecorded: true });
    expect(placeOf('exit', 'v1')).toEqual({ ...OPEN, address: 'v1/plain-exit' });
    expect(placeOf('exit', '1.22')).toEqual({ ...OPEN, address: '1.22/plain-exit' });
    expect(placeOf('exit', 'runsc')?.address).toMatch(/^runsc@\d+\/plain-exit$/);
  });

  it('keep the knob that the scenario requires, and take an older Kubernetes where a program needs it', () => {
    expect(placeOf('pids', 'v1')).toEqual({ ...OPEN, address: 'v1_tight/pids-limit' });
    expect(placeOf('pids', '1.5.11')).toEqual({
      ...OPEN,
      address: '1.22_containerd-1.5.11_tight/pids-limit',
    });
  });

  it('name the rule that refuses every cell', () => {
    expect(placeOf('oomd', 'v1')).toEqual({ ...OPEN, refusedBy: 'scenario-requires' });
  });

  it('take no cell in which another way is staged', () => {
    expect(placeOf('alone', 'v1')?.address).toMatch(/v1\/oom-child-group$/);
    expect(placeOf('group', 'v1')).toBeUndefined();
  });

  it('are none of a way that no scenario stages', () => {
    expect(PLANNED.map(({ way }) => way.name)).toEqual(['exit', 'pids', 'oomd', 'alone', 'group']);
  });
});
