import type { KernelGroupKill, KernelKilled } from '../model/observation.ts';
import type { CaseFile } from './case-file.ts';

/** Longest time between the first and the last line of one group kill, on a slow node. */
const GROUP_KILL_MS = 1000;

/** The cgroup that a process was in when the kernel's OOM killer ended it; empty when nothing tells. */
export function cgroupOfKill(file: CaseFile, kill: KernelKilled): string {
  for (const each of file.index.all) {
    if (each.kind !== 'kernel-oom-context' && each.kind !== 'process-seen') continue;
    if (each.pid !== kill.pid || each.boot !== kill.boot) continue;
    const cgroup = each.kind === 'process-seen' ? each.cgroup : each.taskMemcg;
    if (cgroup !== undefined) return cgroup;
  }
  return cgroupOfGroup(file, kill);
}

/**
 * The cgroup of a group kill that a line belongs to; empty when it belongs to none. Such a line may carry the id of a
 * thread, which nothing else knows: the kernel walks the threads of the cgroup and names one that still has memory
 * (`oom_kill_memcg_member` and `find_lock_task_mm` in mm/oom_kill.c). It holds a lock meanwhile, so the lines of one kill
 * follow each other.
 */
function cgroupOfGroup(file: CaseFile, kill: KernelKilled): string {
  const line = kill.ref.line ?? 0;
  let group: KernelGroupKill | undefined;
  let contextLine = 0;
  for (const each of file.index.all) {
    const at = each.ref.line ?? 0;
    if (each.ref.file !== kill.ref.file || at >= line) continue;
    if (each.kind === 'kernel-oom-context') contextLine = Math.max(contextLine, at);
    if (each.kind === 'kernel-group-kill' && at > (group?.ref.line ?? 0)) group = each;
  }
  if (group === undefined || contextLine > (group.ref.line ?? 0)) return '';
  return (kill.at ?? 0) - (group.at ?? 0) <= GROUP_KILL_MS ? group.cgroup : '';
}
