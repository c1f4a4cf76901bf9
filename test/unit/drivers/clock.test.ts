import { describe, expect, it } from 'vitest';
import { createWaitFor, withGrace } from '../../../lab/drivers/clock.ts';
import { apiProbe } from '../../../lab/drivers/kubernetes/kubernetes.ts';
import { HostError, InterruptedError } from '../../../lab/model/errors/errors.ts';
import type { Clock, Look } from '../../../lab/model/host/host.ts';

/** A clock whose sleepers wake up when the test says so. */
function createHandClock(): Clock & { wake(): void; readonly asleep: number[] } {
  const asleep: { ms: number; wake: () => void }[] = [];
  return {
    now: () => 0,
    elapsed: () => 0,
    sleep: (ms) => new Promise((resolve) => asleep.push({ ms, wake: resolve })),
    wake: () => asleep.forEach((sleeper) => sleeper.wake()),
    get asleep() {
      return asleep.map((sleeper) => sleeper.ms);
    },
  };
}

describe('work that must still be done after an interrupt', () => {
  it('has all the time it needs without one', async () => {
    const clock = createHandClock();
    expect(await withGrace(clock, new AbortController().signal, 60_000, async () => 'saved')).toBe('saved');
    expect(clock.asleep).toEqual([]);
  });

  it('is ended some time after the interrupt, whether that comes before or meanwhile', async () => {
    for (const when of ['before', 'meanwhile']) {
      const clock = createHandClock();
      const interrupt = new AbortController();
      if (when === 'before') interrupt.abort();
      const ended = await withGrace(clock, interrupt.signal, 60_000, async (signal) => {
        interrupt.abort();
        expect(signal.aborted).toBe(false);
        const fired = new Promise((resolve) => signal.addEventListener('abort', () => resolve('ended')));
        expect(clock.asleep).toEqual([60_000]);
        clock.wake();
        return fired;
      });
      expect(ended).toBe('ended');
    }
  });
});

describe('a wait', () => {
  const waitFor = (signal?: AbortSignal) => {
    let ms = 0;
    return createWaitFor(
      { now: () => ms, elapsed: () => ms, sleep: async (pause) => void (ms += pause) },
      signal,
    );
  };

  it('for something in the API goes on while the API fails, and ends with what it said last', async () => {
    const answers = [new Error('ECONNREFUSED'), new Error('socket hang up')];
    let looks = 0;
    const probe = apiProbe('the pod to run', (): Promise<Look<true>> => {
      looks += 1;
      const error = answers.shift();
      return error === undefined ? Promise.resolve({ done: true, value: true }) : Promise.reject(error);
    });
    expect(await waitFor()(probe, { timeoutMs: 1000, intervalMs: 10 })).toBe(true);
    expect(looks).toBe(3);
    const never = apiProbe('the pod to run', () => Promise.reject(new Error('HTTP/2 is down')), 'try this');
    await expect(waitFor()(never, { timeoutMs: 1000 })).rejects.toMatchObject({
      code: 'LAB_PROBE_TIMEOUT',
      message: 'timed out after 1 s waiting for the pod to run',
      lastSeen: 'HTTP/2 is down',
      tryNext: 'try this',
    });
  });

  it('is as long as it should be when somebody sets the clock', async () => {
    let [ms, set] = [0, 0];
    const sleep = async (pause: number): Promise<void> => {
      ms += pause;
      set -= 3_600_000;
    };
    const clock = { now: () => ms + set, elapsed: () => ms, sleep };
    const never = apiProbe('it', async () => ({ done: false, seen: 'nothing' }));
    await expect(createWaitFor(clock)(never, { timeoutMs: 1000 })).rejects.toMatchObject({
      code: 'LAB_PROBE_TIMEOUT',
    });
    expect(ms).toBe(1000);
  });

  it('ends at once with an error of ours, when it became impossible, and after an interrupt', async () => {
    const wrong = apiProbe('it', () => Promise.reject(new HostError('LAB_STARTED_ANYWAY', 'a pod runs')));
    await expect(waitFor()(wrong, { timeoutMs: 1000 })).rejects.toMatchObject({ code: 'LAB_STARTED_ANYWAY' });
    const hopeless = apiProbe('it', async () => ({ done: false, seen: 'no image', impossible: true }));
    await expect(waitFor()(hopeless, { timeoutMs: 1000 })).rejects.toMatchObject({ lastSeen: 'no image' });
    const abort = new AbortController();
    const interrupted = apiProbe('it', async () => {
      abort.abort();
      throw new Error('the request was aborted');
    });
    await expect(waitFor(abort.signal)(interrupted, { timeoutMs: 1000 })).rejects.toBeInstanceOf(
      InterruptedError,
    );
  });
});
