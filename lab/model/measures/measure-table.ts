import { namesOf } from '../text/names-of.ts';
import {
  MANY,
  NODE_COUNT,
  NODE_FLAG,
  VICTIM_COUNT,
  VICTIM_FLAG,
  VICTIM_MIB,
  type MeasureRow,
} from './measure-row.ts';
import { ownValue } from '../text/own-value.ts';

/** PID_MAX_LIMIT of a 64-bit kernel (include/linux/threads.h): a machine has no more processes and threads. */
const PID_MAX_LIMIT = 4_194_304;

/**
 * The built-in measures: those that the judge reads in what every cell saves, and those that samplers of several scenarios
 * print. What only one scenario measures is declared there (`declared-measure.ts`).
 */
export const MEASURE_TABLE = {
  zombies: {
    unit: '',
    of: 'victim',
    from: 'sampler',
    least: 0,
    most: PID_MAX_LIMIT,
    means: "processes of the victim's container that have ended and that nobody has waited for (state `Z`)",
  },
  pids: {
    unit: '',
    of: 'victim',
    from: 'sampler',
    least: 0,
    most: PID_MAX_LIMIT,
    means: 'processes and threads that count against the limit, zombies too (`pids.current`)',
  },
  'dying-cgroups': {
    ...NODE_COUNT,
    means: 'cgroups that are removed, and that the kernel cannot free (`nr_dying_descendants`)',
  },
  'in-system-slice': {
    ...VICTIM_FLAG,
    means:
      "1 while the victim's first process is in a cgroup of `system.slice`, outside of those of all pods, else 0",
  },
  'cpu-time-s': {
    unit: 's',
    of: 'node',
    from: 'sampler',
    least: 0,
    most: MANY,
    means: 'CPU time that the cgroup of the busy container has used; its slope is what it gets in a minute',
  },
  'cpuset-missing': {
    ...NODE_FLAG,
    means:
      '1 while the cgroup of the Burstable class does not hand `cpuset` down (`cgroup.subtree_control`), else 0',
  },
  'overcommit-memory': {
    unit: '',
    of: 'node',
    from: 'sampler',
    least: 0,
    most: 2,
    means:
      'whether the kernel promises more memory than it has (`vm.overcommit_memory`): 0 it guesses, 1 always, 2 never',
  },
  'kubelet-restarts': {
    ...NODE_COUNT,
    means: 'how often systemd has started the kubelet again after it ended (`NRestarts`)',
  },
  'oom-events': {
    unit: '',
    of: 'node',
    from: 'events',
    isEveryChange: true,
    least: 0,
    most: MANY,
    means: 'events whose reason names an OOM, of any object, since the cell was deployed',
  },
  'pod-warnings': {
    unit: '',
    of: 'node',
    from: 'events',
    isEveryChange: true,
    least: 0,
    most: MANY,
    means:
      "events of type `Warning` about any pod of the victim's namespace, which `kubectl describe` would show, since the cell was deployed",
  },
  'memory-resident': {
    ...VICTIM_MIB,
    means: "memory that the victim's first process really has (`VmRSS`)",
  },
  'oom-score': {
    unit: '',
    of: 'victim',
    from: 'sampler',
    least: 0,
    most: 2000,
    means: "badness of the victim's first process among those of the node (`/proc/<pid>/oom_score`)",
  },
  processes: {
    ...VICTIM_COUNT,
    means: "processes of the victim's container that are not zombies",
  },
  'forks-refused': {
    unit: '',
    of: 'victim',
    from: 'witness',
    isEveryChange: true,
    least: 0,
    most: MANY,
    means: "forks that the limit of the victim's cgroup, or of its pod's, refused (`max` of `pids.events`)",
  },
  'pull-s': {
    unit: 's',
    of: 'victim',
    from: 'events',
    isEveryChange: true,
    least: 0,
    most: MANY,
    means: 'what the kubelet says that it took the runtime to pull the image of the victim (`Pulled`)',
  },
  'pull-wait-s': {
    unit: 's',
    of: 'victim',
    from: 'events',
    isEveryChange: true,
    least: 0,
    most: MANY,
    means: 'what the kubelet says that the pull waited before it began (`including waiting`, less `pull-s`)',
  },
  'registry-wait-s': {
    unit: 's',
    of: 'victim',
    from: 'registry',
    isEveryChange: true,
    least: 0,
    most: MANY,
    means:
      'from the event `Pulling`, which has whole seconds, to the first request for the image at the registry',
  },
  'pulls-at-once': {
    unit: '',
    of: 'node',
    from: 'registry',
    isEveryChange: true,
    least: 0,
    most: MANY,
    means: 'images of which the registry sent content to the node at the same moment',
  },
  'ready-lag-s': {
    unit: 's',
    of: 'node',
    from: 'pods',
    isEveryChange: true,
    least: 0,
    most: MANY,
    means:
      'of each pod of the node: from the moment when the kubelet knows that it is ready (`lastTransitionTime`) to the first word of the API of it',
  },
  'heartbeat-gap-s': {
    unit: 's',
    of: 'node',
    from: 'heartbeat',
    least: 0,
    most: MANY,
    means: 'how long the node has not greeted anybody who connects by SSH from the host',
  },
  'node-not-ready-s': {
    unit: 's',
    of: 'node',
    from: 'nodes',
    isEveryChange: true,
    least: 0,
    most: MANY,
    means: 'time for which the API has not called the node `Ready`, from the beginning of the cell',
  },
  'full-stall-share': {
    unit: '',
    of: 'node',
    from: 'witness',
    least: 0,
    most: 1,
    means:
      'share of the last ten seconds in which all processes of the node that wanted to run waited for memory (`full` of `/proc/pressure/memory`)',
  },
} as const satisfies Readonly<Record<string, MeasureRow>>;

/** The name of a built-in measure. */
export type BuiltInMeasure = keyof typeof MEASURE_TABLE;

/** Names of all built-in measures, in the order of the table. */
export const BUILT_IN_MEASURES = namesOf(MEASURE_TABLE);

/** The built-in measures that somebody measures. */
export type MeasureFrom<From extends MeasureRow['from']> = {
  [M in BuiltInMeasure]: (typeof MEASURE_TABLE)[M]['from'] extends From ? M : never;
}[BuiltInMeasure];

/** What is known of a built-in measure; undefined for any other name. */
export function builtInRow(name: string): MeasureRow | undefined {
  return ownValue(MEASURE_TABLE, name);
}

/** Whether a script has the name of a measure as a word of its own: what it prints is known when it runs. */
export function isPrintedBy(measure: string, script: string): boolean {
  return new RegExp(`(?<![\\w-])${measure}(?![\\w-])`).test(script);
}
