import type { CgroupValues } from '../../model/observation.ts';
import type { CaseFile } from '../case-file.ts';
import { isWhole, type Source } from '../completeness.ts';
import { refs, type Rule } from '../finding.ts';

const DECISIVE: readonly Source[] = ['kmsg', 'cgroup', 'pods'];

/** Nobody: the container still runs, was never restarted, and was watched for as long as was promised. */
export const judgeSurvival: Rule = (file) => {
  const { view, end, pod } = file;
  if (end !== undefined || view?.state !== 'running' || view.restartCount > 0) return undefined;
  if (pod.type === 'DELETED' || view.startedAt === undefined) return undefined;
  const watchedMs = Date.parse(file.record.endedAt) - view.startedAt;
  const { survivesSeconds, withinSeconds } = file.record.expected;
  const neededMs = (survivesSeconds ?? withinSeconds ?? 0) * 1000;
  const counter = lastCounter(file);
  const because = refs(file.viewRef, counter?.ref);
  if (watchedMs < neededMs) {
    const note = `watched for ${seconds(watchedMs)} of ${seconds(neededMs)}`;
    return { killer: 'unknown', confidence: 'none', because, decisive: DECISIVE, note };
  }
  const proven = counter !== undefined && isWhole(file, DECISIVE);
  return { killer: 'none', confidence: proven ? 'proven' : 'likely', because, decisive: DECISIVE };
};

/** The newest reading of the container's OOM counter: it never rose, or an earlier rule would have spoken. */
function lastCounter(file: CaseFile): CgroupValues | undefined {
  return file.observations.findLast(
    (each): each is CgroupValues =>
      each.kind === 'cgroup-values' &&
      each.path.includes(file.containerId) &&
      each.values.oom_kill !== undefined,
  );
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
