import { dirname, join } from 'node:path';
import { findText } from '../files/files.ts';

const MIB = 1024 * 1024;

/** Where a limit, the use, and the part of the use that can be given back are found, in each version of cgroups. */
interface Controller {
  /** Line of /proc/self/cgroup that names our own group. */
  readonly line: RegExp;
  readonly root: string;
  readonly limit: string;
  readonly usage: string;
  readonly cache: RegExp;
}

const CONTROLLERS: readonly Controller[] = [
  {
    line: /^0::(.*)$/m,
    root: '/sys/fs/cgroup',
    limit: 'memory.max',
    usage: 'memory.current',
    cache: /^inactive_file (\d+)$/m,
  },
  {
    line: /^\d+:memory:(.*)$/m,
    root: '/sys/fs/cgroup/memory',
    limit: 'memory.limit_in_bytes',
    usage: 'memory.usage_in_bytes',
    cache: /^total_inactive_file (\d+)$/m,
  },
];

/**
 * Returns the memory that is available now without swapping, in MiB: what the kernel reckons, or less when our own
 * cgroup or one above it is limited (a container, a slice).
 */
export function readAvailableMemoryMiB(): number {
  const kib = /^MemAvailable:\s+(\d+) kB$/m.exec(findText('/proc/meminfo') ?? '')?.[1];
  const bytes = Math.min(Number(kib ?? 0) * 1024, ...CONTROLLERS.map(readHeadroomBytes));
  return Math.floor(Math.max(0, bytes) / MIB);
}

/** Returns all memory of the host, in MiB, used or not; our own cgroup may allow less at the moment of need. */
export function readTotalMemoryMiB(): number {
  const kib = /^MemTotal:\s+(\d+) kB$/m.exec(findText('/proc/meminfo') ?? '')?.[1];
  return Math.floor((Number(kib ?? 0) * 1024) / MIB);
}

function readHeadroomBytes({ line, root, limit, usage, cache }: Controller): number {
  const group = line.exec(findText('/proc/self/cgroup') ?? '')?.[1];
  if (group === undefined) return Infinity;
  let headroom = Infinity;
  for (let folder = join(root, group); folder.startsWith(root); folder = dirname(folder)) {
    // "max" and a missing file (the root group) are not numbers, and not limits.
    const most = Number.parseInt(findText(join(folder, limit)) ?? '', 10);
    const used = Number.parseInt(findText(join(folder, usage)) ?? '', 10);
    const spare = Number(cache.exec(findText(join(folder, 'memory.stat')) ?? '')?.[1] ?? 0);
    if (Number.isFinite(most) && Number.isFinite(used)) headroom = Math.min(headroom, most - used + spare);
  }
  return headroom;
}
