import type { Scenario } from '../../model/declared/scenario.ts';
import { matchesSelector } from '../../model/declared/selector.ts';

/** State of the victim's container as the watch sees it now. */
export interface VictimView {
  readonly pod: string;
  readonly uid: string;
  readonly createdAtMs: number;
  readonly phase: string;
  readonly node: string;
  /** Without `containerd://`; empty before the container exists. */
  readonly containerId: string;
  readonly running: boolean;
  readonly startedAtMs: number | undefined;
  /** The container ended at least once (now or before its last restart). */
  readonly ended: boolean;
  readonly restartCount: number;
  /** How often the container has ended. */
  readonly deaths: number;
  /** Its newest end that the API still has. */
  readonly newestEnd: { readonly reason?: string; readonly exitCode?: number } | undefined;
  /** The reason a container waits with: `ErrImageNeverPull`, `CrashLoopBackOff`, … */
  readonly waiting: string | undefined;
  readonly deleted: boolean;
}

/** Keeps the newest view of every pod that matches a scenario's victim, fed by the API watch. */
export interface PodWatch {
  see(type: string, object: unknown): void;
  /** Matching pods, oldest first. */
  views(): VictimView[];
}

/** Builds the watch for one scenario. It takes the pods that the judge takes. */
export function createPodWatch(victim: Scenario['victim']): PodWatch {
  const pods = new Map<string, VictimView>();
  return {
    see: (type, object) => {
      const pod = object as PodLike;
      const labels = pod.metadata?.labels ?? {};
      if (pod.metadata?.namespace !== victim.namespace) return;
      if (!matchesSelector(victim.selector, labels)) return;
      const view = viewOf(pod, victim.container, type === 'DELETED');
      pods.set(view.uid, view);
    },
    views: () => [...pods.values()].sort((a, b) => a.createdAtMs - b.createdAtMs || (a.pod < b.pod ? -1 : 1)),
  };
}

interface PodLike {
  metadata?: {
    name?: string;
    namespace?: string;
    uid?: string;
    creationTimestamp?: string;
    labels?: Record<string, string>;
  };
  spec?: { nodeName?: string };
  status?: {
    phase?: string;
    initContainerStatuses?: ContainerLike[];
    containerStatuses?: ContainerLike[];
    ephemeralContainerStatuses?: ContainerLike[];
  };
}

interface ContainerLike {
  name: string;
  containerID?: string;
  restartCount?: number;
  state?: { running?: { startedAt?: string }; terminated?: EndLike; waiting?: { reason?: string } };
  lastState?: { terminated?: EndLike };
}

interface EndLike {
  reason?: string;
  exitCode?: number;
}

function viewOf(pod: PodLike, container: string, deleted: boolean): VictimView {
  // A victim may be of any kind: names are unique in a pod.
  const status = [
    ...(pod.status?.containerStatuses ?? []),
    ...(pod.status?.initContainerStatuses ?? []),
    ...(pod.status?.ephemeralContainerStatuses ?? []),
  ].find((state) => state.name === container);
  const ended = status?.state?.terminated ?? status?.lastState?.terminated;
  const isEnded = status?.state?.terminated !== undefined || isBetween(status);
  const startedAt = status?.state?.running?.startedAt;
  return {
    pod: pod.metadata?.name ?? '',
    uid: pod.metadata?.uid ?? '',
    createdAtMs: Date.parse(pod.metadata?.creationTimestamp ?? '') || 0,
    phase: pod.status?.phase ?? 'Unknown',
    node: pod.spec?.nodeName ?? '',
    containerId: (status?.containerID ?? '').replace(/^.*:\/\//, ''),
    running: status?.state?.running !== undefined,
    startedAtMs: startedAt === undefined ? undefined : Date.parse(startedAt),
    ended: ended !== undefined || (status?.restartCount ?? 0) > 0, // a busy kubelet may report only the new container
    deaths: (status?.restartCount ?? 0) + (isEnded ? 1 : 0),
    newestEnd: ended,
    restartCount: status?.restartCount ?? 0,
    waiting: status?.state?.waiting?.reason,
    deleted,
  };
}

/** Whether a container has ended and waits for its next start: its count of restarts does not have that end yet. */
function isBetween(status: ContainerLike | undefined): boolean {
  return status?.state?.waiting !== undefined && status.lastState?.terminated !== undefined;
}
