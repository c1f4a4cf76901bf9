import { readdirSync, readFileSync } from 'node:fs';
import { findStartTicks } from './liveness.mjs';

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
