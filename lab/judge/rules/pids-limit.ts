import type { CgroupValues, KernelSaid } from '../../model/observation.ts';
import { isWhole, type Source } from '../completeness.ts';
import { refs, type Rule } from '../finding.ts';
import { isOfPod, levelOf } from '../levels.ts';
import { findRise } from '../oom-evidence.ts';

const DECISIVE: readonly Source[] = ['kmsg', 'cgroup', 'trace'];
/** A program that cannot fork gives up soon; later than this, its end is its own affair. */
const GIVES_UP_MS = 10_000;

/**
 * The pids controller kills nobody: it refuses a fork (EAGAIN), and the program that cannot go on ends itself, by exit or
 * abort(). So the refusal must have been counted, or told by the kernel, right before the container ended by itself.
 */
export const judgePidsLimit: Rule = (file) => {
  const endedAt = file.initExit?.at ?? file.end?.at;
  if (endedAt === undefined || file.end?.exitCode === 0) return undefined;
  if (file.killingSignal !== undefined && file.killingSignal.sender !== 'container') return undefined;
  const values = file.observations.filter(
    (each): each is CgroupValues =>
      each.kind === 'cgroup-values' &&
      each.file === 'pids.events' &&
      each.node === file.node &&
      (each.at ?? 0) <= endedAt + 1000,
  );
  const inOwn = (path: string): boolean => isOfPod(path, file.pod.uid) && path.includes(file.containerId);
  const isOwn = (path: string): boolean =>
    inOwn(path) || (isOfPod(path, file.pod.uid) && levelOf(path) === 'pod');
  const kernel = file.observations.find(
    (each): each is KernelSaid =>
      each.kind === 'kernel-said' &&
      each.about === 'fork-rejected' &&
      each.node === file.node &&
      isOwn(each.cgroup ?? '') &&
      (each.at ?? 0) <= endedAt + 1000,
  );
  // Since Linux 6.11 the pod's counter counts what any of its containers is refused; the kernel names the one.
  const counts = kernel !== undefined || !isWhole(file, ['kmsg']) ? isOwn : inOwn;
  const rise = findRise(values, counts, 'max', ['pids.events']);
  const last = values.filter((each) => counts(each.path) && Number(each.values.max) > 0).at(-1);
  const refusedAt = Math.max(last?.at ?? 0, kernel?.at ?? 0);
  if ((rise === undefined && kernel === undefined) || endedAt - refusedAt > GIVES_UP_MS) return undefined;
  const proven = rise !== undefined && kernel !== undefined && isWhole(file, DECISIVE);
  return {
    killer: 'pids-limit',
    confidence: proven ? 'proven' : 'likely',
    because: refs(
      kernel?.ref,
      rise?.values.ref,
      file.killingSignal?.sent.ref,
      file.initExit?.ref,
      file.end?.ref,
    ),
    at: endedAt,
    decisive: DECISIVE,
    note: 'the limit refused a fork; the program then ended itself',
  };
};
