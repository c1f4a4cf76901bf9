import type { KernelKilled } from '../../model/evidence/observation.ts';
import type { CaseFile } from './case-file.ts';

/** The cgroup of a process when the OOM killer ended it; empty when no record says it. */
export function cgroupOfKill(file: CaseFile, kill: KernelKilled): string {
  const process = file.index.processAt(kill.boot, kill.pid, kill.at);
  return kill.context?.taskMemcg ?? process?.latest.cgroup ?? kill.group?.cgroup ?? '';
}
