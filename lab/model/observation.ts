import type { EvidenceRef } from './formats.ts';
import type { Variant } from './axes.ts';
import type { Outcome } from './scenario.ts';

/**
 * Observations: facts with a source and a time, read from the saved evidence of one cell. The judge sees nothing
 * else. `at` is wall time in milliseconds since the epoch after the source's clock correction; undefined when the
 * source carries no usable time.
 */
interface Base {
  readonly at: number | undefined;
  readonly ref: EvidenceRef;
}

/** Kernel line `oom-kill:constraint=…` (kernel >= 5.0): enrichment, rate-limited by the kernel to 10 per 5 s. */
export interface KernelOomContext extends Base {
  readonly kind: 'kernel-oom-context';
  readonly constraint: string;
  readonly global: boolean;
  readonly oomMemcg: string | undefined;
  readonly taskMemcg: string | undefined;
  readonly pid: number;
  readonly comm: string;
}

/** Kernel line `… Killed process <pid> (<comm>)`: printed for every victim, sometimes twice for the first. */
export interface KernelKilled extends Base {
  readonly kind: 'kernel-killed';
  readonly scope: 'memcg' | 'global';
  readonly pid: number;
  readonly comm: string;
}

/** Kernel line `Tasks in <cgroup> are going to be killed due to memory.oom.group set`. */
export interface KernelGroupKill extends Base {
  readonly kind: 'kernel-group-kill';
  readonly cgroup: string;
}

/** A cgroup directory appeared or went away. */
export interface CgroupLife extends Base {
  readonly kind: 'cgroup-created' | 'cgroup-removed';
  readonly path: string;
}

/** Values of one cgroup file at one time (flat-keyed files as they are; single values under the key ''). */
export interface CgroupValues extends Base {
  readonly kind: 'cgroup-values';
  readonly path: string;
  readonly file: string;
  readonly values: Readonly<Record<string, string>>;
}

/** A process seen in a cgroup. `nsPid` is its pid in its own innermost pid namespace (1 = init of the container). */
export interface ProcessSeen extends Base {
  readonly kind: 'process-seen';
  readonly pid: number;
  readonly ppid: number;
  readonly nsPid: number;
  readonly comm: string;
  readonly cgroup: string;
}

/** Tracepoint signal:signal_generate; `senderPid`/`senderComm` are the task on the CPU. */
export interface SignalSent extends Base {
  readonly kind: 'signal-sent';
  readonly signal: number;
  readonly senderPid: number;
  readonly senderComm: string;
  readonly pid: number;
  readonly comm: string;
  /** si_code: 0 SI_USER (kill), -6 SI_TKILL, 128 SI_KERNEL. */
  readonly code: number;
  /** cgroup of the sender when it was seen alive. */
  readonly senderCgroup: string | undefined;
}

/** Tracepoint sched:sched_process_exit. */
export interface ProcessExited extends Base {
  readonly kind: 'process-exited';
  readonly pid: number;
  readonly comm: string;
}

/**
 * containerd: TaskOOM, TaskExit, StopContainer, CreateContainer/StartContainer. `runtime-gone` is "shim disconnected":
 * all that containerd 1.6 writes about an ordinary exit, and without its status.
 */
export interface RuntimeEvent extends Base {
  readonly kind: 'runtime-oom' | 'runtime-exit' | 'runtime-gone' | 'runtime-stop' | 'runtime-start';
  readonly containerId: string;
  readonly pid: number | undefined;
  readonly exitStatus: number | undefined;
}

/** A kubelet log line that says why it kills, that it saw a container die, or that it removed a dead one. */
export interface KubeletSaid extends Base {
  readonly kind: 'kubelet-said';
  readonly about:
    | 'killing-container'
    | 'container-died'
    | 'container-removed'
    | 'oom'
    | 'eviction'
    | 'probe-failed'
    | 'other';
  readonly containerId: string | undefined;
  readonly podUid: string | undefined;
  readonly message: string;
}

/** State of one container as the API had it. */
export interface ContainerView {
  readonly name: string;
  /** Without the `containerd://` prefix; empty before it exists. */
  readonly id: string;
  readonly state: 'waiting' | 'running' | 'terminated';
  readonly reason: string | undefined;
  readonly exitCode: number | undefined;
  readonly signal: number | undefined;
  readonly startedAt: number | undefined;
  readonly finishedAt: number | undefined;
  readonly restartCount: number;
  readonly ready: boolean;
  /** `lastState.terminated`, when there is one. */
  readonly last:
    | {
        readonly id: string;
        readonly reason: string | undefined;
        readonly exitCode: number;
        readonly startedAt: number | undefined;
        readonly finishedAt: number | undefined;
      }
    | undefined;
}

/** A version of a pod as the API watch delivered it. */
export interface PodSeen extends Base {
  readonly kind: 'pod-seen';
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly createdAt: number | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly node: string | undefined;
  readonly qosClass: string | undefined;
  readonly phase: string;
  readonly reason: string | undefined;
  readonly message: string | undefined;
  readonly deletionAt: number | undefined;
  readonly containers: readonly ContainerView[];
}

/** A Kubernetes Event. */
export interface KubeEvent extends Base {
  readonly kind: 'kube-event';
  readonly reason: string;
  readonly type: string;
  readonly component: string;
  readonly objectKind: string;
  readonly objectName: string;
  readonly objectUid: string;
  readonly fieldPath: string | undefined;
  readonly message: string;
  readonly count: number;
}

/** What we ourselves did to the victim, from the cell's own record. */
export interface StimulusDone extends Base {
  readonly kind: 'stimulus';
  readonly node: string;
  /** Of the process that sent the signal; undefined for a stimulus that is no signal. */
  readonly senderPid: number | undefined;
  readonly pid: number | undefined;
}

/** Evidence that could not be collected or read: leads to `unknown` or `inconclusive`, never to a guess. */
export interface Lost extends Base {
  readonly kind: 'lost';
  readonly source: EvidenceSource;
  readonly why: string;
}

export type Observation =
  | KernelOomContext
  | KernelKilled
  | KernelGroupKill
  | CgroupLife
  | CgroupValues
  | ProcessSeen
  | SignalSent
  | ProcessExited
  | RuntimeEvent
  | KubeletSaid
  | PodSeen
  | KubeEvent
  | StimulusDone
  | Lost;

/** The sources of evidence, each one file of a cell's folder (see `docs/run-folder.md`). */
export const EVIDENCE_SOURCES = ['kmsg', 'witness', 'containerd', 'kubelet', 'pods', 'events'] as const;
export type EvidenceSource = (typeof EVIDENCE_SOURCES)[number];

/** File of each source inside the cell's folder. Node sources lie in a folder of the node's name. */
export const EVIDENCE_FILES: Readonly<Record<EvidenceSource, { file: string; perNode: boolean }>> = {
  kmsg: { file: 'kmsg.log', perNode: true },
  witness: { file: 'witness.jsonl', perNode: true },
  containerd: { file: 'containerd.jsonl', perNode: true },
  kubelet: { file: 'kubelet.jsonl', perNode: true },
  pods: { file: 'pods.jsonl', perNode: false },
  events: { file: 'events.jsonl', perNode: false },
};

/** What was done in a cell, saved as `cell.json`: with the evidence files, all that judging again needs. */
export interface CellRecord {
  readonly formatVersion: 1;
  readonly address: string;
  readonly variant: Variant;
  readonly scenario: string;
  readonly expected: Outcome;
  readonly victim: { readonly namespace: string; readonly selector: string; readonly container: string };
  readonly nodes: readonly string[];
  /** ISO 8601 UTC, host clock; the guests' clocks are stepped to it after a restore. */
  readonly startedAt: string;
  readonly deployedAt: string;
  readonly endedAt: string;
  /** What we ourselves did to the victim, with time and the pid of the sender on its node. */
  readonly stimuli: readonly {
    readonly kind: string;
    readonly at: string;
    readonly node: string;
    readonly detail: string;
  }[];
  /** Sources that could not be saved, with the reason. */
  readonly lost: readonly { readonly source: EvidenceSource; readonly node?: string; readonly why: string }[];
  /** Set when somebody interrupted the cell. */
  readonly interrupted?: string;
  /** Set when an error of the lab cut the cell short: what was seen is no basis for a verdict. */
  readonly broken?: string;
}
