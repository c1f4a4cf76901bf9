import { valueOf } from '../model/axes.ts';
import { isOfContainer } from '../model/cgroup-path.ts';
import type { CellRecord, ProcessSeen } from '../model/observation.ts';
import type { EvidenceIndex } from './evidence-index.ts';
import { isOfPods } from './levels.ts';

/** In which cgroups the processes of one container live. */
export interface ContainerCgroups {
  /** Whether all containers of the pod live in one sandbox, whose processes are all that the host sees. */
  readonly sandboxed: boolean;
  /** Whether a cgroup holds processes of the container. */
  holds(cgroup: string): boolean;
}

/**
 * Finds the cgroups of a container. Usually they have its id in their name, whoever made them:
 * `…pod<uid>.slice/cri-containerd-<id>.scope` (systemd), `/kubepods/burstable/pod<uid>/<id>` (cgroupfs), and
 * `/system.slice/kubepods-…-pod<uid>.slice:cri-containerd:<id>` when kubelet and runtime disagree.
 *
 * gVisor runs a pod's containers in one sandbox: its processes live in the cgroup of the pod or of its pause container,
 * and never in that of the container itself, which may exist and stay empty (runsc/container/container.go,
 * `setupCgroupForSubcontainer`; shim `setPodCgroup`). Every cgroup that names the pod is then meant.
 */
export function findContainerCgroups(
  record: Pick<CellRecord, 'variant'>,
  podUids: readonly string[],
  containerIds: readonly string[],
): ContainerCgroups {
  const sandboxed = valueOf(record.variant, 'runtime').name === 'runsc';
  return {
    sandboxed,
    holds: (cgroup) =>
      sandboxed ? isOfPods(cgroup, podUids) : containerIds.some((id) => isOfContainer(cgroup, id)),
  };
}

/** The records of a container's processes, oldest first. */
export function findProcesses(index: EvidenceIndex, cgroups: ContainerCgroups): ProcessSeen[] {
  return index.of('process-seen').filter((each) => cgroups.holds(each.cgroup));
}

/**
 * The first process of a container: pid 1 of its own pid namespace; with a namespace that it shares with its pod or its
 * node, the process whose parent is outside, and that is not one of runc's own, which end as soon as it runs. Of a
 * sandbox it is the one that runs all of its containers, known by its command line: some platforms keep it in the host's
 * pid namespace, and its file servers have namespaces of their own.
 *
 * @param by when it must have been met, milliseconds since the epoch: a process that was added later has its parent outside
 *   as well, and the record of the first one may be lost. The first of a pid namespace needs no such bound.
 */
export function findInit(
  processes: readonly ProcessSeen[],
  cgroups: ContainerCgroups,
  by = Number.POSITIVE_INFINITY,
): ProcessSeen | undefined {
  // The same process is seen again after exec, under the name that a person knows.
  const latest = (pid: number | undefined): ProcessSeen | undefined =>
    processes.findLast((each) => each.pid === pid);
  if (cgroups.sandboxed)
    return latest(processes.find((each) => /^(?:\S*\/)?runsc-sandbox /.test(each.args ?? ''))?.pid);
  const pids = new Set(processes.map((each) => each.pid));
  const fromOutside = processes.filter(
    (each) => each.nsPid > 0 && !pids.has(each.ppid) && (each.at ?? 0) <= by,
  );
  const first =
    processes.find((each) => each.nsPid === 1) ??
    fromOutside.find((each) => each.nsPid !== each.pid) ??
    fromOutside.find((each) => !RUNC_STAGE.test(latest(each.pid)?.comm ?? '')) ??
    fromOutside[0];
  return latest(first?.pid);
}

/** What runc calls itself while it starts a container (libcontainer/nsenter/nsexec.c); the third becomes the container. */
const RUNC_STAGE = /^runc(:\[[01]:\w+\])?$/;
