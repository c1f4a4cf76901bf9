import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../model/host/host.ts';
import { PROJECT_DIR } from '../project/project-dir.ts';

/**
 * The program as it was written (bin/program.mjs), when this is part of it. A thread runs the same one, whatever somebody
 * does to the sources meanwhile.
 */
const OWN = fileURLToPath(import.meta.url);
const PROGRAM = OWN.endsWith('.ts') ? undefined : join(dirname(OWN), 'cli.mjs');

/** How a thread is left alone. */
interface ThreadLimits {
  readonly clock: Pick<Clock, 'sleep'>;
  /** Fires when whoever waits for the answer has been interrupted. */
  readonly signal: AbortSignal;
  /** How long the thread may go on after that. */
  readonly graceMs: number;
}

/**
 * Runs a script of `bin/` in a thread, and returns what it posts. Work that never waits is done there, so that this thread
 * answers signals.
 *
 * @param data is copied into the thread.
 * @returns undefined when it was interrupted, and ended before it had posted anything.
 * @throws what the thread throws, as a copy.
 */
export async function runInThread(
  script: string,
  data: unknown,
  { clock, signal, graceMs }: ThreadLimits,
): Promise<unknown> {
  const thread = new Worker(join(PROJECT_DIR, 'bin', script), { workerData: { data, program: PROGRAM } });
  const settled = new AbortController();
  const posted = new Promise<unknown>((done, fail) => {
    thread.once('message', done);
    thread.once('error', fail);
    thread.once('exit', () => done(undefined));
  });
  const interrupted = untilFired(signal, settled.signal)
    .then(() => clock.sleep(graceMs, settled.signal))
    .catch(() => undefined);
  try {
    return await Promise.race([posted, interrupted]);
  } finally {
    settled.abort();
    await thread.terminate();
  }
}

/** Until a signal fires, or the wait is given up: then it rejects. */
function untilFired(signal: AbortSignal, givenUp: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    if (signal.aborted) return done();
    signal.addEventListener('abort', () => done(), { once: true, signal: givenUp });
    givenUp.addEventListener('abort', () => fail(new Error('nobody waits any more')), { once: true });
  });
}
