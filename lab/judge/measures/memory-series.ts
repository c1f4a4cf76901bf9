import { isOfPods, levelOf } from '../../model/evidence/cgroup-path.ts';
import type { CgroupValues } from '../../model/evidence/observation.ts';
import type { MemoryPoint, MemorySeries } from '../../model/evidence/story.ts';
import type { CaseFile } from '../case/case-file.ts';
import { PEAK_FILES, readMemory, USED_NOW_FILES } from '../case/pod-memory.ts';

/**
 * The memory of the victim's cgroup, of its pod's, and of the one whose limit was hit, over time. A cgroup is left out
 * when none of its use was read.
 */
export function readMemorySeries(file: CaseFile): MemorySeries[] {
  const hit = file.oom.context?.oomMemcg;
  const counts = (path: string): boolean =>
    path === hit || file.cgroups.holds(path) || (isOfPods(path, file.uids) && levelOf(path) === 'pod');
  const values = file.index
    .of('cgroup-values')
    .filter((reading) => (file.node === undefined || reading.node === file.node) && counts(reading.path));
  return [...new Set(values.map(({ path }) => path))]
    .map((path) =>
      seriesOf(
        path,
        values.filter((reading) => reading.path === path),
      ),
    )
    .filter(({ used, peaks }) => used.length + peaks.length > 0);
}

function seriesOf(path: string, values: readonly CgroupValues[]): MemorySeries {
  const level = levelOf(path);
  const points = (names: readonly string[]): MemoryPoint[] =>
    values.flatMap(({ at, file, values: read }) =>
      at !== undefined && names.includes(file) && /^\d+$/.test(read[''] ?? '')
        ? [{ at, bytes: Number(read['']) }]
        : [],
    );
  return {
    path,
    level,
    used: points(USED_NOW_FILES),
    peaks: points(PEAK_FILES),
    limitBytes: readMemory(values).limit?.bytes,
  };
}
