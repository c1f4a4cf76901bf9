import type { CgroupValues } from '../../model/observation.ts';
import type { CaseFile } from '../case-file.ts';
import { isWhole, type Source } from '../completeness.ts';
import { refs, type Rule } from '../finding.ts';
import { limitRefs } from '../limit.ts';

const DECISIVE: readonly Source[] = ['kmsg', 'cgroup', 'trace', 'pods'];
/** How much it used at most: a survivor that never ate proves little. v2 (since kernel 5.19), v1. */
const PEAKS = ['memory.peak', 'memory.max_usage_in_bytes'];

/** Nobody: the container still runs, was never restarted, and was watched for as long as was promised. */
export const judgeSurvival: Rule = (file) => {
  const { view, end, pod } = file;
  if (end !== undefined || view?.state !== 'running' || view.restartCount > 0) return undefined;
  // The API hears of a death late: the trace, the runtime and the kubelet's own log know earlier.
  if (file.initExit !== undefined || hasWordOfEnd(file)) return undefined;
  if (pod.type === 'DELETED' || view.startedAt === undefined) return undefined;
  const watchedMs = Date.parse(file.record.endedAt) - view.startedAt;
  const { survivesSeconds, withinSeconds } = file.record.expected;
  const neededMs = (survivesSeconds ?? withinSeconds ?? 0) * 1000;
  const counter = lastReading(file, (each) => each.values.oom_kill !== undefined);
  const peak = lastReading(file, (each) => PEAKS.includes(each.file));
  const because = refs(file.viewRef, counter?.ref, peak?.ref, ...limitRefs(file));
  if (watchedMs < neededMs) {
    const note = `watched for ${seconds(watchedMs)} of ${seconds(neededMs)}`;
    return { killer: 'unknown', confidence: 'none', because, decisive: DECISIVE, note };
  }
  // The runtime removes the cgroup of a dead container at once: a late reading means that it was still alive.
  const readLate = counter?.at !== undefined && counter.at - view.startedAt >= neededMs;
  const proven = readLate && isWhole(file, DECISIVE);
  return { killer: 'none', confidence: proven ? 'proven' : 'likely', because, decisive: DECISIVE };
};

/** Whether the runtime or the kubelet says that it stopped this very container, or that it ended. */
function hasWordOfEnd(file: CaseFile): boolean {
  return file.observations.some((each) => {
    if (each.kind === 'runtime-exit' || each.kind === 'runtime-gone' || each.kind === 'runtime-stop')
      return each.containerId === file.containerId && each.execId === undefined;
    if (each.kind !== 'kubelet-said' || each.containerId !== file.containerId) return false;
    return each.about === 'container-died' || each.about === 'killing-container';
  });
}

/**
 * The newest reading of the cgroup that holds the container, or the sandbox that holds it: those above it outlive both.
 * Its OOM counter never rose, or an earlier rule would have spoken. */
function lastReading(file: CaseFile, wanted: (values: CgroupValues) => boolean): CgroupValues | undefined {
  return file.observations.findLast(
    (each): each is CgroupValues =>
      each.kind === 'cgroup-values' &&
      file.containerId !== '' &&
      (file.place.sandboxed ? each.path === file.init?.cgroup : file.place.holds(each.path)) &&
      wanted(each),
  );
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
