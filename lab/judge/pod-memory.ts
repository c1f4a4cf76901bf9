import type { EvidenceRef, Mismatch } from '../model/formats.ts';
import type { CaseFile } from './case-file.ts';
import { isOfPods, levelOf } from './levels.ts';

/** Memory that a pod used, and the limit of its own cgroup. */
export interface PodMemory {
  /** The highest reading in any cgroup of the pod, wherever the runtime put it; undefined when none was read. */
  readonly used: { readonly bytes: number; readonly ref: EvidenceRef } | undefined;
  /** The limit of the pod's cgroup; undefined when there is none, or it was not read. */
  readonly limit: { readonly bytes: number; readonly ref: EvidenceRef } | undefined;
}

/** Files that say how much memory a cgroup uses or used, of cgroup v2, then of v1. */
export const USED_FILES = [
  'memory.peak',
  'memory.current',
  'memory.max_usage_in_bytes',
  'memory.usage_in_bytes',
];
/** Files that hold its limit. */
export const LIMIT_FILES = ['memory.max', 'memory.limit_in_bytes'];
/** v1 has no word for "no limit": it is the largest number of whole pages, far beyond any machine. */
export const UNLIMITED = 2 ** 60;
/** The kernel charges some allocations although the limit is reached: a cgroup a little above it proves nothing. */
const BEYOND = 1.1;

/**
 * Reads how much memory the judged pod used at most, and how much it might. The container's own limit is not asked:
 * a runtime with one sandbox for the whole pod has no cgroup for each container.
 */
export function readPodMemory(file: CaseFile): PodMemory {
  const values = file.index
    .of('cgroup-values')
    .filter((each) => isOfPods(each.path, file.uids) && (file.node === undefined || each.node === file.node));
  const numbers = (names: readonly string[]): NonNullable<PodMemory['used']>[] =>
    values
      .filter((each) => names.includes(each.file) && /^\d+$/.test(each.values[''] ?? ''))
      .map((each) => ({ bytes: Number(each.values['']), ref: each.ref }));
  const limits = values.filter((each) => LIMIT_FILES.includes(each.file) && levelOf(each.path) === 'pod');
  const last = limits.at(-1);
  const bytes = /^\d+$/.test(last?.values[''] ?? '') ? Number(last?.values['']) : Number.NaN;
  return {
    used: numbers(USED_FILES).reduce<PodMemory['used']>(
      (most, each) => (most === undefined || each.bytes > most.bytes ? each : most),
      undefined,
    ),
    limit: last !== undefined && bytes < UNLIMITED ? { bytes, ref: last.ref } : undefined,
  };
}

/** Why nobody can say whether the pod went beyond its limit, when that was expected. */
export function findUnreadLimit(file: CaseFile): string | undefined {
  if (file.record.expected.exceedsLimit !== true) return undefined;
  const { used, limit } = readPodMemory(file);
  if (limit === undefined) return "no limit of the pod's cgroup was read";
  return used === undefined ? 'no memory reading of any cgroup of the pod' : undefined;
}

/** A pod that was to go beyond its limit, and stayed within it. */
export function findWithinLimit(file: CaseFile): Mismatch | undefined {
  if (file.record.expected.exceedsLimit !== true) return undefined;
  const { used, limit } = readPodMemory(file);
  if (used === undefined || limit === undefined || used.bytes > limit.bytes * BEYOND) return undefined;
  return {
    field: 'exceedsLimit',
    expected: `memory of the pod beyond its limit of ${mebibytes(limit.bytes)}`,
    observed: `at most ${mebibytes(used.bytes)}`,
  };
}

/** The readings that show a pod beyond its limit, when that was expected. */
export function limitRefs(file: CaseFile): (EvidenceRef | undefined)[] {
  if (file.record.expected.exceedsLimit !== true) return [];
  const { used, limit } = readPodMemory(file);
  return [used?.ref, limit?.ref];
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MiB`;
}
