import type { Observation, PodSeen, ProcessExited, ProcessSeen } from '../model/observation.ts';
import { isOfPod } from './levels.ts';
import { findKillingSignal, type KillingSignal } from './signals.ts';

/** The process that holds a pod's namespaces: pause, or the sandbox of another runtime. */
export interface Sandbox {
  readonly init: ProcessSeen;
  readonly exit: ProcessExited | undefined;
  /** What ended it; undefined while it lives, and when no signal was seen. */
  readonly killingSignal: KillingSignal | undefined;
}

/**
 * Finds the pod's first sandbox: the first process in a cgroup of the pod whose id is that of none of its containers.
 * When it ended and was made anew, it is the one that ended.
 *
 * @param init the first process of the judged container: the sandbox of the same boot is meant.
 */
export function findSandbox(
  observations: readonly Observation[],
  versions: readonly PodSeen[],
  pod: PodSeen,
  init: ProcessSeen | undefined,
): Sandbox | undefined {
  const own = versions.filter((each) => each.uid === pod.uid);
  const containerIds = new Set([
    ...own.flatMap((each) => each.containers.flatMap((view) => [view.id, view.last?.id ?? ''])),
    // The API may never have heard of it.
    idIn(init?.cgroup ?? ''),
  ]);
  const processes = observations.filter(
    (each): each is ProcessSeen =>
      each.kind === 'process-seen' &&
      isOfPod(each.cgroup, pod.uid) &&
      !containerIds.has(idIn(each.cgroup)) &&
      idIn(each.cgroup) !== '' &&
      (init === undefined || each.boot === init.boot),
  );
  // The stages of runc end as soon as it has made the sandbox.
  const first =
    processes.find((each) => each.nsPid === 1) ?? processes.find((each) => !/^runc(?::|$)/.test(each.comm));
  if (first === undefined) return undefined;
  const newest = processes.findLast((each) => each.pid === first.pid) ?? first;
  const exit = observations.find(
    (each): each is ProcessExited =>
      each.kind === 'process-exited' && each.pid === first.pid && each.boot === first.boot,
  );
  const id = idIn(first.cgroup);
  const inside = processes.filter((each) => idIn(each.cgroup) === id);
  const killingSignal = findKillingSignal(observations, inside, first, exit?.at, id, undefined);
  return { init: newest, exit, killingSignal };
}

/** The container id in the last part of a cgroup path; empty when there is none. */
function idIn(cgroup: string): string {
  return /[0-9a-f]{64}/.exec(cgroup.split('/').at(-1) ?? '')?.[0] ?? '';
}
