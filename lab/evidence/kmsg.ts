import type { EvidenceRef } from '../model/formats.ts';
import type {
  Base,
  KernelGroupKill,
  KernelKilled,
  KernelLogEnded,
  KernelOomContext,
  KernelSaid,
  Lost,
} from '../model/observation.ts';
import { createGapFinder, type Numbered } from './gaps.ts';
import { linesOf, lostOf, baseOf, toTheEnd, type EvidenceText, type Line } from './lines.ts';

/** Wall time in milliseconds of a time on the node's monotonic clock in microseconds. */
export type ToWall = (monoMicros: number) => number;

interface KernelRecord extends Numbered {
  readonly facility: number;
  readonly text: string;
}

type KernelObservation = KernelKilled | KernelOomContext | KernelGroupKill | KernelSaid;

/** What a kernel log must hold to be whole. */
export interface KmsgLimits {
  /** When the cell began, in ms: a ring whose oldest record is younger had lost records by then. */
  readonly from?: number | undefined;
  /** Text of the record that was written when the cell was over. */
  readonly end?: string | undefined;
}

/** Only these records are kept in memory; the others are read for their number alone. */
const OF_INTEREST =
  /oom|[Kk]ill|Manual OOM|Task in|fork rejected|type=1326|Oops|BUG|kernel panic|Kernel panic|general protection|lockup|blocked for more|rcu: INFO/;

/**
 * Reads raw /dev/kmsg records (`prefix,sequence,microseconds,flags;text`, continuation lines start with a space;
 * Documentation/ABI/testing/dev-kmsg).
 *
 * Only records of facility 0 are the kernel's own: whatever a program writes into /dev/kmsg gets another one, so a
 * program cannot fake an OOM line.
 *
 * @param toWall undefined when the clocks of the node are not known; the times stay unknown then.
 * @param limits of what must be there; undefined parts are not asked for.
 */
export function parseKmsg(
  content: EvidenceText,
  file: string,
  toWall: ToWall | undefined,
  limits: KmsgLimits = {},
): (KernelObservation | KernelLogEnded | Lost)[] {
  const observations: (KernelObservation | KernelLogEnded | Lost)[] = [];
  const records: KernelRecord[] = [];
  const numbers = createGapFinder();
  let cut = false;
  let ended = limits.end === undefined;
  for (const line of linesOf(content)) {
    cut = line.cut;
    if (line.cut || line.text.startsWith(' ')) continue;
    const record = parseRecord(line, toWall);
    if (record === undefined) {
      observations.push(lostOf('kmsg', 'a line is not a kernel record', file, undefined, line.number));
      continue;
    }
    numbers.add({ seq: record.seq, at: record.at, line: record.line });
    if (record.text === limits.end) {
      ended = true;
      const base = baseOf('kmsg', record.at, file, record.line, record.text);
      observations.push({ kind: 'kernel-log-ended', ...base });
    }
    if (record.facility === 0 && OF_INTEREST.test(record.text)) records.push(record);
  }
  records.sort((a, b) => a.seq - b.seq);
  const first = numbers.first();
  const last = numbers.last();
  if (cut)
    observations.push(lostOf('kmsg', 'the file ends in the middle of a record', file, last?.at, last?.line));
  if (first === undefined) observations.push(lostOf('kmsg', 'there are no kernel records', file));
  else if (first.at !== undefined && limits.from !== undefined && first.at > limits.from) {
    const why = 'the kernel log begins after the cell began: older records were overwritten';
    observations.push(lostOf('kmsg', why, file, first.at, first.line));
  }
  if (first !== undefined && !ended)
    observations.push(
      toTheEnd(lostOf('kmsg', 'the kernel log was not read to its end', file, last?.at, last?.line)),
    );
  observations.push(...numbers.findGaps('kmsg', file));
  const observe = createObserver(file);
  for (const record of records) {
    const found = observe(record);
    if (found !== undefined) observations.push(found);
  }
  return observations;
}

const RECORD = /^(\d+),(\d+),(\d+),[^;]*;(.*)$/;

function parseRecord(line: Line, toWall: ToWall | undefined): KernelRecord | undefined {
  const found = RECORD.exec(line.text);
  if (found === null) return undefined;
  const [, prefix = '', seq = '', micros = '', text = ''] = found;
  return {
    facility: Number(prefix) >> 3,
    seq: Number(seq),
    at: toWall?.(Number(micros)),
    line: line.number,
    text,
  };
}

/** mm/oom_kill.c, __oom_kill_process(); a process name is at most 15 bytes and may hold any character. */
const KILLED =
  /^(Memory cgroup out of memory|Out of memory(?: \([^)]*\))?): Killed process (\d+) \((.*)\),? total-vm:/;
/** mm/oom_kill.c, dump_oom_summary(). */
const CONTEXT =
  /^oom-kill:constraint=(\w+),.*?(?:,oom_memcg=([^,]*)|,(global_oom))(?:,task_memcg=(.*))?,task=(.*),pid=(\d+),uid=\d+$/;
/**
 * mm/oom_kill.c, dump_header(): the first line of a report that ends with CONTEXT; one lock holds both together, and one
 * rate limit leaves out both. It names the order of the allocation that failed, and -1 when none did (is_sysrq_oom()).
 */
const INVOKED = / invoked oom-killer: gfp_mask=.*, order=(-?\d+), oom_score_adj=-?\d+$/;
const ORDER_BY_HAND = -1;
/** drivers/tty/sysrq.c, sysrq_moom_op; Linux 4.19 and older say `SysRq : ` as well. */
const ASKED_BY_HAND = /^sysrq: (?:SysRq : )?Manual OOM execution$/;
/** mm/memcontrol.c, mem_cgroup_print_oom_group(). */
const GROUP = /^Tasks in (.*) are going to be killed due to memory\.oom\.group set$/;

/**
 * Linux 4.19 and older write three lines for one kill: whose limit (memcontrol.c, mem_cgroup_print_oom_info), the
 * choice with its scope, and the kill without it (oom_kill.c, oom_kill_process).
 */
const OLD_LIMIT = /^Task in (\S+) killed as a result of limit of (\S+)$/;
const OLD_CHOICE =
  /^(Memory cgroup out of memory|Out of memory(?: \([^)]*\))?): Kill process (\d+) \((.*)\) score /;
const OLD_KILLED = /^Killed process (\d+) \((.*)\) total-vm:/;

/** kernel/cgroup/pids.c, pids_can_fork(): only the first time in each cgroup. */
const FORK_REJECTED = /^cgroup: fork rejected by pids controller in (\S+)$/;
/** kernel/auditsc.c, audit_seccomp(): AUDIT_SECCOMP is 1326. The name may hold anything, so `sig` is looked up behind it. */
const SECCOMP = /^audit: type=1326 audit\([\d.:]+\): .*? pid=(\d+) comm=.* sig=(\d+) arch=/;
const PANIC_ON_OOM =
  /^Out of memory: (?:system-wide|compulsory) panic_on_oom is enabled|System is deadlocked on memory/;
const OOPS = /^(?:BUG: (?!workqueue lockup)|kernel BUG at |Oops: |Kernel panic - |general protection fault)/;
/** kernel/watchdog.c, kernel/hung_task.c, kernel/rcu/tree_stall.h, kernel/workqueue.c. */
const STALL =
  /^(?:watchdog: BUG: soft lockup|BUG: workqueue lockup|INFO: task .* blocked for more than|rcu: INFO: \w+ (?:self-)?detected stall)/;
const SIGSYS = 31;

/** The observer remembers the lines before: a report has several, and old kernels spread one kill over several. */
function createObserver(file: string): (record: KernelRecord) => KernelObservation | undefined {
  let limit: { oomMemcg: string; taskMemcg: string } | undefined;
  let scope: KernelKilled['scope'] | undefined;
  const invocation = createInvocation();
  return (record) => {
    const { text } = record;
    const base = baseOf('kmsg', record.at, file, record.line, text);
    invocation.see(base.ref);
    const killed = KILLED.exec(text);
    if (killed !== null) {
      return {
        ...base,
        kind: 'kernel-killed',
        scope: scopeOf(killed[1]),
        pid: Number(killed[2]),
        comm: killed[3] ?? '',
      };
    }
    const context = CONTEXT.exec(text);
    if (context !== null) return { ...base, ...contextOf(context), byHand: invocation.take() };
    const group = GROUP.exec(text);
    if (group !== null) return { ...base, kind: 'kernel-group-kill', cgroup: group[1] ?? '' };
    const oldLimit = OLD_LIMIT.exec(text);
    if (oldLimit !== null) limit = { taskMemcg: oldLimit[1] ?? '', oomMemcg: oldLimit[2] ?? '' };
    const choice = OLD_CHOICE.exec(text);
    if (choice !== null) {
      scope = scopeOf(choice[1]);
      const of = limit;
      limit = undefined;
      if (scope === 'memcg' && of === undefined) return undefined;
      const constraint = scope === 'memcg' ? 'CONSTRAINT_MEMCG' : 'CONSTRAINT_NONE';
      const who = { pid: Number(choice[2]), comm: choice[3] ?? '' };
      const memcg = { oomMemcg: scope === 'memcg' ? of?.oomMemcg : undefined, taskMemcg: of?.taskMemcg };
      return {
        ...base,
        kind: 'kernel-oom-context',
        constraint,
        global: scope === 'global',
        ...memcg,
        ...who,
        byHand: invocation.take(),
      };
    }
    const oldKilled = OLD_KILLED.exec(text);
    if (oldKilled !== null && scope !== undefined) {
      return { ...base, kind: 'kernel-killed', scope, pid: Number(oldKilled[1]), comm: oldKilled[2] ?? '' };
    }
    const said = saidIn(text);
    return said && { ...base, kind: 'kernel-said', ...said };
  };
}

/** Remembers who called the OOM killer, until the report that this begins has named its victim. */
function createInvocation(): { see: (ref: EvidenceRef) => void; take: () => EvidenceRef[] | undefined } {
  let asked: EvidenceRef | undefined;
  let byHand: EvidenceRef[] | undefined;
  return {
    see: (ref) => {
      if (ASKED_BY_HAND.test(ref.text)) asked = ref;
      const order = INVOKED.exec(ref.text)?.[1];
      if (order === undefined) return;
      byHand = Number(order) === ORDER_BY_HAND ? [...(asked === undefined ? [] : [asked]), ref] : undefined;
    },
    take: () => {
      const taken = byHand;
      byHand = undefined;
      return taken;
    },
  };
}

function scopeOf(prefix: string | undefined): KernelKilled['scope'] {
  return (prefix ?? '').startsWith('Memory cgroup') ? 'memcg' : 'global';
}

function contextOf(found: RegExpExecArray): Omit<KernelOomContext, keyof Base | 'byHand'> {
  return {
    kind: 'kernel-oom-context',
    constraint: found[1] ?? '',
    global: found[3] !== undefined,
    oomMemcg: found[2],
    taskMemcg: found[4],
    pid: Number(found[6]),
    comm: found[5] ?? '',
  };
}

function saidIn(text: string): Pick<KernelSaid, 'about' | 'cgroup' | 'pid'> | undefined {
  const rejected = FORK_REJECTED.exec(text);
  if (rejected !== null) return { about: 'fork-rejected', cgroup: rejected[1], pid: undefined };
  const seccomp = SECCOMP.exec(text);
  if (seccomp !== null && Number(seccomp[2]) === SIGSYS)
    return { about: 'seccomp', cgroup: undefined, pid: Number(seccomp[1]) };
  if (PANIC_ON_OOM.test(text)) return { about: 'panic-on-oom', cgroup: undefined, pid: undefined };
  if (STALL.test(text)) return { about: 'stall', cgroup: undefined, pid: undefined };
  return OOPS.test(text) ? { about: 'oops', cgroup: undefined, pid: undefined } : undefined;
}
