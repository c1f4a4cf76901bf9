import type { KubeEvent, KubeletSaid } from '../model/observation.ts';
import type { CaseFile } from './case-file.ts';
import { podWith } from './pod-until-end.ts';

/** That the kubelet stopped the container and gave no reason: its line, its event, or both. */
export interface UnexplainedStop {
  readonly line: KubeletSaid | undefined;
  readonly event: KubeEvent | undefined;
}

/** Reasons of pods and events that say why a pod had to go. */
const POD_REASONS = /^(?:Evicted|DeadlineExceeded|Preempting|Terminated|Shutdown|NodeShutdown|NodeLost)$/;
const EVENT_REASONS = /^(?:Evicted|Preempted|Preempting|TaintManagerEviction|NodeShutdown)$/;
/** `Message for Container of pod` carries the reason of a probe or of a changed definition (kuberuntime_manager.go). */
const LINES_WITH_REASON =
  /Message for Container of pod|Killing unwanted pod|failed (?:liveness|startup) probe/;

/** Whether anybody else is known to have wanted the end of this pod or container before it came. */
export function hasOtherReason(file: CaseFile): boolean {
  const asked =
    podWith(
      file,
      (each) =>
        POD_REASONS.test(each.reason ?? '') || (each.deletionAt !== undefined && each.deletionAt <= file.to),
    ) !== undefined;
  const told = podEvents(file).some(
    (each) =>
      EVENT_REASONS.test(each.reason) ||
      (each.reason === 'Killing' && isOfContainer(file, each) && !isPlainStop(file, each)),
  );
  const logged = containerLines(file).some(
    (each) => LINES_WITH_REASON.test(each.message) && (each.at ?? 0) <= file.to,
  );
  return asked || told || logged;
}

/**
 * That the kubelet meant to stop the container before this time. It runs a preStop hook first, and only then asks the
 * runtime: such a hook may end the program, and no signal of the runtime ever comes.
 */
export function findStopBefore(
  file: CaseFile,
  before: number | undefined,
): KubeletSaid | KubeEvent | undefined {
  const until = before ?? file.to;
  return findStopLine(file, until) ?? findKilling(file, until, (event) => isOfContainer(file, event));
}

/** Finds what the kubelet said when it stopped the container without a reason. */
export function findUnexplainedStop(file: CaseFile): UnexplainedStop {
  const event = findKilling(file, file.to, (each) => isPlainStop(file, each));
  return { line: findStopLine(file, file.to), event };
}

function findStopLine(file: CaseFile, until: number): KubeletSaid | undefined {
  return containerLines(file).find(
    (each) =>
      /Killing container with a grace period/.test(each.message) &&
      each.containerId === file.containerId &&
      (each.at ?? 0) <= until,
  );
}

function findKilling(
  file: CaseFile,
  until: number,
  wanted: (event: KubeEvent) => boolean,
): KubeEvent | undefined {
  return podEvents(file).find((each) => each.reason === 'Killing' && wanted(each) && (each.at ?? 0) <= until);
}

/** The lines in which the kubelet finds no ready sandbox for the pod and wants a new one. */
export function findSandboxLines(file: CaseFile): KubeletSaid[] {
  const pod = `pod="${file.pod.namespace}/${file.pod.name}"`;
  return file.observations.filter(
    (each): each is KubeletSaid =>
      each.kind === 'kubelet-said' && each.about === 'sandbox-changed' && each.message.includes(pod),
  );
}

/** Events about the judged pod. */
export function podEvents(file: CaseFile): KubeEvent[] {
  return file.observations.filter(
    (each): each is KubeEvent => each.kind === 'kube-event' && each.objectUid === file.pod.uid,
  );
}

/** The message without a reason: `Stopping container <name>` (killContainer of kuberuntime_container.go). */
function isPlainStop(file: CaseFile, event: KubeEvent): boolean {
  return event.message === `Stopping container ${file.record.victim.container}`;
}

/** Whether an event about the pod names the judged container, or none. */
export function isOfContainer(file: CaseFile, event: KubeEvent): boolean {
  const named = /\{(.+)\}/.exec(event.fieldPath ?? '')?.[1];
  return named === undefined || named === file.record.victim.container;
}

function containerLines(file: CaseFile): KubeletSaid[] {
  return file.observations.filter(
    (each): each is KubeletSaid =>
      each.kind === 'kubelet-said' &&
      file.containerId !== '' &&
      (each.containerId === file.containerId ||
        (each.containerId === undefined && each.podUid === file.pod.uid)),
  );
}
