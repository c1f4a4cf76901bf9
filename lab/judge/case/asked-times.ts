import type { KubeEvent, KubeletSaid, Observation, PodSeen } from '../../model/evidence/observation.ts';
import type { Question } from './question.ts';
import { coverageOf, type EvidenceIndex } from '../records/evidence-index.ts';
import { isEventOf, isSecondBefore } from '../records/event-container.ts';
import { isAtLeast, isAtMost, latest, shift, type Time } from '../records/times.ts';
import { API_MS, SEEN_LATE_MS } from '../records/tolerances.ts';
import { ofContainer } from '../records/of-container.ts';

/** When somebody asked for the end of the container, by who says it. Times are in milliseconds since the epoch. */
export interface AskedTimes {
  /** When the runtime logged that it stops the container. */
  readonly atRuntime: readonly Time[];
  /** When the kubelet said that it stops the container. */
  readonly atKubelet: readonly Time[];
  /** When the API was asked to delete the pod. */
  readonly atApi: readonly Time[];
  /** Until when the runtime was heard. Its log has the start of the container, so it would have logged a request. */
  readonly runtimeHeardUntil: Time;
}

/** A container that nobody asked to end. */
export const NEVER_ASKED: AskedTimes = {
  atRuntime: [],
  atKubelet: [],
  atApi: [],
  runtimeHeardUntil: undefined,
};

/** The container, what was said of it, and when it lived. */
export interface AskedContainer {
  readonly record: Question;
  readonly containerId: string;
  readonly versions: readonly PodSeen[];
  readonly podEvents: readonly KubeEvent[];
  readonly kubeletLines: readonly KubeletSaid[];
  /** When its life began. */
  readonly from: Time;
  /** When the runtime says that it started. */
  readonly startedAt: Time;
}

/** Finds when somebody asked for the end of a container since its life began. */
export function findAskedTimes(
  index: EvidenceIndex,
  { record, containerId, versions, podEvents, kubeletLines, from, startedAt }: AskedContainer,
): AskedTimes {
  const timesOf = (records: readonly Observation[]): Time[] =>
    records.map(({ at }) => at).filter((at) => isAtLeast(at, shift(from, -API_MS), { unknown: 'counts' }));
  const start = ofContainer(index.of('runtime-start'), containerId).find(
    (event) => event.ref.source === 'containerd',
  );
  return {
    atRuntime: timesOf(ofContainer(index.of('runtime-stop'), containerId)),
    atKubelet: timesOf([
      ...kubeletLines.filter((line) => line.about === 'killing-container'),
      ...podEvents.filter(
        (event) =>
          event.reason === 'Killing' &&
          isEventOf(record.victim.container, event) &&
          !isSecondBefore(event.at, startedAt),
      ),
    ]),
    atApi: versions.map(({ deletionAt }) => deletionAt),
    runtimeHeardUntil:
      start && latest(coverageOf(index, 'containerd', start.node).map((covered) => covered.to)),
  };
}

/** Whether, by a time, the runtime was asked to stop the container, or the kubelet meant to, or its pod had to go. */
export function isAskedBy(at: Time, asked: AskedTimes): boolean {
  const isInTime = (askedAt: Time): boolean =>
    isAtMost(askedAt, shift(at, SEEN_LATE_MS), { unknown: 'counts' });
  if (asked.atRuntime.some(isInTime)) return true;
  if (isAtLeast(asked.runtimeHeardUntil, shift(at, -API_MS), { unknown: 'does not' })) return false;
  return (
    asked.atKubelet.some(isInTime) ||
    asked.atApi.some((askedAt) => isAtMost(askedAt, at, { unknown: 'does not' }))
  );
}
