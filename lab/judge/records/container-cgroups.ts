import { isOfContainer, isOfPods } from '../../model/evidence/cgroup-path.ts';
import type { ProcessSeen } from '../../model/evidence/observation.ts';
import type { EvidenceIndex } from './evidence-index.ts';
import { isAtMost } from './times.ts';

/** The cgroups that hold the processes of one container. */
export interface ContainerCgroups {
  /** Whether all containers of the pod live in one sandbox, so that the host sees only the processes of the sandbox. */
  readonly sandboxed: boolean;
  /** Whether a cgroup holds processes of the container. */
  holds(cgroup: string): boolean;
}

/**
 * Finds the cgroups of a container. Usually they have its id in their name: `…pod<uid>.slice/cri-containerd-<id>.scope`
 * (systemd), `/kubepods/burstable/pod<uid>/<id>` (cgroupfs), and
 * `/system.slice/kubepods-…-pod<uid>.slice:cri-containerd:<id>` when kubelet and runtime disagree.
 *
 * gVisor runs a pod's containers in one sandbox. Its processes live in the cgroup of the pod or of its pause container,
 * never in that of the container, which may exist and stay empty (runsc/container/container.go,
 * `setupCgroupForSubcontainer`; shim `setPodCgroup`). Then every cgroup that names the pod counts.
 *
 * @param sandboxed whether gVisor runs it.
 */
export function findContainerCgroups(
  sandboxed: boolean,
  podUids: readonly string[],
  containerIds: readonly string[],
): ContainerCgroups {
  return {
    sandboxed,
    holds: (cgroup) =>
      sandboxed ? isOfPods(cgroup, podUids) : containerIds.some((id) => isOfContainer(cgroup, id)),
  };
}

/** The records of a container's processes, oldest first. */
export function findProcesses(index: EvidenceIndex, cgroups: ContainerCgroups): ProcessSeen[] {
  return index.of('process-seen').filter((seen) => cgroups.holds(seen.cgroup));
}

/**
 * The first process of a container.
 *
 * - It has its parent outside the container. A program may make a pid namespace of its own inside, whose first process
 *   has the number 1 as well, and a parent in the container.
 * - Of these it is the first that is not a stage of the runtime: such a stage ends as soon as the container runs. In a
 *   pid namespace of its own, or of its pod, it has another number than in the node.
 * - With a sandbox: the process that runs all containers, known by its command line, which its children share. Some
 *   platforms keep it in the host's pid namespace, and its file servers have namespaces of their own.
 *
 * @param by when it must have been met, milliseconds since the epoch: a process that was added later has its parent
 *   outside as well, and the record of the first one may be lost. The first of a pid namespace needs no such bound.
 */
export function findInit(
  processes: readonly ProcessSeen[],
  cgroups: ContainerCgroups,
  by?: number,
): ProcessSeen | undefined {
  // The witness sees the same process again after exec, under its final name.
  const latest = (pid: number | undefined): ProcessSeen | undefined =>
    processes.findLast((seen) => seen.pid === pid);
  if (cgroups.sandboxed) {
    const sandbox = processes.filter((seen) => /^(?:\S*\/)?runsc-sandbox /.test(seen.args ?? ''));
    const isChild = ({ ppid }: ProcessSeen): boolean => sandbox.some(({ pid }) => pid === ppid);
    return latest(sandbox.find((seen) => !isChild(seen))?.pid);
  }
  const pids = new Set(processes.map((seen) => seen.pid));
  const fromOutside = processes.filter((seen) => seen.nsPid > 0 && !pids.has(seen.ppid));
  const inTime = fromOutside.filter((seen) => isAtMost(seen.at, by, { unknown: 'counts' }));
  // The first of a pid namespace is the program, whatever it is called.
  const isStage = (seen: ProcessSeen): boolean =>
    seen.nsPid !== 1 && RUNTIME_STAGE.test(latest(seen.pid)?.comm ?? '');
  const first =
    inTime.find((seen) => seen.nsPid !== seen.pid && !isStage(seen)) ??
    inTime.find((seen) => seen.nsPid !== seen.pid) ??
    inTime.find((seen) => !isStage(seen)) ??
    inTime[0] ??
    fromOutside.find((seen) => seen.nsPid === 1);
  return latest(first?.pid);
}

/**
 * Names of a runtime while it starts a container. The third stage of runc becomes the container
 * (libcontainer/nsenter/nsexec.c), and the second of youki does (crates/libcontainer/src/process); crun has no stages.
 */
const RUNTIME_STAGE = /^(?:crun|runc(?::\[[01]:\w+\])?|youki(?::\[1:\w+\])?)$/;
