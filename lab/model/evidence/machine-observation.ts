import type { Base } from './observation-base.ts';

/** Observations about whole nodes and the host, not about one pod. */

/** The witness's stream of one boot ended because the node booted again: its next part has another boot id. */
export interface BootEnded extends Base {
  readonly kind: 'boot-ended';
  readonly bootId: string;
  readonly nextBootId: string;
  /** When the next part of the stream began. */
  readonly nextAt: number | undefined;
}

/** One beat of the witness: the state of the node as a whole. A late beat means that the node stalled. */
export interface NodeBeat extends Base {
  readonly kind: 'node-beat';
  /** `oom_kill` of /proc/vmstat: every OOM kill of the node since boot (mm/oom_kill.c, __oom_kill_process). */
  readonly oomKills: number | undefined;
  /** Microseconds in which all tasks of the node waited for memory since boot (/proc/pressure/memory, full). */
  readonly memoryFullMicros: number | undefined;
  /** CPU time that the hypervisor gave to others since boot, all CPUs together (/proc/stat, steal). */
  readonly stealMs: number | undefined;
  readonly cpus: number | undefined;
}

/**
 * How often a kubelet says that the OOM killer came for the limit of a cgroup (`container_oom_events_total`). It is a claim: cAdvisor
 * counts lines of the kernel log, misses those that the kernel did not print, and forgets a cgroup that is gone.
 */
export interface OomCounted extends Base {
  readonly kind: 'oom-counted';
  readonly path: string;
  /** Empty, like the pod and the container, where the cgroup is not that of one. */
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly count: number;
}

/** A version of a Node object as the API watch delivered it. */
export interface NodeSeen extends Base {
  readonly kind: 'node-seen';
  readonly name: string;
  readonly bootId: string;
  /** `v1.34.2`. */
  readonly kubeletVersion?: string | undefined;
  /** `linux` or `windows`. */
  readonly os?: string | undefined;
  /** Status of each condition: `Ready` → `True`, `MemoryPressure` → `False`, … */
  readonly conditions: Readonly<Record<string, string>>;
  /** `key:effect` of each taint. */
  readonly taints: readonly string[];
}

/** What a node said to the host that asked it for an SSH greeting; `at` is on the clock of the host. */
export interface NodeAnswered extends Base {
  readonly kind: 'node-answered';
  readonly node: string;
  /**
   * `answer`: it greeted; `silence`: it still did not, or could not be reached; the asking began and ended between the
   * others.
   */
  readonly said: 'start' | 'answer' | 'silence' | 'stop';
}

/** A kubelet renewed the lease of its node. */
export interface LeaseRenewed extends Base {
  readonly kind: 'lease-renewed';
  readonly node: string;
}

/** The load of the host, once every two seconds. Totals count from any point; only differences mean something. */
export interface HostLoad extends Base {
  readonly kind: 'host-load';
  /** Milliseconds on a clock that nobody can set; undefined in evidence of before 25 November 2026. */
  readonly monotonicMs: number | undefined;
  readonly cpus: number;
  /** CPU time of all processes of the host. */
  readonly busyMs: number;
  /** CPU time of this lab and its machines. */
  readonly ownMs: number;
  /** Time in which all tasks of the host waited for memory (/proc/pressure/memory, full); undefined without PSI. */
  readonly memoryFullMs: number | undefined;
  readonly ioFullMs: number | undefined;
}
