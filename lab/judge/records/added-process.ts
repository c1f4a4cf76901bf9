import type { EvidenceIndex, Process } from './evidence-index.ts';

/** How many parents of a process are followed. */
const MAX_PARENTS = 16;

/**
 * Whether a process was added to a container, as `kubectl exec` and exec probes do: its parents lead to the shim, and
 * not to the first process, which knows nothing of it. A daemon of the program also loses its parent. It falls to the first
 * process of its pid namespace: in a shared one that is the pause, and in that of the node the shim (PR_SET_CHILD_SUBREAPER).
 */
export function isAddedProcess(
  index: EvidenceIndex,
  added: Process | undefined,
  first: Process | undefined,
): boolean {
  const shim = first?.latest.ppid ?? 0;
  if (first === undefined || shim <= 1 || isOfHost(first)) return false;
  let process = added;
  for (let depth = 0; depth < MAX_PARENTS && process !== undefined && process !== first; depth += 1) {
    const { ppid, boot, nsPid } = process.latest;
    if (nsPid === 1) return false;
    if (ppid === shim) return true;
    process = index.processAt(boot, ppid, process.from);
  }
  return false;
}

/** Whether it has the number that the node gave it: the pod has the pid namespace of the node. */
function isOfHost({ latest: { pid, nsPid } }: Process): boolean {
  return pid === nsPid;
}
