import { describe, expect, it } from 'vitest';
import { createMutex } from '../../../lab/world/mutex.ts';

describe('a mutex', () => {
  it('lets one through at a time, in order, also after one that failed', async () => {
    const oneAtATime = createMutex();
    const log: string[] = [];
    const work =
      (name: string, fails = false) =>
      async (): Promise<void> => {
        log.push(`${name} in`);
        await new Promise((resolve) => setImmediate(resolve));
        log.push(`${name} out`);
        if (fails) throw new Error(name);
      };
    const results = await Promise.allSettled([
      oneAtATime(work('a', true)),
      oneAtATime(work('b')),
      oneAtATime(work('c')),
    ]);
    expect(log).toEqual(['a in', 'a out', 'b in', 'b out', 'c in', 'c out']);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  });
});
