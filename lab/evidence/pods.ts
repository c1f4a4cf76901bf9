import { isObject } from '../model/files/parse-json.ts';
import type { ContainerView, Lost, PodSeen } from '../model/evidence/observation.ts';
import { smallest } from '../model/text/extremes.ts';
import {
  ignoreCovered,
  lostOf,
  numberOf,
  objectAt,
  objectsIn,
  baseOf,
  stringOf,
  timeOf,
  type EvidenceText,
  type OnCovered,
  type Where,
} from './lines.ts';
import { parseWatch, type WatchLine } from './watch-lines.ts';

/** Reads the versions of pods that the API watch delivered. */
export function parsePods(
  content: EvidenceText,
  file: string,
  onCovered: OnCovered = ignoreCovered,
): (PodSeen | Lost)[] {
  const observations = parseWatch(content, file, 'pods', (line) => podOf(line, file), onCovered);
  if (!observations.some((observation) => observation.kind === 'pod-seen'))
    observations.push(lostOf('pods', 'the API watch delivered no pod', file));
  return observations;
}

/** A field of the metadata that `bundle/name-uids.ts` adds. */
export const JOINED_BY_TIME = 'joinedByTime';

/** What one version of a pod says. */
export function podOf(line: WatchLine, where: Where): PodSeen {
  const metadata = objectAt(line.object, 'metadata');
  const spec = objectAt(line.object, 'spec');
  const status = objectAt(line.object, 'status');
  const sidecars = objectsIn(spec.initContainers)
    .filter((container) => container.restartPolicy === 'Always')
    .map((container) => container.name);
  const containers = [
    ...objectsIn(status.initContainerStatuses).map((container) =>
      containerOf(container, sidecars.includes(container.name) ? 'sidecar' : 'init'),
    ),
    ...objectsIn(status.containerStatuses).map((container) => containerOf(container, 'main')),
    ...objectsIn(status.ephemeralContainerStatuses).map((containerStatus) =>
      containerOf(containerStatus, 'ephemeral'),
    ),
  ];
  const pod = {
    type: line.type,
    namespace: stringOf(metadata.namespace) ?? '',
    name: stringOf(metadata.name) ?? '',
    uid: stringOf(metadata.uid) ?? '',
    isJoinedByTime: metadata[JOINED_BY_TIME] === true ? (true as const) : undefined,
    createdAt: timeOf(metadata.creationTimestamp),
    labels: labelsOf(metadata.labels),
    node: stringOf(spec.nodeName),
    os: stringOf(objectAt(spec, 'os').name) ?? stringOf(objectAt(spec, 'nodeSelector')['kubernetes.io/os']),
    phase: stringOf(status.phase) ?? 'Unknown',
    reason: stringOf(status.reason),
    message: stringOf(status.message),
    deletionAt: deletionRequestedAt(metadata),
    isDeletedBefore: isTakenBack(metadata, status) ? (true as const) : undefined,
    readyAt: timeOf(trueCondition(status.conditions, 'Ready')?.lastTransitionTime),
    disruption: disruptionOf(status.conditions),
    sinceRelease: oldestRelease(status),
    mirrorOf: mirrorOf(objectAt(metadata, 'annotations')),
    deadlineAt: deadlineOf(spec, status),
    gracePeriodSeconds: numberOf(spec.terminationGracePeriodSeconds),
    shortestGraceSeconds: shortestGraceOf(spec),
    preStop: preStopOf(spec),
    containers,
  };
  return {
    kind: 'pod-seen',
    ...baseOf('pod', line.at, where, line.line, describe(pod)),
    ...pod,
  };
}

/** A probe may have a shorter grace period of its own; undefined where the pod says none: the API server fills it in. */
function shortestGraceOf(spec: Record<string, unknown>): number | undefined {
  const ofPod = numberOf(spec.terminationGracePeriodSeconds);
  if (ofPod === undefined) return undefined;
  const ofProbes = [...objectsIn(spec.initContainers), ...objectsIn(spec.containers)]
    .flatMap(({ livenessProbe, startupProbe }) => objectsIn([livenessProbe, startupProbe]))
    .flatMap((probe) => numberOf(probe.terminationGracePeriodSeconds) ?? []);
  return smallest(ofProbes, ofPod);
}

/** Names of the containers with a preStop hook; undefined when there is none. */
function preStopOf(spec: Record<string, unknown>): string[] | undefined {
  const hooked = [...objectsIn(spec.initContainers), ...objectsIn(spec.containers)].filter(
    (container) => objectAt(container, 'lifecycle').preStop !== undefined,
  );
  return hooked.length === 0 ? undefined : hooked.map((container) => stringOf(container.name) ?? '');
}

/**
 * The oldest release that writes such a status by default (pkg/features/kube_features.go): `PodObservedGenerationTracking`,
 * then `PodHostIPs` and `PodReadyToStartContainersCondition`.
 */
function oldestRelease(status: Record<string, unknown>): string | undefined {
  if (status.observedGeneration !== undefined) return '1.34';
  const types = objectsIn(status.conditions).map(({ type }) => type);
  if (status.hostIPs !== undefined || types.includes('PodReadyToStartContainers')) return '1.29';
  return undefined;
}

/** pkg/kubelet/types/pod_update.go: the mirror of a static pod carries the uid that its node gave it. */
function mirrorOf(annotations: Record<string, unknown>): string | undefined {
  return (
    stringOf(annotations['kubernetes.io/config.mirror']) ?? stringOf(annotations['kubernetes.io/config.hash'])
  );
}

function deadlineOf(spec: Record<string, unknown>, status: Record<string, unknown>): number | undefined {
  const seconds = numberOf(spec.activeDeadlineSeconds);
  const startedAt = timeOf(status.startTime);
  return seconds === undefined || startedAt === undefined ? undefined : startedAt + seconds * 1000;
}

function disruptionOf(conditions: unknown): PodSeen['disruption'] {
  const found = trueCondition(conditions, 'DisruptionTarget');
  return (
    found && {
      reason: stringOf(found.reason) ?? '',
      message: stringOf(found.message) ?? '',
      at: timeOf(found.lastTransitionTime),
    }
  );
}

function trueCondition(conditions: unknown, type: string): Record<string, unknown> | undefined {
  return objectsIn(conditions).find((condition) => condition.type === type && condition.status === 'True');
}

/** `deletionTimestamp` is later than the request by the grace period: it is when the pod must be gone. */
function deletionRequestedAt(metadata: Record<string, unknown>): number | undefined {
  const mustBeGoneAt = timeOf(metadata.deletionTimestamp);
  if (mustBeGoneAt === undefined) return undefined;
  return mustBeGoneAt - (numberOf(metadata.deletionGracePeriodSeconds) ?? 0) * 1000;
}

/**
 * When the containers of a deleted pod have ended, the kubelet deletes it once more without any grace, and the API sets the time again
 * (BeforeDelete of apiserver/pkg/registry/rest/delete.go).
 */
function isTakenBack(metadata: Record<string, unknown>, status: Record<string, unknown>): boolean {
  const isOver = status.phase === 'Succeeded' || status.phase === 'Failed';
  return isOver && metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
}

function labelsOf(value: unknown): Record<string, string> {
  if (!isObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, label]) => [name, String(label)]));
}

function containerOf(status: Record<string, unknown>, role: ContainerView['role']): ContainerView {
  const running = objectAt(status, 'state', 'running');
  const terminated = objectAt(status, 'state', 'terminated');
  const waiting = objectAt(status, 'state', 'waiting');
  const last = objectAt(status, 'lastState', 'terminated');
  const isTerminated = isObject(objectAt(status, 'state').terminated);
  const isRunning = isObject(objectAt(status, 'state').running);
  return {
    name: stringOf(status.name) ?? '',
    role,
    id: withoutScheme(stringOf(terminated.containerID) ?? stringOf(status.containerID)),
    state: isTerminated ? 'terminated' : isRunning ? 'running' : 'waiting',
    reason: stringOf(terminated.reason) ?? stringOf(waiting.reason),
    message: stringOf(terminated.message) ?? stringOf(waiting.message),
    exitCode: numberOf(terminated.exitCode),
    signal: numberOf(terminated.signal),
    startedAt: momentOf(running.startedAt) ?? momentOf(terminated.startedAt),
    finishedAt: momentOf(terminated.finishedAt),
    restartCount: numberOf(status.restartCount) ?? 0,
    last: lastOf(last),
  };
}

function lastOf(last: Record<string, unknown>): ContainerView['last'] {
  const exitCode = numberOf(last.exitCode);
  if (exitCode === undefined) return undefined;
  return {
    id: withoutScheme(stringOf(last.containerID)),
    reason: stringOf(last.reason),
    message: stringOf(last.message),
    exitCode,
    startedAt: momentOf(last.startedAt),
    finishedAt: momentOf(last.finishedAt),
  };
}

/** A time in the life of a container. The API gives the beginning of 1970 for one that never came: it was never started. */
function momentOf(value: unknown): number | undefined {
  const at = timeOf(value);
  return at === 0 ? undefined : at;
}

function withoutScheme(id: string | undefined): string {
  return (id ?? '').replace(/^[a-z][\w.+-]*:\/\//, '');
}

function describe(
  pod: Pick<
    PodSeen,
    'name' | 'phase' | 'reason' | 'message' | 'containers' | 'type' | 'deletionAt' | 'disruption'
  >,
): string {
  const parts = pod.containers.map((view) => {
    const exit = view.exitCode === undefined ? '' : `, exit ${view.exitCode}`;
    const last =
      view.last === undefined
        ? ''
        : `, before that ${view.last.reason ?? 'ended'}, exit ${view.last.exitCode}`;
    const reason = view.reason === undefined ? '' : ` ${view.reason}`;
    return `${view.name} ${view.state}${reason}${exit}${last}, ${view.restartCount} restarts`;
  });
  const message = pod.message === undefined ? '' : ` (${pod.message.trim()})`;
  const reason = pod.reason === undefined ? '' : ` ${pod.reason}${message}`;
  const disrupted = pod.disruption === undefined ? '' : `, disrupted: ${pod.disruption.reason}`;
  const leaving = pod.deletionAt === undefined ? '' : ', being deleted';
  return `${pod.name} ${pod.phase}${reason}${disrupted}${leaving}${pod.type === 'DELETED' ? ', gone' : ''}: ${parts.join('; ') || 'no containers'}`;
}
