import { InternalError } from '../../model/errors/errors.ts';
import type { Admission } from '../host/admission.ts';

/** What the schedule calls. A group is the cells of one world. */
export interface ScheduleHooks<G> {
  /** Decides while no other lab does. */
  exclusively<T>(work: () => T): Promise<T>;
  /** Whether a group may start while the busy ones run. */
  decide(group: G, busy: readonly G[], waiting: readonly G[]): Admission;
  /** Takes the room of a group that is admitted; the returned function gives it back. */
  claim(group: G): () => void;
  /** Makes room before a group starts. */
  park(names: readonly string[]): Promise<void>;
  /** Runs a group to its end. `hasOthers` says whether other groups are running or still to run. */
  run(group: G, hasOthers: () => boolean): Promise<void>;
  /** Called for a group that can never start. */
  refuse(group: G, why: string): void;
  /** Whether nothing more may be started. */
  isStopped(): boolean;
}

/**
 * Runs groups, in their order where there is a choice, as many at once as are admitted; a group that fits starts
 * before an earlier one that does not. Returns when all have ended. After the first failure no group is started; it is
 * thrown at the end.
 */
export async function scheduleGroups<G>(groups: readonly G[], hooks: ScheduleHooks<G>): Promise<void> {
  const waiting = [...groups];
  const busy = new Map<G, Promise<void>>();
  const failures: unknown[] = [];
  const start = (group: G, release: () => void): void => {
    const hasOthers = (): boolean => waiting.length > 0 || busy.size > 1;
    const running = hooks
      .run(group, hasOthers)
      .catch((error: unknown) => void failures.push(error))
      .then(() => {
        release();
        busy.delete(group);
      });
    busy.set(group, running);
  };
  while (waiting.length > 0 && failures.length === 0 && !hooks.isStopped()) {
    let next: Next<G> | undefined;
    // A world may end while the others are let in to decide: what counts is what was busy when we did.
    let wasIdle = false;
    try {
      next = await hooks.exclusively(() => {
        wasIdle = busy.size === 0;
        return findNext(waiting, [...busy.keys()], hooks);
      });
    } catch (error) {
      failures.push(error);
      break;
    }
    if (next === undefined) {
      if (wasIdle) throw new InternalError('worlds wait for each other');
      if (busy.size > 0) await Promise.race(busy.values());
      continue;
    }
    waiting.splice(waiting.indexOf(next.group), 1);
    if (next.admission.verdict === 'refuse') {
      hooks.refuse(next.group, next.admission.why);
      continue;
    }
    try {
      await hooks.park(next.admission.park);
      start(next.group, next.release);
    } catch (error) {
      next.release();
      failures.push(error);
    }
  }
  await Promise.all(busy.values());
  if (failures.length > 0) throw failures[0];
}

interface Next<G> {
  readonly group: G;
  readonly admission: Exclude<Admission, { verdict: 'wait' }>;
  /** Gives its room back. */
  readonly release: () => void;
}

/** The first group that need not wait; when it is admitted, its room is taken. */
function findNext<G>(
  waiting: readonly G[],
  busy: readonly G[],
  hooks: Pick<ScheduleHooks<G>, 'decide' | 'claim'>,
): Next<G> | undefined {
  for (const group of waiting) {
    const admission = hooks.decide(group, busy, waiting);
    if (admission.verdict === 'refuse') return { group, admission, release: () => undefined };
    if (admission.verdict === 'admit') return { group, admission, release: hooks.claim(group) };
  }
  return undefined;
}
