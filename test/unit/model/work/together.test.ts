import { describe, expect, it } from 'vitest';
import { doTogether } from '../../../../lab/model/work/together.ts';

const { signal } = new AbortController();

/** Tasks that end when they are told to, and what has begun. */
function createTasks(count: number) {
  const begun: number[] = [];
  const signals: AbortSignal[] = [];
  const ends: PromiseWithResolvers<number>[] = Array.from({ length: count }, () => withResolvers());
  const tasks = ends.map(({ promise }, index) => (own: AbortSignal) => {
    begun.push(index);
    signals.push(own);
    return promise;
  });
  return { begun, signals, ends, tasks };
}

interface PromiseWithResolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

function withResolvers(): PromiseWithResolvers<number> {
  let resolve: (value: number) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<number>((done, fail) => {
    resolve = done;
    reject = fail;
  });
  return { promise, resolve, reject };
}

const settled = (): Promise<void> => new Promise((done) => setImmediate(done));

describe('doing things together', () => {
  it('begins as many as it may, the next when one ends, and returns in their order', async () => {
    const { begun, ends, tasks } = createTasks(3);
    const result = doTogether(tasks, { atOnce: 2, signal });
    expect(begun).toEqual([0, 1]);
    ends[1]?.resolve(11);
    await settled();
    expect(begun).toEqual([0, 1, 2]);
    ends[2]?.resolve(12);
    ends[0]?.resolve(10);
    expect(await result).toEqual([10, 11, 12]);
  });

  it('ends the others when one fails, waits for them, and throws its error', async () => {
    const { begun, signals, ends, tasks } = createTasks(3);
    const result = doTogether(tasks, { atOnce: 2, signal });
    let isOver = false;
    const over = result.catch((error: unknown) => {
      isOver = true;
      return error;
    });
    ends[0]?.reject(new Error('no such version'));
    await settled();
    expect([signals[1]?.aborted, isOver]).toEqual([true, false]);
    ends[1]?.reject(new Error('interrupted'));
    expect(await over).toEqual(new Error('no such version'));
    expect(begun).toEqual([0, 1]);
  });

  it('passes an interrupt on', async () => {
    const interrupt = new AbortController();
    const { signals, ends, tasks } = createTasks(1);
    const result = doTogether(tasks, { atOnce: 2, signal: interrupt.signal });
    interrupt.abort();
    expect(signals[0]?.aborted).toBe(true);
    ends[0]?.resolve(1);
    expect(await result).toEqual([1]);
  });
});
