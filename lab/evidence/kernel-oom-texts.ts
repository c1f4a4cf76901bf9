import type { Base, KernelKilled, KernelOomContext } from '../model/evidence/observation.ts';

/** mm/oom_kill.c, __oom_kill_process(); a process name is at most 15 bytes and may hold any character. */
export const KILLED =
  /^(Memory cgroup out of memory|Out of memory)(?: \([^)]*\))?: Killed process (\d+) \((.*)\),? total-vm:/;
/**
 * The same of Linux 4.20 and older, behind OLD_CHOICE; Red Hat's 3.10 has the user too. Its scope is that of the
 * choice.
 */
export const OLD_KILLED = /^Killed process (\d+) \((.*)\)(?:, UID \d+)?,? total-vm:/;
/**
 * mm/oom_kill.c, dump_oom_summary(); a vendor kernel of the 3.10 line has it without the constraint. A name and the path of
 * a nested cgroup may hold any text, also that of a field. So the line is read from both ends, and a name has at most 15
 * bytes; /dev/kmsg escapes those that are not printable.
 */
export const SUMMARY =
  /^oom-kill:(?:constraint=(\w+))?,.*?(?:,oom_memcg=([^,]*)|,(global_oom))(?:,task_memcg=(.*?))?,task=((?:\\x[0-9a-f]{2}|.){0,15}),pid=(\d+),uid=\d+$/;
/** mm/memcontrol.c, mem_cgroup_print_oom_group(). */
export const GROUP = /^Tasks in (.*) are going to be killed due to memory\.oom\.group set$/;
/** mm/memcontrol.c, mem_cgroup_print_oom_info(), before the summary had the cgroups: up to Linux 4.20 and RHEL 8.1. */
export const OLD_LIMIT = /^Task in (\S+) killed as a result of limit of (\S+)$/;
/** mm/oom_kill.c, oom_kill_process() up to Linux 5.0. No rate limit drops it, so every kill has one. */
export const OLD_CHOICE =
  /^(Memory cgroup out of memory|Out of memory)(?: \([^)]*\))?: Kill process (\d+) \((.*)\) score /;
/** mm/oom_kill.c, __oom_kill_process(): no kill follows this choice. */
export const SKIPPED =
  /^(?:Memory cgroup out|Out) of memory.*: OOM victim (\d+) \(.*\) is already exiting\. Skip killing the task/;
/** mm/oom_kill.c, oom_reap_task(). */
export const REAPED =
  /^oom_reaper: (?:reaped process (\d+) \((.*)\), now |unable to reap pid:(\d+) \((.*)\)$)/;

/** The cgroups that an old report names in a line of its own. */
export type Cgroups = Pick<KernelOomContext, 'oomMemcg' | 'taskMemcg'>;
/** The process that a line names. */
export type Who = Pick<KernelKilled, 'pid' | 'comm'>;
/** The same, with the scope of the memory that ran out. */
export type Scoped = Who & Pick<KernelKilled, 'scope'>;

/** Reads KILLED and OLD_CHOICE. */
export function whoOf([, prefix = '', pid, comm = '']: RegExpExecArray): Scoped {
  return { scope: prefix.startsWith('Memory cgroup') ? 'memcg' : 'global', pid: Number(pid), comm };
}

/** Reads SUMMARY. */
export function contextOf(found: RegExpExecArray): Omit<KernelOomContext, keyof Base | 'byHand'> {
  const [, constraint = '', oomMemcg, global, taskMemcg, comm = '', pid] = found;
  return {
    kind: 'kernel-oom-context',
    ranOut: oomMemcg === undefined ? RAN_OUT[constraint] : 'cgroup',
    global: global !== undefined,
    oomMemcg,
    taskMemcg,
    pid: Number(pid),
    comm,
  };
}

/** include/linux/oom.h, enum oom_constraint; the middle ones bind an allocation to some of the machine's NUMA nodes. */
const RAN_OUT: Readonly<Record<string, KernelOomContext['ranOut']>> = {
  CONSTRAINT_NONE: 'machine',
  CONSTRAINT_CPUSET: 'numa-nodes',
  CONSTRAINT_MEMORY_POLICY: 'numa-nodes',
  CONSTRAINT_MEMCG: 'cgroup',
};

/** Kernels without the summary do not say what binds an allocation that no cgroup limits. */
export function contextOfOld(
  scope: KernelKilled['scope'],
  cgroups: Cgroups | undefined,
  who: Who,
): Omit<KernelOomContext, keyof Base | 'byHand'> {
  const isMemcg = scope === 'memcg';
  return {
    kind: 'kernel-oom-context',
    ranOut: isMemcg ? 'cgroup' : undefined,
    global: !isMemcg,
    oomMemcg: isMemcg ? cgroups?.oomMemcg : undefined,
    taskMemcg: cgroups?.taskMemcg,
    ...who,
  };
}
