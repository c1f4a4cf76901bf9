import type { Line } from '../lines.ts';
import type { CounterEntry, Entry } from './entry.ts';
import { shareOf, type Format, type FormatReader } from './format.ts';

/** Below the mount of a controller on v1: `memory`, `cpu,cpuacct`. */
const IN_TREE = /(?:^|\/)sys\/fs\/cgroup(\/.*)?\/((?:memory|pids|cgroup)\.[\w.]+)$/;
const CONTROLLER =
  /^\/(?:unified|systemd|memory|pids|cpu|cpuset|cpu,cpuacct|cpuacct|blkio|devices|freezer|hugetlb|rdma|misc|net_cls,net_prio|perf_event)(?=\/|$)/;
/** Files whose numbers the judge knows, of v2 and v1. */
const FILES = new Set([
  'memory.events',
  'memory.events.local',
  'memory.max',
  'memory.high',
  'memory.current',
  'memory.peak',
  'memory.oom.group',
  'memory.swap.max',
  'memory.swap.current',
  'memory.limit_in_bytes',
  'memory.usage_in_bytes',
  'memory.max_usage_in_bytes',
  'memory.failcnt',
  'memory.oom_control',
  'pids.events',
  'pids.max',
  'pids.current',
  'pids.peak',
]);
const PAIR = /^([a-z_][\w.]*) (\S+)$/;
const VALUE = /^(\d+|max)$/;

/** A file of a cgroup as it is. Only its path says which one. */
export const cgroupFile: Format = {
  name: 'cgroup file',
  classify: (lines, path) =>
    FILES.has(IN_TREE.exec(path)?.[2] ?? '') &&
    shareOf(lines, (text) => PAIR.test(text) || VALUE.test(text)) === 1
      ? 1
      : 0,
  createReader: (path) => {
    const [, place = '', file = ''] = IN_TREE.exec(path) ?? [];
    return createReader(file, place.replace(CONTROLLER, '') || '/', () => true);
  },
};

/** The counters of the whole node; a few of its many names are enough to know it. */
export const vmstat: Format = {
  name: '/proc/vmstat',
  classify: (lines) =>
    lines.some((text) => /^(?:nr_free_pages|pgfault|oom_kill) \d+$/.test(text))
      ? shareOf(lines, (text) => /^[a-z]\w* \d+$/.test(text))
      : 0,
  createReader: () => createReader('vmstat', undefined, (name) => name === 'oom_kill'),
  begins: (text) => /^(?:nr_free_pages|pgfault|oom_kill) \d+$/.test(text),
};

function createReader(
  file: string,
  cgroup: string | undefined,
  isWanted: (name: string) => boolean,
): FormatReader {
  const values: Record<string, string> = {};
  let line = 0;
  return {
    line: ({ number, text }: Line) => {
      const [, name = '', value] = PAIR.exec(text) ?? ['', '', VALUE.exec(text)?.[1]];
      if (value === undefined) return 'unread';
      if (isWanted(name)) {
        if (line === 0) line = number;
        values[name] = value;
      }
      return [];
    },
    end: (): readonly CounterEntry[] => (line === 0 ? [] : [{ kind: 'counter', line, cgroup, file, values }]),
  };
}

const MOUNT = /^\S+ (?:\/\S* \S+ \S+ \d \d|on \/.* type \S+ \(.*\))$/;

/** Name of the counter that says that the files of cgroups count each cgroup by itself. */
export const LOCAL_EVENTS = 'memory_localevents';

/** /proc/mounts, or what `mount` prints: an option of cgroup v2 changes what its counters mean. */
export const mounts: Format = {
  name: '/proc/mounts',
  classify: (lines) =>
    lines.some((text) => / cgroup2? /.test(text)) ? shareOf(lines, (text) => MOUNT.test(text)) : 0,
  createReader: () => ({
    line: ({ number, text }: Line): readonly Entry[] | 'unread' => {
      if (!MOUNT.test(text)) return 'unread';
      if (!/ cgroup2 /.test(text)) return [];
      const values = { [LOCAL_EVENTS]: /\bmemory_localevents\b/.test(text) ? '1' : '0' };
      return [{ kind: 'counter', line: number, cgroup: undefined, file: 'mounts', values }];
    },
    end: () => [],
  }),
  begins: (text) => / cgroup2? /.test(text) && MOUNT.test(text),
};

/** /proc/stat: `btime` is when the node booted, in seconds. */
export const procStat: Format = {
  name: '/proc/stat',
  classify: (lines) =>
    /^cpu +\d+ \d+/.test(lines[0] ?? '') || (lines.length === 1 && /^btime \d{9,11}$/.test(lines[0] ?? ''))
      ? 1
      : 0,
  createReader: () => ({
    line: ({ number, text }: Line): readonly Entry[] | 'unread' => {
      const seconds = /^btime (\d+)$/.exec(text)?.[1];
      if (seconds === undefined) return /^(?:cpu|intr|ctxt|processes|procs_|softirq|swap|page|disk)/.test(text) ? [] : 'unread';
      return [{ kind: 'clock', line: number, wallMs: Number(seconds) * 1000, bootMicros: 0, cutMs: 1000 }];
    },
    end: () => [],
  }),
  begins: (text) => /^btime \d{9,11}$|^cpu +\d+ \d+ \d+ \d+/.test(text),
};
