import { setTimeout as delay } from 'node:timers/promises';
import { InterruptedError, ProbeTimeoutError } from '../model/errors.ts';
import type { Clock, Look, WaitFor, WaitOptions } from '../model/host.ts';

/** The real clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    try {
      await delay(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      throw new InterruptedError('interrupted while waiting', { cause: error });
    }
  },
};

const DEFAULT_INTERVAL_MS = 500;

/** Builds the only function that polls. */
export function createWaitFor(clock: Clock, defaultSignal?: AbortSignal): WaitFor {
  return async function waitFor<T>(look: () => Promise<Look<T>>, options: WaitOptions): Promise<T> {
    const signal = options.signal ?? defaultSignal;
    const startedAt = clock.now();
    for (;;) {
      if (signal?.aborted === true)
        throw new InterruptedError(`interrupted while waiting for ${options.name}`);
      const result = await look();
      if (result.done) return result.value;
      const waited = clock.now() - startedAt;
      const impossible = result.impossible === true;
      if (impossible || waited >= options.timeoutMs) {
        const why = impossible
          ? 'it has become impossible'
          : `waited ${seconds(waited)} of ${seconds(options.timeoutMs)}`;
        throw new ProbeTimeoutError(`waited in vain for ${options.name} (${why})`, {
          lastSeen: result.seen,
          ...(options.tryNext === undefined ? {} : { tryNext: options.tryNext }),
          ...(options.log === undefined ? {} : { log: options.log }),
        });
      }
      await clock.sleep(
        Math.min(options.intervalMs ?? DEFAULT_INTERVAL_MS, options.timeoutMs - waited),
        signal,
      );
    }
  };
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
