import type { Host, Look } from '../../model/host/host.ts';
import { numberOfDeath } from '../../model/declared/outcome.ts';
import type { Outcome, Scenario } from '../../model/declared/scenario.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { SCENARIO_TIMES } from '../../model/limits/scenario-times.ts';
import type { PodWatch, VictimView } from './pod-watch.ts';
import { describeView, FINAL_PHASES, isOver, neverStarts } from './wait-for-victim.ts';

const SURVIVES_SECONDS = SCENARIO_TIMES['expect.survivesSeconds'].defaultSeconds;

/**
 * Watches until the expected outcome or its opposite was seen, or the time is up. That is not an error here: the judge
 * says what was and what was not seen.
 *
 * @param longestMs how long that is, in milliseconds.
 * @returns why the watching ended, for the event log.
 */
export async function observeOutcome(
  host: Host,
  watch: PodWatch,
  expected: Outcome,
  { stimulus }: Pick<Scenario, 'stimulus'>,
  longestMs: number,
): Promise<string> {
  const startedAt = host.clock.elapsed();
  let diedAt: number | undefined;
  const look = async (): Promise<Look<string>> => {
    const now = host.clock.elapsed();
    const views = watch.views();
    const first = views[0];
    if (first === undefined) return pendingUntil(now - startedAt, longestMs, 'no pod matches the victim');
    const unstarted = lookAtUnstarted(host, first, expected, stimulus);
    if (unstarted !== undefined) return unstarted;
    const dead = isDead(views, expected);
    if (dead) diedAt ??= now;
    // The API does not show the death of a child: the container is watched as long as one that must live.
    if ((expected.killer === 'none' || expected.then === 'keeps-running') && !dead) {
      const startedMs = first.running ? first.startedAtMs : undefined;
      const sinceMs = startedMs === undefined ? undefined : host.clock.now() - startedMs;
      // A victim that is asked to stop is watched from then on.
      const isAsked = expected.survives !== undefined && stimulus.length > 0;
      const alive = Math.min(sinceMs ?? 0, isAsked ? now - startedAt : Infinity);
      const wanted = (expected.survivesSeconds ?? SURVIVES_SECONDS) * 1000;
      if (alive >= wanted) return { done: true, value: `alive after ${Math.round(alive / 1000)} s` };
    }
    if (diedAt !== undefined) {
      const sequel = lookAtSequel(expected, views, now - diedAt);
      if (sequel !== undefined) return { done: true, value: sequel };
    }
    return pendingUntil(now - startedAt, longestMs, describeView(first));
  };
  const limits = {
    timeoutMs: longestMs + TIME_LIMITS.cell.lastLook.ms,
    intervalMs: 150,
  };
  return host.waitFor({ title: 'the outcome', look }, limits);
}

/**
 * A victim that has to stay unstarted is watched for its time. Any other one is given up when it cannot start, unless
 * something was done to it while it waited: that may be what it waited for.
 */
function lookAtUnstarted(
  host: Host,
  first: VictimView,
  expected: Outcome,
  stimuli: Scenario['stimulus'],
): Look<string> | undefined {
  const waiting = first.waiting ?? '';
  if (expected.neverStarts === undefined) {
    const isHopeless = neverStarts(first) && !stimuli.some((stimulus) => stimulus.while === 'waits');
    return isHopeless ? { done: true, value: `the victim cannot start: ${waiting}` } : undefined;
  }
  if (first.running || first.ended) return { done: true, value: 'it started' };
  const unstartedMs = host.clock.now() - first.createdAtMs;
  const wantedMs = (expected.survivesSeconds ?? SURVIVES_SECONDS) * 1000;
  if (unstartedMs < wantedMs) return undefined;
  return {
    done: true,
    value: `not started after ${Math.round(unstartedMs / 1000)} s: ${waiting || first.phase}`,
  };
}

/** Whether the death that is judged has come. */
function isDead(views: readonly VictimView[], expected: Outcome): boolean {
  const isGone = (view: VictimView): boolean => FINAL_PHASES.includes(view.phase) || view.deleted;
  const [first] = views;
  if (expected.attempt === undefined) return first !== undefined && (first.ended || isGone(first));
  const dead = views.filter((view) => view.deaths > 0 || isGone(view));
  if (expected.attempt === 'any') return dead.some((view) => isAccepted(view, expected));
  return dead.reduce((sum, view) => sum + Math.max(1, view.deaths), 0) >= expected.attempt;
}

/** As far as the API tells: who killed is found out later. */
function isAccepted({ newestEnd }: VictimView, { reason, exitCode }: Outcome): boolean {
  const isOfReason = reason === undefined || reason.some((name) => name === newestEnd?.reason);
  const code = newestEnd?.exitCode;
  return isOfReason && (exitCode === undefined || (code !== undefined && exitCode.includes(code)));
}

/** What had to follow the death has followed (or it is certain that it did not have to). */
function lookAtSequel(
  expected: Outcome,
  views: readonly VictimView[],
  deadForMs: number,
): string | undefined {
  const first = views[0];
  switch (expected.then) {
    case 'restarts':
      return (first?.restartCount ?? 0) >= numberOfDeath(expected) ? 'it died and was restarted' : undefined;
    case 'next-job-starts':
      return views.some((view, index) => index > 0 && view.startedAtMs !== undefined)
        ? 'it died and the next one started'
        : undefined;
    case 'keeps-running':
    case 'stays-dead':
    case undefined:
      // What is measured may come after the death.
      if (first !== undefined && expected.measures === undefined && isOver(first))
        return 'it died and its pod is over';
      return deadForMs >= TIME_LIMITS.cell.staysDead.ms ? 'it died and stayed dead' : undefined;
  }
}

function pendingUntil(elapsedMs: number, longestMs: number, seen: string): Look<string> {
  if (elapsedMs >= longestMs) return { done: true, value: `time is up; ${seen}` };
  return { done: false, seen };
}
