import { namesOf } from './closed-list.ts';

/** A quantity that is read from saved evidence. */
export interface MeasureRow {
  /** Of its numbers; empty for a plain count. */
  readonly unit: '' | 'ms' | 's' | 'MiB';
  /** Of the victim's container, or of the node that it is on as a whole. */
  readonly of: 'victim' | 'node';
  /** Who tells it: a sampler of the scenario prints it, or the lab reads it in what it saves anyway. */
  readonly from: 'sampler' | 'witness' | 'events' | 'registry' | 'pods' | 'nodes' | 'heartbeat';
  /** What it is, in one line; Markdown. */
  readonly means: string;
  /** Nothing that is measured is smaller or larger: another number is junk. */
  readonly least: number;
  readonly most: number;
}

/** PID_MAX_LIMIT of a 64-bit kernel (include/linux/threads.h): a machine has no more processes and threads. */
const PID_MAX_LIMIT = 4_194_304;

/** Bounds of oom_score_adj (include/uapi/linux/oom.h). */
const [OOM_SCORE_ADJ_MIN, OOM_SCORE_ADJ_MAX] = [-1000, 1000];

/** MAX_SHARES of kernel/sched/sched.h: the most that cpu.shares of cgroup v1 can be; cpu.weight has less. */
const CPU_SHARES_MAX = 262_144;

/** More than anything counts here. */
const MANY = 1e9;

/** The one table of measures. */
export const MEASURE_TABLE = {
  zombies: {
    ...{ unit: '', of: 'victim', from: 'sampler', least: 0, most: PID_MAX_LIMIT },
    means: "processes of the victim's container that have ended and that nobody has waited for (state `Z`)",
  },
  pids: {
    ...{ unit: '', of: 'victim', from: 'sampler', least: 0, most: PID_MAX_LIMIT },
    means: 'processes and threads that count against the limit, zombies too (`pids.current`)',
  },
  'jobs-failed': {
    ...{ unit: '', of: 'victim', from: 'sampler', least: 0, most: MANY },
    means: 'runs of jobs that the cron program itself says failed',
  },
  'jobs-ended': {
    ...{ unit: '', of: 'victim', from: 'sampler', least: 0, most: MANY },
    means: 'runs of jobs of whose end it tells at all',
  },
  'dying-cgroups': {
    ...{ unit: '', of: 'node', from: 'sampler', least: 0, most: MANY },
    means: 'cgroups that are removed, and that the kernel cannot free (`nr_dying_descendants`)',
  },
  'memory-stat-read-ms': {
    ...{ unit: 'ms', of: 'node', from: 'sampler', least: 0, most: 600_000 },
    means: 'time that one reading of `memory.stat` takes',
  },
  'cpu-of-kubelet': {
    ...{ unit: 's', of: 'node', from: 'sampler', least: 0, most: MANY },
    means: 'CPU time that the kubelet has used since it was started; its slope is what it costs a minute',
  },
  'oom-score-adj': {
    ...{ unit: '', of: 'victim', from: 'sampler', least: OOM_SCORE_ADJ_MIN, most: OOM_SCORE_ADJ_MAX },
    means:
      "what the OOM killer adds for the victim's first process, in thousandths of the memory (`oom_score_adj`)",
  },
  'memory-seen-inside': {
    ...{ unit: 'MiB', of: 'victim', from: 'sampler', least: 0, most: MANY },
    means: 'memory that a program in the container believes to have (`MemTotal` of `/proc/meminfo`)',
  },
  'units-left': {
    ...{ unit: '', of: 'node', from: 'sampler', least: 0, most: MANY },
    means: 'units that systemd still has although nothing is left of what they stood for',
  },
  'in-system-slice': {
    ...{ unit: '', of: 'victim', from: 'sampler', least: 0, most: 1 },
    means:
      "1 while the victim's first process is in a cgroup of `system.slice`, outside of those of all pods, else 0",
  },
  'in-cgroup-of-pause': {
    ...{ unit: '', of: 'victim', from: 'sampler', least: 0, most: 1 },
    means: "1 while the victim's first process is in the cgroup of its pod's pause container, else 0",
  },
  'systemd-path-warnings': {
    ...{ unit: '', of: 'node', from: 'sampler', least: 0, most: MANY },
    means: 'warnings in the logs of runsc that the path of a cgroup looks like one of systemd',
  },
  'cpu-weight-of-class': {
    ...{ unit: '', of: 'node', from: 'sampler', least: 1, most: CPU_SHARES_MAX },
    means: 'weight for CPU time of the cgroup of a QoS class (`cpu.weight`; `cpu.shares` on cgroup v1)',
  },
  'cpu-time-s': {
    ...{ unit: 's', of: 'node', from: 'sampler', least: 0, most: MANY },
    means: 'CPU time that the cgroup of the busy container has used; its slope is what it gets in a minute',
  },
  'cpu-throttled-s': {
    ...{ unit: 's', of: 'node', from: 'sampler', least: 0, most: MANY },
    means: 'time for which the cgroup of the busy container was held back by its limit for CPU (`cpu.stat`)',
  },
  'cpuset-missing': {
    ...{ unit: '', of: 'node', from: 'sampler', least: 0, most: 1 },
    means:
      '1 while the cgroup of the Burstable class does not hand `cpuset` down (`cgroup.subtree_control`), else 0',
  },
  'cpuset-returns': {
    ...{ unit: '', of: 'node', from: 'sampler', least: 0, most: MANY },
    means: 'how often `cpuset` was missing there in one sample and back in the next',
  },
  'cpuset-lost': {
    ...{ unit: '', of: 'node', from: 'sampler', least: 0, most: 1 },
    means:
      '1 where `cpuset` went from there within a second of what a script did to the weight of that cgroup, else 0',
  },
  'cpuset-taken-by-systemd': {
    ...{ unit: '', of: 'node', from: 'sampler', least: 0, most: MANY },
    means:
      'writes of `-cpuset` into `cgroup.subtree_control` of the Burstable class by process 1, from a trace of the kernel',
  },
  'cpuset-taken-by-others': {
    ...{ unit: '', of: 'node', from: 'sampler', least: 0, most: MANY },
    means: 'the same writes by any other process',
  },
  'cpuset-given-by-kubelet': {
    ...{ unit: '', of: 'node', from: 'sampler', least: 0, most: MANY },
    means: 'writes of `+cpuset` into the same file by the kubelet',
  },
  'unit-changes-asked-for': {
    ...{ unit: '', of: 'node', from: 'sampler', least: 0, most: MANY },
    means: 'calls of `SetUnitProperties` that systemd got over D-Bus, counted from the start of the cell',
  },
  'units-asked-for': {
    ...{ unit: '', of: 'node', from: 'sampler', least: 0, most: MANY },
    means: 'calls of `StartTransientUnit` that systemd got over D-Bus, counted from the start of the cell',
  },
  'forks-refused': {
    ...{ unit: '', of: 'victim', from: 'witness', least: 0, most: MANY },
    means: "forks that the limit of the victim's cgroup, or of its pod's, refused (`max` of `pids.events`)",
  },
  'pull-s': {
    ...{ unit: 's', of: 'victim', from: 'events', least: 0, most: MANY },
    means: 'what the kubelet says that it took the runtime to pull the image of the victim (`Pulled`)',
  },
  'pull-wait-s': {
    ...{ unit: 's', of: 'victim', from: 'events', least: 0, most: MANY },
    means: 'what the kubelet says that the pull waited before it began (`including waiting`, less `pull-s`)',
  },
  'registry-wait-s': {
    ...{ unit: 's', of: 'victim', from: 'registry', least: 0, most: MANY },
    means:
      'from the event `Pulling`, which has whole seconds, to the first request for the image at the registry',
  },
  'pulls-at-once': {
    ...{ unit: '', of: 'node', from: 'registry', least: 0, most: MANY },
    means: 'images of which the registry sent content to the node at the same moment',
  },
  'ready-lag-s': {
    ...{ unit: 's', of: 'node', from: 'pods', least: 0, most: MANY },
    means:
      'of each pod of the node: from the moment when the kubelet knows that it is ready (`lastTransitionTime`) to the first word of the API of it',
  },
  'heartbeat-gap-s': {
    ...{ unit: 's', of: 'node', from: 'heartbeat', least: 0, most: MANY },
    means: 'how long the node has not greeted anybody who connects by SSH from the host',
  },
  'node-not-ready-s': {
    ...{ unit: 's', of: 'node', from: 'nodes', least: 0, most: MANY },
    means: 'time for which the API has not called the node `Ready`, from the beginning of the cell',
  },
  'full-stall-share': {
    ...{ unit: '', of: 'node', from: 'witness', least: 0, most: 1 },
    means:
      'share of the last ten seconds in which all processes of the node that wanted to run waited for memory (`full` of `/proc/pressure/memory`)',
  },
} as const satisfies Readonly<Record<string, MeasureRow>>;

export type MeasureName = keyof typeof MEASURE_TABLE;

/** Names of all measures, in the order of the table. */
export const MEASURES = namesOf(MEASURE_TABLE);

/** What is known of each measure. */
export const MEASURE_ROWS: Readonly<Record<MeasureName, MeasureRow>> = MEASURE_TABLE;

/** The measures that somebody tells. */
export type MeasureFrom<From extends MeasureRow['from']> = {
  [M in MeasureName]: (typeof MEASURE_TABLE)[M]['from'] extends From ? M : never;
}[MeasureName];

/** Whether a text names a measure. */
export function isMeasure(text: string): text is MeasureName {
  return Object.hasOwn(MEASURE_TABLE, text);
}

/** Whether a script has the name of a measure as a word of its own: what it prints is known when it runs. */
export function isPrintedBy(measure: MeasureName, script: string): boolean {
  return new RegExp(`(?<![\\w-])${measure}(?![\\w-])`).test(script);
}
