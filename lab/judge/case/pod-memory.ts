import { isOfPods, levelOf } from '../../model/evidence/cgroup-path.ts';
import { formatMebibytes } from '../../model/text/format-bytes.ts';
import type { EvidenceRef, Mismatch } from '../../model/saved/formats.ts';
import type { CgroupValues } from '../../model/evidence/observation.ts';
import type { CaseFile } from './case-file.ts';

/** A number of bytes, and its record. */
interface MemoryReading {
  readonly bytes: number;
  /** In milliseconds since the epoch; undefined when nothing dates it. */
  readonly at: number | undefined;
  readonly ref: EvidenceRef;
}

/** Memory that was used, and the limit. */
export interface MemoryUse {
  /** The highest reading; undefined without a reading. */
  readonly used: MemoryReading | undefined;
  /** When the use was read last, in milliseconds since the epoch; undefined when nothing dates it. */
  readonly readAt: number | undefined;
  /** The last reading; undefined when there is no limit, or nobody read it. */
  readonly limit: MemoryReading | undefined;
}

/** Files with the most memory that a cgroup ever used, of cgroup v2, then of v1. */
export const PEAK_FILES: readonly string[] = ['memory.peak', 'memory.max_usage_in_bytes'];
/** Files with the memory that it uses. */
export const USED_NOW_FILES: readonly string[] = ['memory.current', 'memory.usage_in_bytes'];
const USED_FILES = [...PEAK_FILES, ...USED_NOW_FILES];
/** Files with its limit. */
const LIMIT_FILES = ['memory.max', 'memory.limit_in_bytes'];
/** v1 writes "no limit" as the largest number of whole pages, far beyond any machine. */
const UNLIMITED = 2 ** 60;
/** The kernel charges some allocations beyond the limit, so a cgroup a little above it proves nothing. */
const BEYOND = 1.1;

/** Memory and limit in these readings. */
export function readMemory(values: readonly CgroupValues[]): MemoryUse {
  const readings = (names: readonly string[]): MemoryReading[] =>
    values
      .filter((reading) => names.includes(reading.file))
      .map((reading) => ({
        bytes: /^\d+$/.test(reading.values[''] ?? '') ? Number(reading.values['']) : NaN,
        ref: reading.ref,
        at: reading.at,
      }));
  const limit = readings(LIMIT_FILES).at(-1);
  const used = readings(USED_FILES).filter((reading) => !Number.isNaN(reading.bytes));
  return {
    used: used.reduce<MemoryReading | undefined>(
      (most, reading) => (most === undefined || reading.bytes > most.bytes ? reading : most),
      undefined,
    ),
    readAt: used.at(-1)?.at,
    limit: limit !== undefined && limit.bytes < UNLIMITED ? limit : undefined,
  };
}

/**
 * The most that any cgroup of the judged pod used, wherever the runtime put it, and the limit of the pod's own cgroup.
 * The container's limit does not count: a runtime with one sandbox for the pod has no cgroup for each container.
 */
export function readPodMemory(file: CaseFile): MemoryUse {
  const values = file.index
    .of('cgroup-values')
    .filter(
      (reading) =>
        isOfPods(reading.path, file.uids) && (file.node === undefined || reading.node === file.node),
    );
  const { used, readAt } = readMemory(values);
  return {
    used,
    readAt,
    limit: readMemory(values.filter((reading) => levelOf(reading.path) === 'pod')).limit,
  };
}

/** Why nobody can say whether the pod went beyond its limit, when the scenario expects it. */
export function findUnreadLimit(file: CaseFile): string | undefined {
  if (file.record.expected?.exceedsLimit !== true) return undefined;
  const { used, limit } = readPodMemory(file);
  if (limit === undefined) return "no limit of the pod's cgroup was read";
  return used === undefined ? 'no memory reading of any cgroup of the pod' : undefined;
}

/** A mismatch when the scenario expects the pod beyond its limit, and it stayed within. */
export function findWithinLimit(file: CaseFile): Mismatch | undefined {
  if (file.record.expected?.exceedsLimit !== true) return undefined;
  const { used, limit } = readPodMemory(file);
  if (used === undefined || limit === undefined || used.bytes > limit.bytes * BEYOND) return undefined;
  return {
    field: 'exceedsLimit',
    expected: `memory of the pod beyond its limit of ${formatMebibytes(limit.bytes)}`,
    observed: `at most ${formatMebibytes(used.bytes)}`,
  };
}

/** The readings that show the pod beyond its limit, when the scenario expects it. */
export function limitRefs(file: CaseFile): (EvidenceRef | undefined)[] {
  if (file.record.expected?.exceedsLimit !== true) return [];
  const { used, limit } = readPodMemory(file);
  return [used?.ref, limit?.ref];
}
