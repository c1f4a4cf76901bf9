import { isOfPods, levelOf } from '../../model/evidence/cgroup-path.ts';
import type { Attribution } from '../../model/saved/formats.ts';
import type { CaseFile } from '../case/case-file.ts';
import { readMemory, readPodMemory, type MemoryUse } from '../case/pod-memory.ts';
import { readingsByPath } from '../records/readings.ts';
import { SEEN_LATE_MS } from '../records/tolerances.ts';

/**
 * Memory used and its limit, both of one cgroup: the one whose limit was hit, else the innermost that has a limit, else
 * the container's. Nothing when neither was read.
 */
export function readMemoryFigures(file: CaseFile): Pick<Attribution, 'figures'> {
  const { used, limit, readAt } = file.cgroups.sandboxed ? readPodMemory(file) : readOwn(file);
  if (used === undefined && limit === undefined) return {};
  return {
    figures: {
      ...(limit === undefined ? {} : { limitBytes: limit.bytes }),
      ...(used === undefined ? {} : { peakBytes: used.bytes, ...readBeforeEnd(file, readAt) }),
      because: [used?.ref, limit?.ref].filter((ref) => ref !== undefined),
    },
  };
}

/** That the memory was not read any more when the container ended: what it used then is not known. */
function readBeforeEnd(file: CaseFile, readAt: number | undefined): { readBeforeEndMs?: number } {
  if (file.endedAt === undefined || readAt === undefined) return {};
  const before = Math.round(file.endedAt - readAt);
  return before > SEEN_LATE_MS ? { readBeforeEndMs: before } : {};
}

function readOwn(file: CaseFile): MemoryUse {
  const readings = readingsByPath(file.index, file.node);
  const ofPod = [...readings.keys()].filter((path) => isOfPods(path, file.uids));
  const hit = ofPod.find((path) => path === file.oom.context?.oomMemcg);
  const own = ofPod.find((path) => file.cgroups.holds(path));
  const pod = ofPod.find((path) => levelOf(path) === 'pod');
  const paths = [hit, own, pod].filter((path) => path !== undefined);
  const all = paths.map((path) => readMemory(readings.get(path) ?? []));
  return all.find((use) => use.limit !== undefined) ?? all.find((use) => use.used !== undefined) ?? NOTHING;
}

const NOTHING: MemoryUse = { used: undefined, readAt: undefined, limit: undefined };
