import type { CgroupValues } from '../../model/evidence/observation.ts';
import { groupBy } from '../../model/text/group-by.ts';
import { deriveOnce } from './derive-once.ts';
import type { EvidenceIndex } from './evidence-index.ts';

/** Each question is about few of all readings, and there are many questions. */
const byFile = deriveOnce((readings: readonly CgroupValues[]) => groupBy(readings, ({ file }) => file));
const byNode = deriveOnce((readings: readonly CgroupValues[]) => groupBy(readings, ({ node = '' }) => node));
const byPath = deriveOnce((readings: readonly CgroupValues[]) => groupBy(readings, ({ path }) => path));
const withOom = deriveOnce((readings: readonly CgroupValues[]) =>
  readings.filter(({ values }) => values.oom !== undefined || values.oom_kill !== undefined),
);
const NONE: readonly CgroupValues[] = [];

/** What was read in a file of any cgroup, such as `memory.events`, in the order of time. */
export function readingsIn(index: EvidenceIndex, file: string): readonly CgroupValues[] {
  return byFile(index.of('cgroup-values')).get(file) ?? NONE;
}

/** What was read on a node, by the path of the cgroup; paths in the order of their first reading. */
export function readingsByPath(
  index: EvidenceIndex,
  node: string | undefined,
): ReadonlyMap<string, readonly CgroupValues[]> {
  return byPath(byNode(index.of('cgroup-values')).get(node ?? '') ?? NONE);
}

/** The readings that count OOM kills, or how often a limit led to one. */
export function oomReadings(index: EvidenceIndex): readonly CgroupValues[] {
  return withOom(index.of('cgroup-values'));
}
