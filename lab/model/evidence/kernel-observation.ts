import type { EvidenceRef } from '../saved/formats.ts';
import type { Base } from './observation-base.ts';

/**
 * Kernel line `oom-kill:constraint=…` (kernel >= 5.0), or what older kernels say in other lines. The kernel limits its
 * rate to 10 in 5 s.
 */
export interface KernelOomContext extends Base {
  readonly kind: 'kernel-oom-context';
  /**
   * Whose memory ran out. `numa-nodes`: that of some nodes, to which a cpuset or a memory policy binds the allocation;
   * the others may have been free. Undefined when the kernel does not say: kernels before 5.0 do not for a global OOM.
   */
  readonly ranOut: 'cgroup' | 'numa-nodes' | 'machine' | undefined;
  /** Whether no limit of a memory cgroup was hit; `ranOut` says whether the whole machine ran out. */
  readonly global: boolean;
  readonly oomMemcg: string | undefined;
  readonly taskMemcg: string | undefined;
  readonly pid: number;
  readonly comm: string;
  /** The lines that say somebody asked for it by hand (SysRq f); undefined when memory had run out. */
  readonly byHand: readonly EvidenceRef[] | undefined;
  /** The process was ending already, so the kernel killed nobody. */
  readonly spared?: true | undefined;
}

/** Kernel line `… Killed process <pid> (<comm>)`: printed for every victim, sometimes twice for the first. */
export interface KernelKilled extends Base {
  readonly kind: 'kernel-killed';
  readonly scope: 'memcg' | 'global';
  /** It may be the id of a thread: the one that still has memory. */
  readonly pid: number;
  readonly comm: string;
  /**
   * The report that it belongs to, by the order of the lines: the kill may name another pid than the choice. Undefined
   * when the kernel's rate limit dropped the report, and for the other victims of a group kill.
   */
  readonly context?: KernelOomContext | undefined;
  /**
   * The group kill that it belongs to. The kernel prints the first victim before the group, and once more behind it.
   */
  readonly group?: KernelGroupKill | undefined;
}

/**
 * Kernel line `oom_reaper: reaped process <pid> (<comm>)` without a kill line before it: some vendor kernels limit the
 * rate of kill lines. The kernel also prints it for a process that was dying already, so this line without others does
 * not prove an OOM kill.
 */
export interface KernelReaped extends Base {
  readonly kind: 'kernel-reaped';
  readonly pid: number;
  readonly comm: string;
}

/** Kernel line `Tasks in <cgroup> are going to be killed due to memory.oom.group set`. */
export interface KernelGroupKill extends Base {
  readonly kind: 'kernel-group-kill';
  readonly cgroup: string;
  /**
   * The report of its first victim, whose line comes right before: one limit was hit, and all die of it (mm/oom_kill.c,
   * oom_kill_process()). Undefined when the kernel's rate limit dropped that report.
   */
  readonly context?: KernelOomContext | undefined;
}

/** Other kernel lines that may decide: each is about one thing that the kernel refused or survived. */
export interface KernelSaid extends Base {
  readonly kind: 'kernel-said';
  /**
   * `fork-rejected`: the pids controller (first time only). `seccomp`: an audit record. `panic-on-oom`: the node panics
   * because it is out of memory. `oops`: any other fault of the kernel, and any other panic. `stall`: a lockup or a
   * hung task, which a starved machine has as well. `segfault`: a fault of a program, rate-limited by the kernel.
   * `memory-failure`: the hardware broke a page of a program, which gets SIGBUS or SIGKILL for it.
   */
  readonly about:
    'fork-rejected' | 'seccomp' | 'panic-on-oom' | 'oops' | 'stall' | 'segfault' | 'memory-failure';
  /** The cgroup of a rejected fork. */
  readonly cgroup: string | undefined;
  /**
   * For a seccomp record, a segfault, a memory failure, and an oops: the task on the CPU. It may be the id of a thread. An oops whose
   * text has `[#1]` (any number) ends that task with SIGSEGV (die(), make_task_dead()); others may only warn.
   */
  readonly pid: number | undefined;
}

/** Up to where the kernel log was read: the lab's last line in it. Later records are missing. */
interface KernelLogEnded extends Base {
  readonly kind: 'kernel-log-ended';
}

/** All observations from a kernel log. */
export type KernelObservation =
  KernelOomContext | KernelKilled | KernelGroupKill | KernelReaped | KernelSaid | KernelLogEnded;
