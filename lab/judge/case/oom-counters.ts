import { isOfPods, levelOf, levelOfLimit } from '../../model/evidence/cgroup-path.ts';
import type { Level } from '../../model/killers/killers.ts';
import type { CgroupValues, KernelKilled, KernelOomContext } from '../../model/evidence/observation.ts';
import type { ContainerCgroups } from '../records/container-cgroups.ts';
import { API_MS } from '../records/tolerances.ts';
import { isAtMost, shift } from '../records/times.ts';

/** A counter that went up. */
export interface CounterRise {
  readonly from: number;
  readonly to: number;
  readonly values: CgroupValues;
}

/** The container whose counters are read. */
interface Owner {
  readonly cgroups: ContainerCgroups;
  readonly uids: readonly string[];
}

const COUNTER_FILES = ['memory.events.local', 'memory.events', 'memory.oom_control'];

/**
 * Finds a rise of the pod's counter that is due to this container. The pod's counter outlives the container's, but
 * counts all its containers. It says nothing of one when the kernel had named another one by then, or when the counter
 * of another one rose.
 */
export function findRiseOfPod(
  values: readonly CgroupValues[],
  contexts: readonly KernelOomContext[],
  { cgroups, uids }: Owner,
  kill: KernelKilled | undefined,
): CounterRise | undefined {
  const rise = findRise(values, (path) => isOfPods(path, uids) && levelOf(path) === 'pod', 'oom_kill');
  const isSiblings = contexts.some(
    ({ taskMemcg, at }) =>
      taskMemcg !== undefined &&
      isOfPods(taskMemcg, uids) &&
      !cgroups.holds(taskMemcg) &&
      (kill === undefined || isAtMost(at, shift(rise?.values.at, API_MS), { unknown: 'counts' })),
  );
  // The kernel may not have named the other one, but its own counter tells.
  const countedForSibling =
    kill === undefined &&
    findRise(
      values,
      (path) => isOfPods(path, uids) && levelOf(path) === 'container' && !cgroups.holds(path),
      'oom_kill',
    ) !== undefined;
  return isSiblings || countedForSibling ? undefined : rise;
}

/** On cgroup v2 `oom` of memory.events.local counts where the limit was hit, and `oom_kill` where a process died. */
export function levelOfCounters(values: readonly CgroupValues[], target: Owner): Level | undefined {
  const pod = (path: string): boolean => isOfPods(path, target.uids) && levelOf(path) === 'pod';
  // A limit that the container set inside of itself is not its own.
  const own = (path: string): boolean =>
    target.cgroups.holds(path) && !pod(path) && levelOfLimit(path, target.uids) !== undefined;
  const qos = (path: string): boolean => levelOf(path) === 'qos';
  const local = values.filter((reading) => reading.file === 'memory.events.local');
  if (findRise(local, own, 'oom')) return 'container';
  if (findRise(local, pod, 'oom')) return 'pod';
  return findRise(local, qos, 'oom') ? 'qos' : undefined;
}

/** Finds the first value of a counter above its first one. Counters of a new cgroup start at zero. */
export function findRise(
  values: readonly CgroupValues[],
  wanted: (path: string) => boolean,
  key: string,
  files: readonly string[] = COUNTER_FILES,
): CounterRise | undefined {
  const first = new Map<string, number>();
  for (const file of files) {
    for (const reading of values) {
      if (reading.file !== file) continue;
      const count = Number(reading.values[key] ?? Number.NaN);
      if (!Number.isFinite(count) || !wanted(reading.path)) continue;
      const name = `${reading.boot} ${reading.path} ${file}`;
      const from = first.get(name) ?? count;
      first.set(name, Math.min(from, count));
      if (count > from) return { from, to: count, values: reading };
    }
  }
  return undefined;
}
