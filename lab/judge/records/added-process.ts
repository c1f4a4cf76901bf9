import type { EvidenceIndex, Process } from './evidence-index.ts';

/** How many parents of a process are followed. */
const MAX_PARENTS = 16;

/**
 * Whether a process was added to a container, as `kubectl exec` and exec probes do: its parents lead to the shim, and
 * not to the first process, which knows nothing of it.
 */
export function isAddedProcess(
  index: EvidenceIndex,
  added: Process | undefined,
  first: Process | undefined,
): boolean {
  const shim = first?.latest.ppid ?? 0;
  if (first === undefined || shim <= 1) return false;
  let process = added;
  for (let depth = 0; depth < MAX_PARENTS && process !== undefined && process !== first; depth += 1) {
    const { ppid, boot } = process.latest;
    if (ppid === shim) return true;
    process = index.processAt(boot, ppid, process.from);
  }
  return false;
}
