import { isOfContainer, isOfPods, isPartOf, levelOfLimit } from '../../model/evidence/cgroup-path.ts';
import type { KernelKilled, Observation, ProcessSeen } from '../../model/evidence/observation.ts';
import type { ContainerCgroups } from '../records/container-cgroups.ts';
import type { ContainerEnd } from '../records/container-end.ts';
import type { Process } from '../records/evidence-index.ts';
import type { KillingSignal } from './killing-signal.ts';
import { CLOCKS_MS, CUT_MS } from '../../model/evidence/source-clocks.ts';
import { API_MS, FOLLOWS_MS, SAME_OOM_MS, SEEN_LATE_MS } from '../records/tolerances.ts';
import { isAfter, isBefore, isNear, isWithin, shift } from '../records/times.ts';

/** The container that OOM evidence is gathered for. */
export interface Target {
  readonly containerId: string;
  readonly cgroups: ContainerCgroups;
  readonly uids: readonly string[];
  readonly node: string | undefined;
  readonly processes: readonly ProcessSeen[];
  readonly first: Process | undefined;
  readonly killingSignal: KillingSignal | undefined;
  readonly end: ContainerEnd | undefined;
  /** When it started, as the API says. */
  readonly startedAt: number | undefined;
  /** When it ended, without a look at the OOM evidence. */
  readonly endedAt: number | undefined;
  /** Whether somebody had asked for its stop before its end. */
  readonly isAsked: boolean;
  /** Whether SIGKILL ended it before that of the runtime was due: whoever had asked did not kill it. */
  readonly isKilledEarly: boolean;
  /** Whether what runtime and API call the end may date a kill that has no time. In the lab somebody stages such deaths. */
  readonly mayInfer: boolean;
}

/**
 * Whether a cgroup holds the first process of the container, so that a kill of the whole cgroup is one of the container. A
 * nested cgroup that the container made, and that of a sibling, do not.
 */
export function coversFirst(cgroup: string, { first, containerId, cgroups, uids }: Target): boolean {
  if (first !== undefined) return isPartOf(first.latest.cgroup, cgroup);
  if (cgroups.sandboxed) return isOfPods(cgroup, uids);
  const level = levelOfLimit(cgroup, uids);
  return (
    isOfPods(cgroup, uids) &&
    (level === 'pod' || (level === 'container' && isOfContainer(cgroup, containerId)))
  );
}

/** Whether a time is so short before the end that the end may follow from it; what nobody dated is not near. */
export function isNearEnd(at: number | undefined, { endedAt, first, end }: Target): boolean {
  if (endedAt === undefined || at === undefined) return false;
  const precise = first?.exit?.at;
  if (precise !== undefined) return at >= precise - FOLLOWS_MS && at <= precise + FOLLOWS_MS;
  const reportedAt = end?.at ?? endedAt;
  return at >= reportedAt - FOLLOWS_MS - CLOCKS_MS && at <= reportedAt + API_MS + CLOCKS_MS;
}

/** Whether a kill was close to the end, whenever it was within its bounds. */
export function isKillNearEnd({ at, between }: KernelKilled, target: Target): boolean {
  if (at !== undefined || between === undefined) return isNearEnd(at, target);
  return isNearEnd(between.from, target) && isNearEnd(between.to, target);
}

/**
 * Whether a kill was so close to the end of a container that it may have been of its first process, where nobody saw its
 * processes.
 */
export function mayBeOfUnseenFirst(
  { at }: KernelKilled,
  { first, end }: Pick<Target, 'first' | 'end'>,
): boolean {
  const [from, to] = [shift(end?.at, -FOLLOWS_MS), shift(end?.at, API_MS)];
  return first === undefined && isWithin(at, from, to, { unknown: 'does not' });
}

/** Whether a kill may have been close to the end. That is enough for a kill of the whole container, which ends once. */
export function mayBeNearEnd({ at, between }: KernelKilled, target: Target): boolean {
  const { endedAt } = target;
  if (at !== undefined || endedAt === undefined) return isNearEnd(at, target);
  if (between === undefined) return true;
  return between.to >= endedAt - API_MS - FOLLOWS_MS && between.from <= endedAt + API_MS;
}

/** Whether a time is before this container: in the life of an earlier one with the same name. */
export function isTooEarly(at: number | undefined, { startedAt, first }: Target): boolean {
  const from = first?.from ?? startedAt;
  return isBefore(at, shift(from, -SEEN_LATE_MS - CUT_MS), { unknown: 'does not' });
}

/** Whether a time is after this container: in the life of a later one. */
export function isTooLate(at: number | undefined, { endedAt }: Target): boolean {
  return isAfter(at, shift(endedAt, API_MS), { unknown: 'does not' });
}

/** Whether a record belongs to the same OOM: the kernel prints everything about one at once. */
export function isOfSameOom(observation: Observation, kill: KernelKilled): boolean {
  return (
    observation.boot === kill.boot && isNear(kill.at, observation.at, SAME_OOM_MS, { unknown: 'counts' })
  );
}
