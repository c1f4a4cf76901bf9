import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WorldClaim } from '../../../../lab/drivers/claims/claims.ts';
import type { QemuGuest } from '../../../../lab/drivers/machines/qemu-guests.ts';
import {
  countFitting,
  decideAdmission,
  HOST_MARGIN_MIB,
  vcpuBudget,
  type Demand,
  type Occupant,
  type Capacity,
} from '../../../../lab/world/host/admission.ts';
import { listOccupants } from '../../../../lab/world/run/capacity.ts';

const world = (name: string, more: Partial<Demand> = {}): Demand => ({
  name,
  memoryMiB: 3072,
  nodes: 1,
  vcpus: 2,
  ...more,
});
const occupant = (name: string, more: Partial<Occupant> = {}): Occupant => ({
  ...world(name),
  residentMiB: 0,
  use: 'busy',
  neededLater: false,
  ...more,
});
const capacity = (availableMiB: number, more: Partial<Capacity> = {}): Capacity => ({
  availableMiB,
  overheadMiB: 768,
  vcpus: 8,
  ...more,
});
/** What one world of `world()` needs: guest, QEMU, margin. */
const NEEDED = 3072 + 768 + HOST_MARGIN_MIB;

describe('admission by memory', () => {
  it('admits what fits to the last MiB and refuses one MiB less', () => {
    expect(decideAdmission(world('a'), [], capacity(NEEDED))).toEqual({ verdict: 'admit', park: [] });
    expect(decideAdmission(world('a'), [], capacity(NEEDED - 1)).verdict).toBe('refuse');
  });

  it('counts what running guests have not touched yet', () => {
    const fresh = occupant('b', { residentMiB: 100 });
    const grown = occupant('b', { residentMiB: 3840 });
    expect(decideAdmission(world('a'), [fresh], capacity(NEEDED)).verdict).toBe('wait');
    expect(decideAdmission(world('a'), [grown], capacity(NEEDED)).verdict).toBe('admit');
  });

  it('counts guests of others, and never parks them', () => {
    const other = occupant('process 7', { use: 'foreign', residentMiB: 0 });
    expect(decideAdmission(world('a'), [other], capacity(NEEDED + 3839)).verdict).toBe('refuse');
    expect(decideAdmission(world('a'), [other], capacity(NEEDED + 3840)).verdict).toBe('admit');
  });

  it('counts the CPUs of other labs for a second world, and lets the first one run', () => {
    const other = occupant('v1 of process 7', { use: 'elsewhere' });
    const room = capacity(99_999, { vcpus: 4 });
    expect(decideAdmission(world('a'), [other, occupant('b')], room).verdict).toBe('wait');
    expect(decideAdmission(world('a'), [occupant('b')], room).verdict).toBe('admit');
    expect(decideAdmission(world('a'), [other], capacity(99_999, { vcpus: 2 })).verdict).toBe('admit');
  });

  it('does not count the candidate twice when it is up already', () => {
    const itself = occupant('a', { use: 'idle', residentMiB: 2000 });
    expect(decideAdmission(world('a'), [itself], capacity(NEEDED - 2000))).toEqual({
      verdict: 'admit',
      park: [],
    });
  });

  it('parks idle worlds that stand in the way, those that are needed later last, and no more than it must', () => {
    const idle = [
      occupant('later', { use: 'idle', residentMiB: 3840, neededLater: true }),
      occupant('done', { use: 'idle', residentMiB: 3840 }),
    ];
    expect(decideAdmission(world('a'), idle, capacity(NEEDED - 3840))).toEqual({
      verdict: 'admit',
      park: ['done'],
    });
    expect(decideAdmission(world('a'), idle, capacity(NEEDED - 7680))).toEqual({
      verdict: 'admit',
      park: ['done', 'later'],
    });
    expect(decideAdmission(world('a'), idle, capacity(NEEDED))).toEqual({ verdict: 'admit', park: [] });
  });
});

describe('admission by CPU', () => {
  it('lets one world of two CPUs run at a time on two emulating CPUs, two on two virtualising ones', () => {
    const busy = [occupant('b', { residentMiB: 3840 })];
    const tcg = capacity(99_999, { vcpus: vcpuBudget('tcg', 2) });
    const kvm = capacity(99_999, { vcpus: vcpuBudget('kvm', 2) });
    expect(decideAdmission(world('a'), busy, tcg).verdict).toBe('wait');
    expect(decideAdmission(world('a'), busy, kvm).verdict).toBe('admit');
  });

  it('always lets one world run, however many CPUs it has', () => {
    expect(decideAdmission(world('a', { vcpus: 20 }), [], capacity(99_999, { vcpus: 2 })).verdict).toBe(
      'admit',
    );
  });

  it('parks an idle world whose CPUs are needed', () => {
    const idle = [occupant('b', { use: 'idle', residentMiB: 3840 })];
    expect(decideAdmission(world('a'), idle, capacity(99_999, { vcpus: 2 }))).toEqual({
      verdict: 'admit',
      park: ['b'],
    });
  });

  it('takes a number of worlds instead when one is given', () => {
    const busy = [occupant('b', { residentMiB: 3840 })];
    expect(decideAdmission(world('a'), busy, capacity(99_999, { vcpus: 2, worlds: 2 })).verdict).toBe(
      'admit',
    );
    expect(decideAdmission(world('a'), busy, capacity(99_999, { vcpus: 99, worlds: 1 })).verdict).toBe(
      'wait',
    );
  });

  it('parks an idle world also when a number of worlds is given: emulated, it takes a CPU from those that run', () => {
    const others = [occupant('b', { residentMiB: 3840 }), occupant('c', { use: 'idle', residentMiB: 3840 })];
    const admit = (vcpus: number) =>
      decideAdmission(world('a'), others, capacity(99_999, { vcpus, worlds: 2 }));
    expect(admit(2)).toEqual({ verdict: 'admit', park: ['c'] });
    expect(admit(4)).toEqual({ verdict: 'admit', park: [] });
  });
});

describe('admission of anything', () => {
  const occupants = fc.array(
    fc.record({
      residentMiB: fc.integer({ min: 0, max: 4000 }),
      memoryMiB: fc.integer({ min: 128, max: 4000 }),
      use: fc.constantFrom('busy', 'idle', 'foreign' as const),
      neededLater: fc.boolean(),
      vcpus: fc.integer({ min: 1, max: 4 }),
    }),
    { maxLength: 6 },
  );
  it('never promises more memory than there is, parks only idle worlds, and waits only for busy ones', () => {
    fc.assert(
      fc.property(occupants, fc.integer({ min: 0, max: 30_000 }), (list, availableMiB) => {
        const all = list.map((fields, index) => occupant(`w${index}`, fields as Partial<Occupant>));
        const decided = decideAdmission(world('a'), all, capacity(availableMiB));
        if (decided.verdict === 'wait') {
          expect(all.some(({ use }) => use === 'busy')).toBe(true);
          return;
        }
        if (decided.verdict === 'refuse') return;
        const parked = all.filter(({ name }) => decided.park.includes(name));
        expect(parked.every(({ use }) => use === 'idle')).toBe(true);
        const kept = all.filter((guest) => !parked.includes(guest));
        const promised = kept.map((guest) => Math.max(0, guest.memoryMiB + 768 - guest.residentMiB));
        const total = promised.reduce((a, b) => a + b, 0) + NEEDED;
        const freed = parked.reduce((a, b) => a + b.residentMiB, 0);
        expect(total).toBeLessThanOrEqual(availableMiB + freed);
      }),
    );
  });
});

describe('what other labs take', () => {
  const guest = (name: string, residentMiB: number): QemuGuest => ({
    pid: 9,
    name,
    memoryMiB: 3072,
    residentMiB,
    peakMiB: residentMiB,
    vcpus: 2,
  });
  const claim: WorldClaim = {
    pid: 7,
    startTicks: '1',
    world: 'v1',
    guests: 'whodunit-01234567-v1-',
    memoryMiB: 6144,
    nodes: 2,
    vcpus: 4,
  };
  const listed = (guests: QemuGuest[], claims: WorldClaim[]): Occupant[] =>
    listOccupants('/nonexistent', { busy: [], later: [], claims }, guests);

  it('is counted once, whether its machines run or not', () => {
    const expected = { name: 'v1 of process 7', memoryMiB: 6144, nodes: 2, vcpus: 4, use: 'elsewhere' };
    expect(listed([], [claim])).toMatchObject([{ ...expected, residentMiB: 0 }]);
    const running = [guest('whodunit-01234567-v1-node-1', 100), guest('whodunit-01234567-v1-node-2', 50)];
    expect(listed(running, [claim])).toMatchObject([{ ...expected, residentMiB: 150 }]);
  });

  it('is told from what guests of no lab take', () => {
    const guests = [guest('whodunit-01234567-default-node-1', 1), guest('somebody', 1)];
    expect(listed(guests, [claim]).map(({ use, vcpus }) => [use, vcpus])).toEqual([
      ['elsewhere', 4],
      ['elsewhere', 2],
      ['foreign', 2],
    ]);
  });
});

describe('lanes', () => {
  it.each([
    ['one by CPUs', 2, 99_999, 1],
    ['four by CPUs', 9, 99_999, 4],
    ['two by memory', 99, 2 * 3840 + HOST_MARGIN_MIB, 2],
    ['one by memory, to the last MiB', 99, 2 * 3840 + HOST_MARGIN_MIB - 1, 1],
    ['one, where not even that fits: it is refused when it starts', 1, 100, 1],
  ])('are at most %s', (_, vcpus, availableMiB, most) => {
    expect(countFitting(world('a'), capacity(availableMiB, { vcpus }))).toBe(most);
  });

  it('of one world are one world for --parallel, and another world is another one', () => {
    const lanes = [1, 2].map((lane) => occupant(`a.lane-${lane}`, { laneOf: 'a' }));
    const room = capacity(99_999, { worlds: 1 });
    const third = world('a.lane-3', { laneOf: 'a' });
    expect(decideAdmission(third, lanes, room)).toEqual({ verdict: 'admit', park: [] });
    expect(decideAdmission(world('b'), lanes, room).verdict).toBe('wait');
    expect(decideAdmission(world('b'), lanes, { ...room, worlds: 2 }).verdict).toBe('admit');
  });

  it('wait for memory and CPUs like a world', () => {
    const first = occupant('a.lane-1', { laneOf: 'a', residentMiB: 3840 });
    const second = world('a.lane-2', { laneOf: 'a' });
    expect(decideAdmission(second, [first], capacity(NEEDED - 1)).verdict).toBe('wait');
    expect(decideAdmission(second, [first], capacity(NEEDED, { vcpus: 3 })).verdict).toBe('wait');
    expect(decideAdmission(second, [first], capacity(NEEDED, { vcpus: 4 })).verdict).toBe('admit');
  });
});
