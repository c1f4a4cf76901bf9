import { readdirSync, readFileSync } from 'node:fs';
import { HostError } from '../model/errors.ts';
import type { WaitFor } from '../model/host.ts';
import { findStartTicks, isProcessAlive } from './liveness.mjs';

const TERM_TIMEOUT_MS = 5_000;
const KILL_TIMEOUT_MS = 5_000;

/** Returns whether a program of this name (at most 15 letters, as the kernel keeps it) runs on the host. */
export function isProgramRunning(name: string): boolean {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .some((pid) => readName(pid) === name && findStartTicks(Number(pid)) !== undefined);
}

function readName(pid: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trimEnd();
  } catch {
    return undefined; // it ended meanwhile
  }
}

/**
 * Ends one process: SIGTERM, then SIGKILL when it does not listen. Does nothing when the pid is another process now.
 *
 * @throws HostError LAB_PROCESS when it may not be signalled; ProbeTimeoutError when it survives SIGKILL.
 */
export async function stopProcess(pid: number, startTicks: string, waitFor: WaitFor): Promise<void> {
  const signalAndWait = async (signal: NodeJS.Signals, timeoutMs: number): Promise<boolean> => {
    if (!isProcessAlive(pid, { startTicks })) return true;
    sendSignal(pid, signal);
    let gone = false;
    await waitFor(
      () => {
        gone = !isProcessAlive(pid, { startTicks });
        // For SIGTERM the end of patience is no error: SIGKILL follows.
        return Promise.resolve(
          gone ? { done: true, value: undefined } : { done: false, seen: 'still running' },
        );
      },
      {
        name: `process ${pid} to end after ${signal}`,
        timeoutMs,
        intervalMs: 50,
        signal: new AbortController().signal,
      },
    ).catch((error: unknown) => {
      if (signal === 'SIGKILL') throw error;
    });
    return gone;
  };
  if (!(await signalAndWait('SIGTERM', TERM_TIMEOUT_MS))) await signalAndWait('SIGKILL', KILL_TIMEOUT_MS);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return; // it ended between the look and the signal
    throw new HostError('LAB_PROCESS', `process ${pid} could not be sent ${signal}`, {
      lastSeen: (error as Error).message,
      tryNext: `as the user who owns it: kill ${pid}`,
      cause: error,
    });
  }
}
