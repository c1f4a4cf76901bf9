/** A time that a scenario may set. */
export interface ScenarioTime {
  /** What it limits or decides. */
  readonly means: string;
  /** What holds when the scenario does not say, in seconds; undefined where nothing is waited for or limited then. */
  readonly defaultSeconds?: number;
}

/**
 * The longest time that a file may name, in seconds: a day. A timer of Node fires at once beyond 24.8 days, and an estimate
 * is none beyond that.
 */
export const MOST_SECONDS = 24 * 60 * 60;

/** The times that a `scenario.yaml` may set, by field. */
export const SCENARIO_TIMES = {
  timeoutSeconds: {
    means: 'Longest time of a cell, without the restore before it; an emulated node gets twice as long.',
    defaultSeconds: 180,
  },
  'expect.withinSeconds': {
    means: 'Time in which the death must be seen, from the start of the workload or from the stimulus.',
  },
  'expect.notBeforeSeconds': {
    means: 'Time before which the death must not come, counted in the same way.',
  },
  'expect.survivesSeconds': {
    means: 'How long a victim that must survive, or must never start, is watched.',
    defaultSeconds: 20,
  },
  'prepare.timeoutSeconds': {
    means: 'Longest time of the script that prepares a node; an emulated node gets twice as long.',
    defaultSeconds: 120,
  },
  'stimulus[].afterSeconds': {
    means: 'Age of the victim at which the stimulus comes.',
    defaultSeconds: 2,
  },
  'stimulus[].timeoutSeconds': {
    means: 'Longest time of the script of a `node-command`; an emulated node gets twice as long.',
    defaultSeconds: 120,
  },
  'samplers[].everySeconds': { means: 'Time between two starts of a sampler.' },
  'samplers[].timeoutSeconds': {
    means: 'Longest time of one run of a sampler.',
    defaultSeconds: 10,
  },
  'heartbeat.everySeconds': {
    means: 'Time between two connections to the SSH server of a node.',
    defaultSeconds: 1,
  },
} as const satisfies Readonly<Record<string, ScenarioTime>>;
