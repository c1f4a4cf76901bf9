import { setTimeout as delay } from 'node:timers/promises';
import { InterruptedError, ProbeTimeoutError } from '../model/errors/errors.ts';
import { formatSeconds } from '../model/text/format-duration.ts';
import type { Clock, Probe, WaitFor, WaitOptions } from '../model/host/host.ts';

/** The real clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: async (ms, signal) => {
    try {
      await delay(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      throw new InterruptedError('interrupted while waiting', { cause: error });
    }
  },
};

const DEFAULT_INTERVAL_MS = 500;

/** Builds the function that polls: it looks until a probe is done, its time is up or the signal fires. */
export function createWaitFor(clock: Clock, defaultSignal?: AbortSignal): WaitFor {
  return async function waitFor<T>(probe: Probe<T>, options: WaitOptions): Promise<T> {
    const signal = options.signal ?? defaultSignal;
    const startedAt = clock.elapsed();
    for (;;) {
      if (signal?.aborted === true)
        throw new InterruptedError(`interrupted while waiting for ${probe.title}`);
      const result = await probe.look();
      if (result.done) return result.value;
      const waited = clock.elapsed() - startedAt;
      const impossible = result.impossible === true;
      if (impossible || waited >= options.timeoutMs) {
        const what = impossible
          ? `gave up waiting for ${probe.title}: it has become impossible`
          : `timed out after ${formatSeconds(options.timeoutMs)} waiting for ${probe.title}`;
        throw new ProbeTimeoutError(what, {
          lastSeen: result.seen,
          ...(probe.tryNext === undefined ? {} : { tryNext: probe.tryNext }),
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

/**
 * Does work that must still be done after an interrupt, within a limit. The signal of the work fires `graceMs` after
 * `interrupt` fires; when it has fired already, `graceMs` from now.
 */
export async function withGrace<T>(
  clock: Clock,
  interrupt: AbortSignal,
  graceMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const ended = new AbortController();
  const count = (): void => {
    clock.sleep(graceMs, ended.signal).then(
      () => late.abort(interrupt.reason),
      () => undefined, // the work has ended in time
    );
  };
  if (interrupt.aborted) count();
  else interrupt.addEventListener('abort', count, { once: true, signal: ended.signal });
  try {
    return await work(late.signal);
  } finally {
    ended.abort();
  }
}
