import type { KernelSaid } from '../model/evidence/observation.ts';
import { baseOf, type Where } from './lines.ts';
import { SIGSYS } from '../model/evidence/signals.ts';
import type { KernelRecord } from './kernel-record.ts';

/** kernel/cgroup/pids.c, pids_can_fork(): only the first time in each cgroup. */
const FORK_REJECTED = /^cgroup: fork rejected by pids controller in (\S+)$/;
/**
 * kernel/auditsc.c, audit_seccomp(): AUDIT_SECCOMP is 1326. The name may hold any text, so the pattern looks for `sig`
 * behind it. Linux 3.10 writes no `audit: ` and no `arch=`.
 */
const SECCOMP = /^(?:audit: )?type=1326 audit\([\d.:]+\): .*? pid=(\d+) comm=.* sig=(\d+) (?:arch|syscall)=/;
/**
 * mm/oom_kill.c, check_panic_on_oom() and out_of_memory(). "no killable processes" without the panic is also about a
 * memory cgroup, and ends nothing.
 */
const PANIC_ON_OOM =
  /^(?:Kernel panic - not syncing: )?(?:Out of memory: (?:system-wide|compulsory) panic_on_oom is enabled|System is deadlocked on memory)|^Kernel panic - not syncing: Out of memory and no killable processes/;
/** kernel/watchdog.c, kernel/hung_task.c, kernel/rcu/tree_stall.h, kernel/workqueue.c; 3.10 has other prefixes. */
const STALL =
  /^(?:(?:(?:NMI )?watchdog: )?BUG: soft lockup|NMI watchdog: Watchdog detected hard LOCKUP|watchdog: Watchdog detected hard LOCKUP|BUG: workqueue lockup|INFO: task .* blocked for more than|(?:rcu: )?INFO: \w+ (?:self-)?detected (?:expedited )?stall)/;
/** arch/x86/mm/fault.c, arch/x86/kernel/traps.c, arch/arm64/mm/fault.c, lib/bug.c, kernel/panic.c; `[#1]` is die(). */
const OOPS =
  /^(?:BUG: |kernel BUG at |Unable to handle kernel |Oops: |Internal error: |Kernel panic - |general protection fault|[a-z][\w ,-]*: [0-9a-f]{4,} \[#\d+\])/;
/**
 * mm/memory-failure.c, kill_proc() and kill_procs(), and arch/x86/mm/fault.c, do_sigbus(): a page of its memory is broken
 * in hardware. A name may hold anything.
 */
const MEMORY_FAILURE =
  /^(?:Memory failure|MCE|Memory error may not recovered)(?: 0x[0-9a-f]+)?: (?:0x[0-9a-f]+: )?(?:[Kk]illing|Sending SIGBUS to|forcibly killing) .*:(\d+) (?:early )?(?:due to hardware memory corruption|because of failure to unmap corrupted page)/;
/** arch/x86/mm/fault.c, show_signal_msg(); arch/x86/kernel/traps.c. A name may hold anything. */
const SEGFAULT = /^(?:.*\[(\d+)\]: segfault at |traps: .*\[(\d+)\] general protection)/;
/** lib/dump_stack.c, dump_stack_print_info(): the task on the CPU; since Linux 6.12 with its user. */
const TASK = /^CPU: \d+ (?:UID: \d+ )?PID: (\d+) Comm: /;
/** The stack of an oops follows it at once. */
const SAME_OOPS_MICROS = 2_000_000;

type Said = Pick<KernelSaid, 'about' | 'cgroup' | 'pid'>;
type Open = { -readonly [Key in keyof KernelSaid]: KernelSaid[Key] };

/**
 * Builds a reader of the kernel's other lines, in their order. An oops has several lines: the task of the last one
 * belongs to those before it.
 */
export function createSaidReader(where: Where): (record: KernelRecord) => KernelSaid | undefined {
  let oopses: { said: Open; micros: number }[] = [];
  return (record) => {
    const { text, micros } = record;
    const task = TASK.exec(text);
    if (task !== null) {
      for (const oops of oopses)
        if (micros - oops.micros <= SAME_OOPS_MICROS) oops.said.pid = Number(task[1]);
      oopses = [];
      return undefined;
    }
    const found = readSaid(text);
    if (found === undefined) return undefined;
    const said: Open = {
      ...baseOf('kmsg', record.at, where, record.line, text),
      kind: 'kernel-said',
      ...found,
    };
    if (said.about === 'oops') oopses.push({ said, micros });
    return said;
  };
}

function readSaid(text: string): Said | undefined {
  const rejected = FORK_REJECTED.exec(text);
  if (rejected !== null) return { about: 'fork-rejected', cgroup: rejected[1], pid: undefined };
  const seccomp = SECCOMP.exec(text);
  if (seccomp !== null && Number(seccomp[2]) === SIGSYS)
    return { about: 'seccomp', cgroup: undefined, pid: Number(seccomp[1]) };
  if (PANIC_ON_OOM.test(text)) return { about: 'panic-on-oom', cgroup: undefined, pid: undefined };
  if (STALL.test(text)) return { about: 'stall', cgroup: undefined, pid: undefined };
  if (OOPS.test(text)) return { about: 'oops', cgroup: undefined, pid: undefined };
  const broken = MEMORY_FAILURE.exec(text);
  if (broken !== null) return { about: 'memory-failure', cgroup: undefined, pid: Number(broken[1]) };
  const segfault = SEGFAULT.exec(text);
  if (segfault === null) return undefined;
  return { about: 'segfault', cgroup: undefined, pid: Number(segfault[1] ?? segfault[2]) };
}
