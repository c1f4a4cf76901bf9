import type { EvidenceRef } from '../../model/saved/formats.ts';
import type {
  BootEnded,
  CellRecord,
  ContainerView,
  KubeEvent,
  KubeletSaid,
  PodSeen,
  ProcessExited,
  ProcessSeen,
} from '../../model/evidence/observation.ts';
import type { ContainerEnd } from '../records/container-end.ts';
import type { EvidenceIndex, Process } from '../records/evidence-index.ts';
import type { KillingSignal, SignalToContainer, SignalToShim } from './killing-signal.ts';
import type { OomEvidence } from './oom-evidence.ts';
import type { ContainerCgroups } from '../records/container-cgroups.ts';
import type { StopRequests } from './requests/stop-request.ts';
import type { ClusterFacts, Question } from './question.ts';
import type { Sandbox } from './sandbox.ts';

/** Everything about the judged container, gathered once for all rules. */
export interface CaseFile<Asked extends Question = Question> extends GatheredCase<Asked> {
  /** Who asked for its end. */
  readonly requests: StopRequests;
}

/** The case of a cell, which has a record with all that was done in it. */
export type CellCase = CaseFile<CellRecord>;

/** The records about the container, without who asked for its end. */
export interface GatheredCase<Asked extends Question = Question> {
  readonly record: Asked;
  readonly facts: ClusterFacts;
  readonly index: EvidenceIndex;
  /** All versions of the pods that match the victim's selector, oldest first. */
  readonly versions: readonly PodSeen[];
  /** The newest version of the judged pod. */
  readonly pod: PodSeen;
  /** Its uids: a static pod has one on its node and another in the API. */
  readonly uids: readonly string[];
  /** Events about the pod, oldest first. */
  readonly podEvents: readonly KubeEvent[];
  /** Lines of the kubelet about the container, and about its pod as a whole. */
  readonly kubeletLines: readonly KubeletSaid[];
  /** Its node; undefined before it was scheduled. */
  readonly node: string | undefined;
  /** Whether the clock of its node was set while it lived: then journals and events have no order. */
  readonly isClockSet: boolean;
  /** Empty when the container never existed. */
  readonly containerId: string;
  /** The cgroups that hold its processes. */
  readonly cgroups: ContainerCgroups;
  /** The newest state of the container by that name. */
  readonly view: ContainerView | undefined;
  readonly viewRef: EvidenceRef;
  /** How it ended, as the API or the runtime reported it; undefined while it lives, or when neither did. */
  readonly end: ContainerEnd | undefined;
  readonly processes: readonly ProcessSeen[];
  readonly first: Process | undefined;
  readonly init: ProcessSeen | undefined;
  readonly initExit: ProcessExited | undefined;
  readonly oom: OomEvidence;
  /** Signals to its processes up to its end. */
  readonly signals: readonly SignalToContainer[];
  readonly killingSignal: KillingSignal | undefined;
  /** Signals to its shim, the parent of its first process, that nothing but the shim's end can follow; oldest first. */
  readonly shimKills: readonly SignalToShim[];
  /** The pod's sandbox; undefined when the witness did not see it. */
  readonly sandbox: Sandbox | undefined;
  /** The end of the boot in which the container lived; undefined unless its node booted again during the cell. */
  readonly bootEnded: BootEnded | undefined;
  /** The best known time of its end. It is never too early: API times are cut to whole seconds. */
  readonly endedAt: number | undefined;
  /**
   * When the runtime's own SIGKILL is due, after somebody asked it to stop the container; undefined when nobody did, or
   * nobody says for how long it waits.
   */
  readonly killDueAt: number | undefined;
  /**
   * The latest time at which its end was decided: the runtime's first signal, else the runtime's own line, else the
   * signal, else the end.
   */
  readonly decidedAt: number | undefined;
  /** The time in which evidence must be whole, milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
}
