/**
 * What each layer called one end, in its own words as far as it has any. A layer that said nothing has no words. They
 * are read from the evidence whenever they are wanted, and saved nowhere.
 */
export interface EndWords {
  /** `CONSTRAINT_MEMCG`, `oom_kill +2`, `segfault`. */
  readonly kernel: readonly string[];
  /** containerd, with its record of the end: `TaskOOM`, `exit 137`. */
  readonly runtime: readonly string[];
  /** Exit code of the container as the runtime has it. */
  readonly runtimeExitCode?: number | undefined;
  /** Reasons of the events about the container, its pod, or the victim on its node; each once, the oldest first. */
  readonly events: readonly string[];
  /** The container in the API; undefined when it has no such container. */
  readonly container: ContainerWords | undefined;
  /** The pod in the API as it was last: `Failed`, `Evicted`, `deleted`. */
  readonly pod: readonly string[];
  /** The signals that ended it, as the kernel's trace shows them: the first of the stop, and the last. */
  readonly signals: readonly string[];
}

/** What the API says of a container: how it ended, else the state that it is in. */
export interface ContainerWords {
  readonly state: 'waiting' | 'running' | 'terminated';
  readonly reason: string | undefined;
  readonly exitCode: number | undefined;
  readonly restarts: number;
}
