import { describe, expect, it } from 'vitest';
import type { Admission } from '../../../../lab/world/host/admission.ts';
import { scheduleGroups, type ScheduleHooks } from '../../../../lab/world/run/schedule.ts';

/** A host with seats; groups are names, those in capitals take two seats. Ends are called by the test. */
function createHost(
  seats: number,
  parks?: Error,
): {
  claimed: Set<string>;
  hooks: ScheduleHooks<string>;
  log: string[];
  end: (name: string, error?: Error) => Promise<void>;
  stop: () => void;
} {
  const log: string[] = [];
  const claimed = new Set<string>();
  const ends = new Map<string, (error?: Error) => void>();
  let stopped = false;
  const size = (name: string): number => (name === name.toUpperCase() ? 2 : 1);
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    log,
    claimed,
    stop: () => {
      stopped = true;
    },
    end: async (name, error) => {
      await settle();
      ends.get(name)?.(error);
      await settle();
    },
    hooks: {
      isStopped: () => stopped,
      decide: (name, busy): Admission => {
        if (size(name) > seats) return { verdict: 'refuse', why: 'too large' };
        const used = busy.map(size).reduce((a, b) => a + b, 0);
        if (used + size(name) <= seats) return { verdict: 'admit', park: [] };
        return { verdict: 'wait', why: 'full' };
      },
      exclusively: (work) => Promise.resolve(work()),
      claim: (name) => {
        claimed.add(name);
        return () => void claimed.delete(name);
      },
      park: () => (parks === undefined ? Promise.resolve() : Promise.reject(parks)),
      refuse: (name, why) => void log.push(`${name} refused: ${why}`),
      run: (name, hasOthers) => {
        log.push(`${name} starts`);
        return new Promise((resolve, reject) => {
          ends.set(name, (error) => {
            log.push(`${name} ends, others: ${hasOthers()}`);
            if (error === undefined) resolve();
            else reject(error);
          });
        });
      },
    },
  };
}

describe('the schedule of worlds', () => {
  it('runs as many as fit, a small one before a large one that has to wait, and each once', async () => {
    const { hooks, log, end } = createHost(2);
    const all = scheduleGroups(['a', 'B', 'c'], hooks);
    await end('a');
    await end('c');
    await end('B');
    await all;
    expect(log).toEqual([
      'a starts',
      'c starts',
      'a ends, others: true',
      'c ends, others: true',
      'B starts',
      'B ends, others: false',
    ]);
  });

  it('tells what never fits, and runs the rest', async () => {
    const { hooks, log, end } = createHost(1);
    const all = scheduleGroups(['A', 'b'], hooks);
    await end('b');
    await all;
    expect(log).toEqual(['A refused: too large', 'b starts', 'b ends, others: false']);
  });

  it('starts nothing more after an interrupt and waits for what runs', async () => {
    const { hooks, log, end, stop } = createHost(1);
    const all = scheduleGroups(['a', 'b'], hooks);
    stop();
    await end('a');
    await all;
    expect(log).toEqual(['a starts', 'a ends, others: true']);
  });

  it('throws a failure after the other worlds have ended', async () => {
    const { hooks, log, end } = createHost(2);
    const all = scheduleGroups(['a', 'b', 'c'], hooks);
    const ended = expect(all).rejects.toThrow('a bug');
    await end('a', new Error('a bug'));
    await end('b');
    await ended;
    expect(log).not.toContain('c starts');
    expect(log.at(-1)).toBe('b ends, others: true');
  });

  it('lets the worlds that run end when it can decide no more', async () => {
    const { hooks, log, end } = createHost(2);
    let asked = 0;
    const exclusively: typeof hooks.exclusively = (work) =>
      (asked += 1) === 1 ? Promise.resolve(work()) : Promise.reject(new Error('no lock'));
    const ended = expect(scheduleGroups(['a', 'b'], { ...hooks, exclusively })).rejects.toThrow('no lock');
    await end('a');
    await ended;
    expect(log).toEqual(['a starts', 'a ends, others: true']);
  });

  it('goes on when the only world that runs ends while it decides', async () => {
    const { hooks, log, end } = createHost(1);
    let asked = 0;
    const exclusively: typeof hooks.exclusively = async (work) => {
      const decided = work();
      if ((asked += 1) === 2) await end('a');
      return decided;
    };
    const all = scheduleGroups(['a', 'b'], { ...hooks, exclusively });
    await end('b');
    await end('b');
    await all;
    expect(log.filter((line) => line.endsWith('starts'))).toEqual(['a starts', 'b starts']);
  });

  it('claims the room of a world before it is made, until the world ends', async () => {
    const { hooks, claimed, end } = createHost(2);
    const park = async (): Promise<void> => expect(claimed.size).not.toBe(0);
    const ended = expect(scheduleGroups(['a', 'b', 'c'], { ...hooks, park })).rejects.toThrow('a bug');
    await end('a');
    expect([...claimed]).toEqual(['b', 'c']);
    await end('b', new Error('a bug'));
    await end('c');
    await ended;
    expect(claimed.size).toBe(0);
  });

  it('gives the room back when it cannot be made', async () => {
    const { hooks, claimed } = createHost(1, new Error('no room'));
    await expect(scheduleGroups(['a'], hooks)).rejects.toThrow('no room');
    expect(claimed.size).toBe(0);
  });
});
