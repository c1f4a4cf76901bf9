import { SI_KERNEL, SIGKILL } from '../model/evidence/signals.ts';
import type { KernelKilled, KernelObservation, Lost, Observation } from '../model/evidence/observation.ts';
import { largest, smallest } from '../model/text/extremes.ts';
import type { WitnessReport } from './witness.ts';

/** How far apart trace and kernel log are on a healthy node, in ms; under emulation it is about 35. */
const USUAL_MS = 200;
/** The lab writes its last line at once, after it has read the journals. */
const MARKED_MS = 2000;

/**
 * How much the clock of the kernel log is behind that of the trace, in milliseconds; undefined when they agree, or nothing
 * tells. printk stamps by the clock of the scheduler (local_clock()), which nobody adjusts: after weeks it is seconds off.
 * Both have the kernel's choice of a victim.
 */
export function measureLag(
  kernel: readonly (KernelObservation | Lost)[],
  witness: WitnessReport['observations'],
): number | undefined {
  const kills = new Map<number, number>();
  for (const line of kernel)
    if (isKill(line) && line.at !== undefined && !kills.has(line.pid)) kills.set(line.pid, line.at);
  const lags = [...kills].flatMap(([pid, at]) => {
    const chosen = findChoice(witness, pid);
    return chosen === undefined ? [] : [chosen - at];
  });
  const [least, most] = [smallest(lags), largest(lags)];
  if (lags.length === 0 || most - least > USUAL_MS || Math.abs(least) <= USUAL_MS) return undefined;
  return (least + most) / 2;
}

function isKill(record: KernelObservation | Lost): record is KernelKilled {
  return record.kind === 'kernel-killed';
}

/** When the trace shows that the kernel chose this process: its mark, or its SIGKILL; undefined where nothing is clear. */
function findChoice(witness: WitnessReport['observations'], pid: number): number | undefined {
  const isNamed = (record: { pid: number; tid?: number | undefined }): boolean =>
    record.pid === pid || record.tid === pid;
  const marks = witness.filter((record) => record.kind === 'oom-victim' && isNamed(record));
  const signals = witness.filter(
    (record) =>
      record.kind === 'signal-sent' &&
      record.signal === SIGKILL &&
      record.code === SI_KERNEL &&
      isNamed(record),
  );
  const times = [...marks, ...signals].flatMap((record) => record.at ?? []);
  // Records that are far apart are of two kills, and nothing tells which of them is in the log.
  const isOne = times.length > 0 && largest(times) - smallest(times) <= USUAL_MS;
  return isOne ? times[0] : undefined;
}

/**
 * Whether the lab's last line in the kernel log has another time than it can have: then the log's times cannot be compared
 * with others, and by how much they are off is not known.
 *
 * @param heardAt the last time in the journals of the node, which the lab read before.
 */
export function isMisdated(kernel: readonly Observation[], heardAt: number | undefined): boolean {
  const endedAt = kernel.find((record) => record.kind === 'kernel-log-ended')?.at;
  return endedAt !== undefined && heardAt !== undefined && endedAt < heardAt - MARKED_MS;
}
