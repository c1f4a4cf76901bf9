import { readdirSync, readlinkSync } from 'node:fs';
import { findText } from '../files/files.ts';

/** A QEMU process of this host, whoever started it. */
export interface QemuGuest {
  readonly pid: number;
  /** Name of the guest (`-name guest=…`); empty when it has none. */
  readonly name: string;
  /** Memory that the guest may touch, in MiB. */
  readonly memoryMiB: number;
  /** Memory that the process has now, in MiB: what the guest has touched, and QEMU itself. */
  readonly residentMiB: number;
  /** The most that the process ever had, in MiB. */
  readonly peakMiB: number;
  readonly vcpus: number;
}

const UNITS: Readonly<Record<string, number>> = {
  b: 1 / 1024 / 1024,
  k: 1 / 1024,
  m: 1,
  g: 1024,
  t: 1024 * 1024,
};

/**
 * Lists the QEMU guests that run on this host, of other users and other labs too: from /proc, which needs no daemon
 * and shows guests that libvirt does not know.
 */
export function listQemuGuests(): QemuGuest[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => readGuest(Number(pid)) ?? []);
}

/**
 * Lists what a process has open, as the kernel names it now: a file that was moved by its new path, one that was removed
 * with ` (deleted)` after its path (proc(5), /proc/pid/fd). Empty when the process ended, or is not ours to look into.
 */
export function listOpenFiles(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).flatMap((descriptor) => findLink(`${folder}/${descriptor}`) ?? []);
  } catch {
    return []; // ENOENT: it ended; EACCES: it is another user's
  }
}

function findLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // closed meanwhile
  }
}

function readGuest(pid: number): QemuGuest | undefined {
  const machine = parseQemuCommandLine(read(`/proc/${pid}/cmdline`).split('\0'));
  if (machine === undefined) return undefined;
  const status = read(`/proc/${pid}/status`);
  const mib = (field: string): number =>
    Math.round(Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) / 1024);
  return { pid, ...machine, residentMiB: mib('VmRSS'), peakMiB: mib('VmHWM') };
}

/**
 * Reads name, memory and CPUs from the words of a QEMU command line; undefined when it is another program's.
 *
 * `-m` takes MiB, a unit, or `size=<KiB>k` as libvirt writes it (qemu(1)); without it QEMU gives 128 MiB.
 */
export function parseQemuCommandLine(
  words: readonly string[],
): Pick<QemuGuest, 'name' | 'memoryMiB' | 'vcpus'> | undefined {
  if (!/(^|\/)qemu-(system-|kvm)/.test(words[0] ?? '')) return undefined;
  const valueOf = (flag: string): string =>
    words.includes(flag) ? (words[words.indexOf(flag) + 1] ?? '') : '';
  const memory = /^(?:size=)?(\d+)([bkmgt]?)/i.exec(valueOf('-m'));
  const unit = (memory?.[2] ?? '') || 'm';
  return {
    name: /^(?:guest=)?([^,]*)/.exec(valueOf('-name'))?.[1] ?? '',
    memoryMiB: memory === null ? 128 : Number(memory[1]) * (UNITS[unit.toLowerCase()] ?? 1),
    vcpus: Number(/^(?:cpus=)?(\d+)/.exec(valueOf('-smp'))?.[1] ?? 1),
  };
}

/** Empty when the process ended meanwhile. */
function read(path: string): string {
  try {
    return findText(path) ?? '';
  } catch {
    return ''; // ESRCH: it ended between two reads
  }
}
