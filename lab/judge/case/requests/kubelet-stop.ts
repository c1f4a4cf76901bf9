import type { KubeEvent, KubeletSaid } from '../../../model/evidence/observation.ts';
import type { GatheredCase } from '../case-file.ts';
import { isOfKubelet, isWhole } from '../coverage.ts';
import { isEventOf } from '../../records/event-container.ts';
import { countEndsByEvents, isOfEarlierEnd } from './ends-by-events.ts';
import { isBeforeLife, lifeFrom, secondOf, skipsLife } from './event-life.ts';
import { CLOCKS_MS, CUT_MS, SAME_NODE_MS } from '../../../model/evidence/source-clocks.ts';
import { loopLinesOf } from '../../records/kubelet-lines.ts';
import { API_MS } from '../../records/tolerances.ts';
import {
  compareTimes,
  earliest,
  isAfter,
  isAtLeast,
  isAtMost,
  isWithin,
  latest,
  shift,
  type Time,
} from '../../records/times.ts';

/** Why the kubelet stops one container while the pod stays: `Container <name> <why>` (kuberuntime_manager.go). */
export type ContainerReason = 'liveness-probe' | 'startup-probe' | 'definition-changed' | 'resized';

/** A record of the kubelet that it stops the container. */
export interface KubeletStop {
  readonly record: KubeEvent | KubeletSaid;
  /** Undefined when the whole pod had to go, or the kubelet gave no reason. */
  readonly reason: ContainerReason | undefined;
}

/** The kubelet's texts (docs/texts-of-kills.yaml): computePodActions and computePodResizeAction of kuberuntime_manager.go. */
const REASONS: readonly (readonly [ContainerReason, RegExp])[] = [
  // Up to 1.10 it was called unhealthy.
  ['liveness-probe', /failed liveness probe|is unhealthy, it will be killed/],
  ['startup-probe', /failed startup probe/],
  // A sidecar is restarted whenever it changed, and the text of init containers does not say so.
  ['definition-changed', /definition changed/],
  ['resized', /resize requires restart/],
];

/**
 * What the kubelet said when it stopped the container, oldest first, up to a time. Its line "Killing container with a grace period"
 * comes with any stop, right before it asks the runtime. The event, and the line "Message for Container of pod", say why a single
 * container has to go.
 */
export function findStops(
  file: GatheredCase,
  until: number | undefined = file.decidedAt ?? file.to,
): KubeletStop[] {
  const { container } = file.record.victim;
  const lines = file.kubeletLines.filter(
    (line) =>
      line.about === 'killing-container' &&
      (isInLife(line.at, line.at, file, until, SAME_NODE_MS) || isByIdOnly(line, file)) &&
      (line.containerId === file.containerId || line.message.includes(`containerName="${container}"`)),
  );
  const events = file.podEvents.filter((event) => {
    if (event.reason !== 'Killing' || !isOfKubelet(event) || !isEventOf(container, event)) return false;
    if (skipsLife(event, file) || isBeforeLife(event.at, file) || isUnlogged(event, file)) return false;
    const second = secondOf(event, file);
    if (second === undefined) return isOfEachEnd(event, file);
    // The runtime of the node dates the end, in whole seconds as well.
    if (isAtLeast(second, shift(file.end?.at, CUT_MS), { unknown: 'does not' })) return false;
    const lineAt = findLineOf(event, second, file);
    // Both have the clock of the node; that of an event is cut, and no later than it was.
    return isInLife(lineAt ?? second, latest([lineAt ?? second, event.at]), file, until, SAME_NODE_MS);
  });
  return [...lines, ...events]
    .map((record) => ({ record, reason: reasonIn(record.message, container) }))
    .sort((a, b) => compareTimes(a.record.at, b.record.at, { unknown: 'first' }));
}

/**
 * What the kubelet said of stops of any container of that name, where no record tells of an end of the judged one: nobody knows
 * which of them each is about.
 */
export function findStopsOfUnknown({ end, initExit, podEvents, record }: GatheredCase): KubeletStop[] {
  if (end !== undefined || initExit !== undefined) return [];
  const { container } = record.victim;
  return podEvents
    .filter((event) => event.reason === 'Killing' && isOfKubelet(event) && isEventOf(container, event))
    .map((event) => ({ record: event, reason: reasonIn(event.message, container) }));
}

/**
 * Whether an event was written for containers before and after this one as well, and the kubelet, which was heard, logged no stop of
 * this one.
 */
function isUnlogged(event: KubeEvent, file: GatheredCase): boolean {
  return (
    isAfter(event.at, file.to, { unknown: 'does not' }) &&
    isBeforeLife(event.firstAt, file) &&
    !hasHook(file) &&
    isWhole(file, ['kubelet']) &&
    !file.kubeletLines.some(({ about }) => about === 'killing-container')
  );
}

/** Whether nobody dates a line, and the id in it is that of the judged container: the kubelet stops a container once. */
function isByIdOnly({ at, containerId }: KubeletSaid, file: GatheredCase): boolean {
  return at === undefined && file.containerId !== '' && containerId === file.containerId;
}

/**
 * Whether an event that nobody dates is about this end, too: the kubelet wrote it as often as the container ended, or it stopped a
 * pod that has not run since.
 */
function isOfEachEnd(event: KubeEvent, file: GatheredCase): boolean {
  const { versions, record } = file;
  const { message, count, endsOfPod = 0 } = event;
  if (isOneOfSeveral(message, file) || isOfEarlierEnd(event, file)) return false;
  const pod = versions.at(-1);
  const view = pod?.containers.find(({ name }) => name === record.victim.container);
  const isOfPod = /^Stopping container/.test(message);
  const least = countEndsByEvents(file);
  if (pod === undefined) return isOfPod || count >= Math.max(endsOfPod, least);
  if (view === undefined) return false;
  // A part of a status may not have the state.
  const isOver = view.state === 'terminated' || view.reason !== undefined;
  if (isOfPod) return isOver && (pod.phase === 'Failed' || pod.deletionAt !== undefined);
  return count >= Math.max(least, view.restartCount + (isOver ? 1 : 0));
}

/** Whether another event that nobody dates says that the kubelet stops the container for another reason: that is another end. */
function isOneOfSeveral(message: string, { podEvents, record }: GatheredCase): boolean {
  const { container } = record.victim;
  const reason = reasonIn(message, container);
  return podEvents.some(
    (event) =>
      event.reason === 'Killing' &&
      event.at === undefined &&
      isOfKubelet(event) &&
      isEventOf(container, event) &&
      reasonIn(event.message, container) !== reason,
  );
}

/**
 * When the kubelet logged what an event says, in the second that the event has: the line dates it. Its line for any stop
 * follows a preStop hook, which the event does not.
 */
function findLineOf(event: KubeEvent, second: Time, file: GatheredCase): Time {
  const { container } = file.record.victim;
  const reason = reasonIn(event.message, container);
  const lines = file.kubeletLines.filter(
    (line) =>
      line.about === 'killing-container' &&
      (reason === undefined ? !hasHook(file) : reasonIn(line.message, container) === reason) &&
      isWithin(line.at, second, shift(second, CUT_MS), { unknown: 'does not' }),
  );
  return earliest(lines.map(({ at }) => at));
}

/** Whether the definition of the pod has a preStop hook for the container. The kubelet runs it before it asks the runtime. */
export function hasHook({ versions, pod, record }: GatheredCase): boolean {
  return versions.some(
    (version) => version.uid === pod.uid && version.preStop?.includes(record.victim.container) === true,
  );
}

function reasonIn(message: string, container: string): ContainerReason | undefined {
  const isNamed = [
    `Container ${container} `,
    `Init container ${container} `,
    // Up to 1.12: `Killing container with id docker://web:Container failed liveness probe..`, and before with the name in quotes.
    `://${container}:Container `,
    `container "${container}" `,
  ].some((words) => message.includes(words));
  if (!isNamed) return undefined;
  return REASONS.find(([, text]) => text.test(message))?.[0];
}

/** Whether something that was seen from `first` to `last` falls into the life of the container. */
function isInLife(
  first: number | undefined,
  last: number | undefined,
  file: GatheredCase,
  until: number | undefined,
  slackMs: number,
): boolean {
  if (first === undefined || last === undefined) return false;
  return (
    isAtLeast(last, shift(lifeFrom(file), -API_MS), { unknown: 'counts' }) &&
    isAtMost(first, shift(until, slackMs), { unknown: 'counts' })
  );
}

/**
 * Finds that the kubelet meant to stop the container before this time. The kubelet runs a preStop hook first, and asks
 * the runtime afterwards. The hook may end the program, and then the runtime sends no signal.
 */
export function findStopBefore(file: GatheredCase, before: number | undefined): KubeletStop | undefined {
  return preciseOf(findStops(file, before));
}

/** The kubelet's line has a precise time, its event a whole second. */
export function preciseOf(stops: readonly KubeletStop[]): KubeletStop | undefined {
  return stops.find((stop) => stop.record.kind === 'kubelet-said') ?? stops[0];
}

/** Lines in which the kubelet finds no ready sandbox for the pod and wants a new one. */
export function findSandboxLines(file: GatheredCase): KubeletSaid[] {
  const pod = `pod="${file.pod.namespace}/${file.pod.name}"`;
  return file.index.of('kubelet-said').filter(
    (line) =>
      line.about === 'sandbox-changed' &&
      line.node === file.node &&
      line.message.includes(pod) &&
      // An earlier pod with that name had lines of its own.
      isAtLeast(line.at, shift(file.pod.createdAt, -CUT_MS - CLOCKS_MS), { unknown: 'counts' }),
  );
}

/** Finds the first such line from a time on. */
export function findSandboxLine(file: GatheredCase, since: number): KubeletSaid | undefined {
  return findSandboxLines(file).find((line) => isAtLeast(line.at, since, { unknown: 'does not' }));
}

/** Finds the first event from a time on that the sandbox of the pod changed. Its time is cut to whole seconds. */
export function findSandboxEvent(file: GatheredCase, since: number): KubeEvent | undefined {
  return file.podEvents.find(
    (event) =>
      event.reason === 'SandboxChanged' && isAtLeast(shift(event.at, CUT_MS), since, { unknown: 'does not' }),
  );
}

/**
 * When the kubelet first says that it stops the container, or hears that its pod has to go; undefined when it says
 * neither.
 */
export function kubeletActedAt(file: GatheredCase): number | undefined {
  return earliest([kubeletStoppedAt(file), kubeletHeardAt(file)]);
}

/** When the kubelet logs that it stops the container, or why: the line for any stop comes after a preStop hook. */
function kubeletStoppedAt(file: GatheredCase): number | undefined {
  return file.kubeletLines.find((line) => line.about === 'killing-container')?.at;
}

/** When the kubelet logs that the API wants the pod to go. */
export function kubeletHeardAt(file: GatheredCase): number | undefined {
  return findHeard(file)?.at;
}

/**
 * Finds the kubelet's line that the API wants the pod to go, or has it no more. It hears of a new pod before that; an earlier line
 * is of a former pod of that name, which goes as this one comes.
 */
export function findHeard(file: GatheredCase): KubeletSaid | undefined {
  const own = `${file.pod.namespace}/${file.pod.name}`;
  const lines = loopLinesOf(file.index.of('kubelet-said')).filter(
    ({ line }) =>
      line.node === file.node &&
      (line.pod === own || line.message.includes(`"${own}"`)) &&
      isAtLeast(line.at, shift(file.pod.createdAt, -CLOCKS_MS), { unknown: 'counts' }),
  );
  const addedAt = lines.find(({ what }) => what === 'ADD')?.line.at;
  return lines.find(({ line, what }) => what !== 'ADD' && isAtLeast(line.at, addedAt, { unknown: 'counts' }))
    ?.line;
}

/** The span in which the kubelet first acted on a stop: its line has a time, its event a whole second. */
export interface FirstAct {
  readonly from: number;
  readonly to: number;
  /** Whether the kubelet logged it. */
  readonly isLogged: boolean;
}

/**
 * Finds the kubelet's first act against the container, up to its end. It decides first, runs a preStop hook, and asks the
 * runtime afterwards: what is asked for in between explains nothing.
 */
export function findFirstAct(file: GatheredCase): FirstAct | undefined {
  const records = findStops(file).map(({ record }) => record);
  const line = earliest(records.map((record) => (record.kind === 'kubelet-said' ? record.at : undefined)));
  const second = earliest(
    records.map((record) => (record.kind === 'kube-event' ? secondOf(record, file) : undefined)),
  );
  const to = earliest([line, shift(second, CUT_MS)]);
  const from = earliest([line, second]);
  if (to === undefined || from === undefined) return undefined;
  // The event of the same second is of the same act.
  const isSame = line !== undefined && second !== undefined && line < second + CUT_MS;
  return { from: isSame ? line : from, to, isLogged: line !== undefined };
}
