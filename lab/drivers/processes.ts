import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks of one second in /proc; 100 on every Linux that Node runs on (`getconf CLK_TCK`). */
const TICKS_PER_SECOND = 100;
/** The boot time in /proc/stat is in whole seconds, and a clock may have been stepped a little since. */
const START_SLACK_MS = 5_000;

/**
 * Returns when a process started, in clock ticks since boot (field 22 of /proc/<pid>/stat, proc(5)); undefined when
 * there is no such process or it is a zombie. With the pid it names one process for ever: a reused pid differs.
 */
export function findStartTicks(pid: number): string | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined; // no such process
  }
  // Field 2 is the program's name in brackets and may hold blanks and brackets itself: count from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  return state === 'Z' || state === 'X' ? undefined : fields[19];
}

/** Returns whether exactly this process still runs; without start ticks, whether any process has the pid. */
export function isProcessAlive(pid: number, startTicks?: string): boolean {
  const found = findStartTicks(pid);
  return found !== undefined && (startTicks === undefined || startTicks === found);
}

/**
 * Returns whether the process that had this pid at a time (milliseconds since the epoch) still runs: a process that
 * started later only reuses the number.
 */
export function isHolderAlive(pid: number, atMs: number): boolean {
  const ticks = findStartTicks(pid);
  if (ticks === undefined) return false;
  const bootSeconds = Number(/^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1] ?? 0);
  const startedAtMs = (bootSeconds + Number(ticks) / TICKS_PER_SECOND) * 1000;
  return startedAtMs <= atMs + START_SLACK_MS;
}

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
