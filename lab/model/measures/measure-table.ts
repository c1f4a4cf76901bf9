import { namesOf } from '../text/closed-list.ts';
import {
  MANY,
  NODE_COUNT,
  OOM_SCORE_ADJ_MAX,
  OOM_SCORE_ADJ_MIN,
  VICTIM_COUNT,
  VICTIM_MIB,
  type MeasureRow,
} from './measure-row.ts';
import { STAGED_MEASURES } from './staged-measures.ts';

/** PID_MAX_LIMIT of a 64-bit kernel (include/linux/threads.h): a machine has no more processes and threads. */
const PID_MAX_LIMIT = 4_194_304;

/** The one table of measures. */
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
  'jobs-failed': {
    ...VICTIM_COUNT,
    means: 'runs of jobs that the cron program itself says failed',
  },
  'jobs-ended': {
    ...VICTIM_COUNT,
    means: 'runs of jobs of whose end it tells at all',
  },
  'dying-cgroups': {
    ...NODE_COUNT,
    means: 'cgroups that are removed, and that the kernel cannot free (`nr_dying_descendants`)',
  },
  'memory-stat-read-ms': {
    unit: 'ms',
    of: 'node',
    from: 'sampler',
    least: 0,
    most: 600_000,
    means: 'time that one reading of `memory.stat` takes',
  },
  'cpu-of-kubelet': {
    unit: 's',
    of: 'node',
    from: 'sampler',
    least: 0,
    most: MANY,
    means: 'CPU time that the kubelet has used since it was started; its slope is what it costs a minute',
  },
  'oom-score-adj': {
    unit: '',
    of: 'victim',
    from: 'sampler',
    least: OOM_SCORE_ADJ_MIN,
    most: OOM_SCORE_ADJ_MAX,
    means:
      "what the OOM killer adds for the victim's first process, in thousandths of the memory (`oom_score_adj`)",
  },
  'memory-seen-inside': {
    ...VICTIM_MIB,
    means: 'memory that a program in the container believes to have (`MemTotal` of `/proc/meminfo`)',
  },
  'units-left': {
    ...NODE_COUNT,
    means: 'units that systemd still has although nothing is left of what they stood for',
  },
  ...STAGED_MEASURES,
  'forks-refused': {
    unit: '',
    of: 'victim',
    from: 'witness',
    least: 0,
    most: MANY,
    means: "forks that the limit of the victim's cgroup, or of its pod's, refused (`max` of `pids.events`)",
  },
  'pull-s': {
    unit: 's',
    of: 'victim',
    from: 'events',
    least: 0,
    most: MANY,
    means: 'what the kubelet says that it took the runtime to pull the image of the victim (`Pulled`)',
  },
  'pull-wait-s': {
    unit: 's',
    of: 'victim',
    from: 'events',
    least: 0,
    most: MANY,
    means: 'what the kubelet says that the pull waited before it began (`including waiting`, less `pull-s`)',
  },
  'registry-wait-s': {
    unit: 's',
    of: 'victim',
    from: 'registry',
    least: 0,
    most: MANY,
    means:
      'from the event `Pulling`, which has whole seconds, to the first request for the image at the registry',
  },
  'pulls-at-once': {
    unit: '',
    of: 'node',
    from: 'registry',
    least: 0,
    most: MANY,
    means: 'images of which the registry sent content to the node at the same moment',
  },
  'ready-lag-s': {
    unit: 's',
    of: 'node',
    from: 'pods',
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
