/**
 * Decides whether a process still runs. Plain JavaScript with Node built-ins only, because bin/bootstrap.mjs needs it
 * before node modules are there.
 */
import { readFileSync } from 'node:fs';

/** Clock ticks of one second in /proc; 100 on every Linux that Node runs on (`getconf CLK_TCK`). */
const TICKS_PER_SECOND = 100;
/** The boot time in /proc/stat is in whole seconds, and a clock may have been stepped a little since. */
const START_SLACK_MS = 5_000;

/**
 * Returns when a process started, in clock ticks since boot (field 22 of /proc/<pid>/stat, proc(5)); undefined when
 * there is no such process or it is a zombie. With the pid it names one process for ever: a reused pid differs.
 *
 * @param {number} pid
 */
export function findStartTicks(pid) {
  let stat;
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

/**
 * Returns whether the process that is meant still runs; types and meanings are in liveness.d.mts.
 *
 * @param {number} pid
 * @param {{ startTicks?: string, ranAtMs?: number }} meant
 */
export function isProcessAlive(pid, { startTicks, ranAtMs } = {}) {
  const found = findStartTicks(pid);
  if (found === undefined) return false;
  if (startTicks !== undefined) return found === startTicks;
  return ranAtMs === undefined || startedAtMs(found) <= ranAtMs + START_SLACK_MS;
}

/** @param {string} ticks */
function startedAtMs(ticks) {
  const bootSeconds = Number(/^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1] ?? 0);
  return (bootSeconds + Number(ticks) / TICKS_PER_SECOND) * 1000;
}
