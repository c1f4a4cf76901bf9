import type { KernelGroupKill, KernelKilled, KernelOomContext, Lost } from '../model/observation.ts';
import { findGaps, type Numbered } from './gaps.ts';
import { lostOf, refOf, splitLines, type Line } from './lines.ts';

/** Wall time in milliseconds of a time on the node's monotonic clock in microseconds. */
export type ToWall = (monoMicros: number) => number;

interface KernelRecord extends Numbered {
  readonly facility: number;
  readonly text: string;
}

type KernelObservation = KernelKilled | KernelOomContext | KernelGroupKill;

/**
 * Reads raw /dev/kmsg records (`prefix,sequence,microseconds,flags;text`, continuation lines start with a space;
 * Documentation/ABI/testing/dev-kmsg).
 *
 * Only records of facility 0 are the kernel's own: whatever a program writes into /dev/kmsg gets another one, so a
 * program cannot fake an OOM line.
 *
 * @param toWall undefined when the clocks of the node are not known; the times stay unknown then.
 */
export function parseKmsg(
  content: string,
  file: string,
  toWall: ToWall | undefined,
): (KernelObservation | Lost)[] {
  const { lines, cut } = splitLines(content);
  const observations: (KernelObservation | Lost)[] = [];
  const records: KernelRecord[] = [];
  const whole = cut ? lines.slice(0, -1) : lines;
  for (const line of whole) {
    if (line.text.startsWith(' ')) continue;
    const record = parseRecord(line, toWall);
    if (record === undefined)
      observations.push(lostOf('kmsg', 'a line is not a kernel record', file, undefined, line.number));
    else records.push(record);
  }
  records.sort((a, b) => a.seq - b.seq);
  const last = records.at(-1);
  if (cut)
    observations.push(lostOf('kmsg', 'the file ends in the middle of a record', file, last?.at, last?.line));
  if (last === undefined) observations.push(lostOf('kmsg', 'there are no kernel records', file));
  observations.push(...findGaps(records, 'kmsg', file));
  for (const record of records) {
    const found = record.facility === 0 ? observe(record, file) : undefined;
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
/** mm/memcontrol.c, mem_cgroup_print_oom_group(). */
const GROUP = /^Tasks in (.*) are going to be killed due to memory\.oom\.group set$/;

function observe(record: KernelRecord, file: string): KernelObservation | undefined {
  const base = { at: record.at, ref: refOf('kmsg', record.at, file, record.line, record.text) };
  const killed = KILLED.exec(record.text);
  if (killed !== null) {
    const scope = (killed[1] ?? '').startsWith('Memory cgroup') ? 'memcg' : 'global';
    return { ...base, kind: 'kernel-killed', scope, pid: Number(killed[2]), comm: killed[3] ?? '' };
  }
  const context = CONTEXT.exec(record.text);
  if (context !== null) {
    return {
      ...base,
      kind: 'kernel-oom-context',
      constraint: context[1] ?? '',
      global: context[3] !== undefined,
      oomMemcg: context[2],
      taskMemcg: context[4],
      pid: Number(context[6]),
      comm: context[5] ?? '',
    };
  }
  const group = GROUP.exec(record.text);
  return group === null ? undefined : { ...base, kind: 'kernel-group-kill', cgroup: group[1] ?? '' };
}
