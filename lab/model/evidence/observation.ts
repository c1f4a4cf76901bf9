import type { How } from '../killers/killers.ts';
import type { Covered, Lost } from './coverage-observation.ts';
import type { KernelObservation } from './kernel-observation.ts';
import type {
  BootEnded,
  HostLoad,
  LeaseRenewed,
  NodeAnswered,
  NodeBeat,
  NodeSeen,
  OomCounted,
} from './machine-observation.ts';
import type { RegistryServed, SamplerRan } from './measure-observation.ts';
import type { Base } from './observation-base.ts';

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
  /** The file counts this cgroup only, and not those below it (mount option `memory_localevents`). */
  readonly isLocal?: true | undefined;
}

/** A process seen in a cgroup. `nsPid` is its pid in its own innermost pid namespace (1 = init of the container). */
export interface ProcessSeen extends Base {
  readonly kind: 'process-seen';
  readonly pid: number;
  readonly ppid: number;
  readonly nsPid: number;
  readonly comm: string;
  readonly cgroup: string;
  /** Start time as the kernel counts it (field 22 of /proc/<pid>/stat): with the pid it names one process. */
  readonly start?: string | undefined;
  /** Command line, only of the processes of a gVisor sandbox: `runsc-sandbox … --total-memory 4128530432 …`. */
  readonly args?: string | undefined;
}

/** Tracepoint signal:signal_generate; `senderPid`/`senderComm` are the task on the CPU. */
export interface SignalSent extends Base {
  readonly kind: 'signal-sent';
  readonly signal: number;
  readonly senderPid: number;
  readonly senderComm: string;
  /** The process that was signalled. */
  readonly pid: number;
  /** The thread of it that the kernel names; absent in records of others than the witness. */
  readonly tid?: number | undefined;
  readonly comm: string;
  /** si_code: 0 SI_USER (kill), -6 SI_TKILL, 128 SI_KERNEL. */
  readonly code: number;
  /** cgroup of the sender when it was seen alive. */
  readonly senderCgroup: string | undefined;
  /** Pids of the sender's ancestors, the parent first; absent in older records. */
  readonly senderParents?: readonly number[] | undefined;
  /** cgroup of the process that was signalled, when it is known. */
  readonly targetCgroup?: string | undefined;
}

/** Tracepoint sched:sched_process_exit of the first thread of a process, whose number is that of the process. */
export interface ProcessExited extends Base {
  readonly kind: 'process-exited';
  readonly pid: number;
  readonly comm: string;
  /** Whether all its threads had ended. Older records do not say: the others may have lived on. */
  readonly isGroup?: boolean | undefined;
}

/** The end of a process in no pod whose name a scenario asks for. The witness writes no other end of such a process. */
export interface OutsiderExited extends Base {
  readonly kind: 'outsider-exited';
  readonly pid: number;
  readonly comm: string;
  /** Its cgroup; undefined when it had ended before anybody could read it: it may have been one of a pod. */
  readonly cgroup: string | undefined;
}

/** From here on the witness writes the end of every process in no pod that has such a name, globs allowed. */
export interface EndsWatched extends Base {
  readonly kind: 'ends-watched';
  readonly names: readonly string[];
}

/** Tracepoint oom:mark_victim: the kernel's OOM killer chose this process, whatever its log has of it. */
export interface OomVictim extends Base {
  readonly kind: 'oom-victim';
  readonly pid: number;
  /** The thread that the kernel names; absent in records of others than the witness. */
  readonly tid?: number | undefined;
}

/**
 * containerd: TaskOOM, TaskExit, StopContainer, CreateContainer/StartContainer. `runtime-gone` is "shim disconnected":
 * all that containerd 1.6 writes about an ordinary exit, and without its status; `runtime-cut-off`: it could not even
 * ask the shim for the status, because the shim itself was gone.
 */
export interface RuntimeEvent extends Base {
  readonly kind:
    'runtime-oom' | 'runtime-exit' | 'runtime-gone' | 'runtime-cut-off' | 'runtime-stop' | 'runtime-start';
  readonly containerId: string;
  /** Set when it is about a process that was added to the container (`kubectl exec`, an exec probe). */
  readonly execId?: string | undefined;
  readonly pid: number | undefined;
  readonly exitStatus: number | undefined;
}

/** containerd made a container. Only its journal joins pod, name and id, whatever the API ever heard of it. */
export interface RuntimeCreated extends Base {
  readonly kind: 'runtime-created';
  /** Empty when the log began after the sandbox of its pod was made: another record may join the two. */
  readonly podUid: string;
  /** Name of the container in its pod. */
  readonly container: string;
  readonly containerId: string;
  readonly sandboxId?: string | undefined;
  /** Counts the containers of that name in its pod from 0. */
  readonly attempt?: number | undefined;
  /** Name and namespace of its pod, where the record has them. */
  readonly pod?: string | undefined;
  readonly namespace?: string | undefined;
}

/** The runtime handler that runs a container, where a line of the runtime names one. */
export interface RuntimeHandler extends Base {
  readonly kind: 'runtime-handler';
  /** Of the container, or of the sandbox of its pod. */
  readonly containerId: string;
  readonly handler: 'runsc';
}

/** The runtime's own record of a container when the cell ended, as the kubelet reads it (CRI `ContainerStatus`). */
export interface RuntimeRecord extends Base {
  readonly kind: 'runtime-record';
  readonly containerId: string;
  /** `CONTAINER_RUNNING`, `CONTAINER_EXITED`, … */
  readonly state: string;
  /** The reason of an ended container: `OOMKilled`, `Error`, `Completed`, …; empty when it gives none. */
  readonly reason: string;
  readonly exitCode: number | undefined;
}

/** containerd made a pod's sandbox. */
export interface SandboxCreated extends Base {
  readonly kind: 'sandbox-created';
  readonly podUid: string;
  readonly sandboxId: string;
  /** Name and namespace of the pod. */
  readonly pod?: string | undefined;
  readonly namespace?: string | undefined;
}

/** containerd itself started: what it did not find again is lost. */
export interface RuntimeRestarted extends Base {
  readonly kind: 'runtime-restarted';
}

/** A line of systemd, systemd-logind, systemd-oomd, earlyoom or Talos about a kill or about the end of the node. */
export interface SystemSaid extends Base {
  readonly kind: 'system-said';
  readonly by: 'systemd' | 'systemd-logind' | 'systemd-oomd' | 'earlyoom' | 'talos';
  /** `kill`: it ended processes; `oom-seen`: it noticed the kernel's OOM killer; `shutdown`: the node goes down. */
  readonly about: 'kill' | 'oom-seen' | 'shutdown';
  /** The pid in records of earlyoom and of systemd's own kills. */
  readonly pid: number | undefined;
  /** The cgroup in records of systemd-oomd and Talos. */
  readonly cgroup: string | undefined;
}

/** A kubelet log line that says why it kills, that it saw a container die, or that it removed a dead one. */
export interface KubeletSaid extends Base {
  readonly kind: 'kubelet-said';
  readonly about:
    | 'killing-container'
    | 'container-died'
    /** The same with its exit code, and a moment before. */
    | 'container-finished'
    | 'container-removed'
    /** The source of a pod (file, api) has it no more. */
    | 'pod-removed'
    /** A pod came, was changed, or has started: nothing hostile, but a sign that the kubelet was heard about it. */
    | 'pod-told'
    /** The pod's sandbox is gone or not ready, and the kubelet makes a new one. */
    | 'sandbox-changed'
    | 'oom'
    | 'eviction'
    | 'preemption'
    /** The node goes down, and the kubelet stops its pods in an order (pkg/kubelet/nodeshutdown). */
    | 'shutdown'
    | 'probe-failed'
    /** It begins: what a former one had decided it does not know. */
    | 'started'
    /** The API did not take an event of the kubelet, which may try again. */
    | 'event-lost'
    | 'other';
  readonly containerId: string | undefined;
  readonly podUid: string | undefined;
  /** How verbose the kubelet has to be to print such a line (klog's V); undefined where that depends. */
  readonly verbosity?: number | undefined;
  /** Of a container that finished. */
  readonly exitCode?: number | undefined;
  /** `<namespace>/<name>` of the pod, and the name of the container, where the line has them. */
  readonly pod?: string | undefined;
  readonly container?: string | undefined;
  readonly message: string;
}

/** State of one container as the API had it. */
export interface ContainerView {
  readonly name: string;
  /** `sidecar`: an init container that goes on running with the main ones (`restartPolicy: Always`). */
  readonly role: 'init' | 'sidecar' | 'main' | 'ephemeral';
  /** Without the prefix of its runtime (`containerd://`, `cri-o://`, `docker://`); empty before it exists. */
  readonly id: string;
  readonly state: 'waiting' | 'running' | 'terminated';
  readonly reason: string | undefined;
  /** The message of the state it is in: how the runtime failed to start it. */
  readonly message: string | undefined;
  readonly exitCode: number | undefined;
  readonly signal: number | undefined;
  readonly startedAt: number | undefined;
  readonly finishedAt: number | undefined;
  readonly restartCount: number;
  /** `lastState.terminated`, when there is one. */
  readonly last:
    | {
        readonly id: string;
        readonly reason: string | undefined;
        readonly message: string | undefined;
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
  /** Whether only the time of an OOM kill tells that its uid and ids are those of the kernel's log. */
  readonly isJoinedByTime?: true | undefined;
  readonly createdAt: number | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly node: string | undefined;
  /** `windows` where the pod asks for it. */
  readonly os?: string | undefined;
  readonly phase: string;
  readonly reason: string | undefined;
  readonly message: string | undefined;
  readonly deletionAt: number | undefined;
  /**
   * `deletionAt` is when the kubelet had ended the pod and took it back: the deletion was asked for before, and this version does
   * not say when.
   */
  readonly isDeletedBefore?: true | undefined;
  /**
   * For the mirror of a static pod, the uid by which node, cgroups and events know it (`kubernetes.io/config.hash`).
   */
  readonly mirrorOf?: string | undefined;
  /** When it must end: its start and `activeDeadlineSeconds`. */
  readonly deadlineAt?: number | undefined;
  /**
   * `spec.terminationGracePeriodSeconds`: the time between SIGTERM and SIGKILL, unless a deletion or a probe says
   * another.
   */
  readonly gracePeriodSeconds?: number | undefined;
  /** The shortest of that and of those that its probes have; undefined where the pod does not say its own. */
  readonly shortestGraceSeconds?: number | undefined;
  /** The containers with a preStop hook, which runs before the runtime is asked to stop them. */
  readonly preStop?: readonly string[] | undefined;
  /** `lastTransitionTime` of condition `Ready`, when it is true: cut to whole seconds, on the clock of the node. */
  readonly readyAt?: number | undefined;
  /** Condition `DisruptionTarget`, when it is true: who disrupts the pod (KEP-3329, since 1.25). */
  readonly disruption:
    { readonly reason: string; readonly message: string; readonly at?: number | undefined } | undefined;
  /** `1.34`: the oldest release of Kubernetes that writes such a status. */
  readonly sinceRelease?: string | undefined;
  readonly containers: readonly ContainerView[];
}

/** A Kubernetes Event. */
export interface KubeEvent extends Base {
  readonly kind: 'kube-event';
  readonly reason: string;
  readonly type: string;
  readonly component: string;
  readonly objectKind: string;
  /** The namespace of the object that it is about; empty for one in no namespace. */
  readonly objectNamespace: string;
  readonly objectName: string;
  readonly objectUid: string;
  readonly fieldPath: string | undefined;
  readonly message: string;
  readonly count: number;
  /**
   * When an event that was written several times was first and last written. `at` is the last time, or `deliveredAt`.
   */
  readonly firstAt?: number | undefined;
  readonly lastAt?: number | undefined;
  /** When it was read, on the clock of the reader. */
  readonly deliveredAt?: number | undefined;
  /** How old it was when its table was printed, and how coarse that is, in milliseconds; rows of one table have one clock. */
  readonly age?: { readonly ms: number; readonly grainMs: number } | undefined;
  /** How often the containers of its pod had ended, where a table of pods says so and nothing else. */
  readonly endsOfPod?: number | undefined;
}

/** What we ourselves did to the victim, from the cell's own record. */
export interface StimulusDone extends Base {
  readonly kind: 'stimulus';
  readonly node: string;
  /** The pid of the process that sent the signal; undefined for a stimulus that is not a signal. */
  readonly senderPid: number | undefined;
  readonly pid: number | undefined;
  /** The pods whose end it asked the API for; undefined for any other stimulus. */
  readonly asked: PodsAsked | undefined;
}

/** Which pods we asked the API to end, and how. */
export interface PodsAsked {
  readonly how: Extract<How, 'delete' | 'eviction-api'>;
  readonly namespace: string;
  readonly pods: readonly string[];
}

export type Observation =
  | KernelObservation
  | BootEnded
  | NodeBeat
  | CgroupLife
  | CgroupValues
  | ProcessSeen
  | SignalSent
  | ProcessExited
  | OomVictim
  | OomCounted
  | OutsiderExited
  | EndsWatched
  | RuntimeEvent
  | RuntimeCreated
  | RuntimeHandler
  | RuntimeRecord
  | RuntimeRestarted
  | SandboxCreated
  | Covered
  | SystemSaid
  | KubeletSaid
  | PodSeen
  | NodeSeen
  | LeaseRenewed
  | NodeAnswered
  | HostLoad
  | KubeEvent
  | SamplerRan
  | RegistryServed
  | StimulusDone
  | Lost;

export * from './evidence-files.ts';
export type { CellRecord } from './cell-record.ts';
export type * from './coverage-observation.ts';
export type * from './kernel-observation.ts';
export type * from './machine-observation.ts';
export type * from './measure-observation.ts';
export type { Base } from './observation-base.ts';
export type { ReadSource } from './source.ts';
