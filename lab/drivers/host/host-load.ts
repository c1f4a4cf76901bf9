import { availableParallelism } from 'node:os';
import type { Missed } from '../../model/evidence/cell-record.ts';
import type { Clock } from '../../model/host/host.ts';
import { openEvidenceFile } from '../files/evidence-file.ts';
import { findText } from '../files/files.ts';
import { listQemuGuests } from '../machines/qemu-guests.ts';

/** A recording of the load of the host. */
export interface HostLoadRecording {
  /** Takes a last sample and ends the file; resolves to what it lacks. */
  stop(): Promise<Missed[]>;
}

/** Another lab that works on the same run, and is not a foreign program. */
export interface FriendlyLab {
  readonly pid: number;
  /** What the libvirt names of its machines begin with. */
  readonly guests: string;
}

const EVERY_MS = 2000;
/** USER_HZ, the unit of /proc/stat and /proc/<pid>/stat, the same on every Linux of today. */
const MS_PER_TICK = 10;

/**
 * Writes a line of `host.jsonl` every 2 s until stopped: the time on a clock that nobody can set, CPU time of the whole host, CPU time of this lab, of
 * those that work on the same run and of their machines, and the time in which all processes waited for memory or for the disk. Only differences between lines mean
 * something.
 *
 * @param listFriends the labs that work on the same run, beside this one.
 */
export async function recordHostLoad(
  clock: Clock,
  own: { readonly prefix: string; readonly listFriends: () => readonly FriendlyLab[] },
  localFile: string,
): Promise<HostLoadRecording> {
  const { sink, end } = openEvidenceFile(localFile);
  const ownTime = createOwnTime(own.prefix, own.listFriends);
  const sample = (): void => {
    const record = {
      at: clock.now(),
      monotonicMs: Math.round(clock.elapsed()),
      cpus: availableParallelism(),
      busyMs: parseBusyMs(findText('/proc/stat') ?? ''),
      ownMs: ownTime(),
      memoryFullMs: parseFullMs(findText('/proc/pressure/memory') ?? ''),
      ioFullMs: parseFullMs(findText('/proc/pressure/io') ?? ''),
    };
    sink.write(`${JSON.stringify(record)}\n`);
  };
  sample();
  const timer = setInterval(sample, EVERY_MS);
  // A cell that breaks off must not keep the command alive.
  timer.unref();
  return {
    stop: () => {
      clearInterval(timer);
      sample();
      return end();
    },
  };
}

/**
 * Sums up what this process, its friends and all their machines used since each was first seen; a machine that is gone keeps its
 * part.
 */
function createOwnTime(prefix: string, listFriends: () => readonly FriendlyLab[]): () => number {
  const last = new Map<number, number>();
  let total = 0;
  return () => {
    const friends = listFriends();
    const prefixes = [prefix, ...friends.map(({ guests }) => guests)];
    const machines = listQemuGuests().filter(({ name }) => prefixes.some((known) => name.startsWith(known)));
    for (const { pid } of [{ pid: process.pid }, ...friends, ...machines]) {
      const ms = parseProcessMs(readStat(pid));
      const before = last.get(pid);
      if (before !== undefined && ms > before) total += ms - before;
      last.set(pid, ms);
    }
    return total;
  };
}

function readStat(pid: number): string {
  try {
    return findText(`/proc/${pid}/stat`) ?? '';
  } catch {
    return ''; // ESRCH: it ended between two reads
  }
}

/** CPU time of all CPUs in the first line of /proc/stat but for idle, iowait, steal and guest (counted in user). */
export function parseBusyMs(stat: string): number {
  const fields = /^cpu\s+(.*)$/m.exec(stat)?.[1]?.trim().split(/\s+/).map(Number) ?? [];
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = fields;
  return (user + nice + system + irq + softirq) * MS_PER_TICK;
}

/** User and system time of one process: fields 14 and 15 of /proc/<pid>/stat; the name may hold anything (proc(5)). */
export function parseProcessMs(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * MS_PER_TICK || 0;
}

/** `total=` of the line `full`, in ms; undefined on a kernel without pressure stall information. */
export function parseFullMs(pressure: string): number | undefined {
  const micros = /^full .*total=(\d+)$/m.exec(pressure)?.[1];
  return micros === undefined ? undefined : Number(micros) / 1000;
}
