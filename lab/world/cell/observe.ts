import type { Host, Look, Probe } from '../../model/host/host.ts';
import type { Outcome, Scenario } from '../../model/declared/scenario.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { SCENARIO_TIMES } from '../../model/limits/scenario-times.ts';
import type { PodWatch, VictimView } from './pod-watch.ts';

const SURVIVES_SECONDS = SCENARIO_TIMES['expect.survivesSeconds'].defaultSeconds;
/** Phases of a pod that no other follows. */
const FINAL_PHASES = ['Failed', 'Succeeded'];
/** Reasons for which a container never starts in this lab. */
const NEVER_STARTS = ['ErrImageNeverPull', 'InvalidImageName', 'CreateContainerConfigError'];

/**
 * Waits until the victim's container runs and is as old as the stimulus wants.
 *
 * @throws ProbeTimeoutError when it does not start.
 */
export async function waitUntilRunning(
  host: Host,
  watch: PodWatch,
  ageSeconds: number,
  timeoutMs: number,
): Promise<VictimView> {
  const runs: Probe<VictimView> = {
    title: 'the victim to run',
    look: async () => {
      const view = watch.views()[0];
      if (view === undefined) return { done: false, seen: 'no pod matches the victim' };
      const oldEnough =
        view.startedAtMs !== undefined && host.clock.now() - view.startedAtMs >= ageSeconds * 1000;
      if (view.running && oldEnough) return { done: true, value: view };
      return { done: false, seen: describeView(view), impossible: neverStarts(view) };
    },
  };
  return host.waitFor(runs, { timeoutMs, intervalMs: 100 });
}

/**
 * Watches until the expected outcome or its opposite was seen, or the time is up. That is not an error here: the judge
 * says what was and what was not seen.
 *
 * @returns why the watching ended, for the event log.
 */
export async function observeOutcome(
  host: Host,
  watch: PodWatch,
  expected: Outcome,
  scenario: Scenario,
): Promise<string> {
  const startedAt = host.clock.elapsed();
  let diedAt: number | undefined;
  const look = async (): Promise<Look<string>> => {
    const now = host.clock.elapsed();
    const views = watch.views();
    const first = views[0];
    if (first === undefined) return pendingUntil(now - startedAt, scenario, 'no pod matches the victim');
    if (neverStarts(first)) return { done: true, value: `the victim cannot start: ${first.waiting ?? ''}` };
    const dead = first.ended || FINAL_PHASES.includes(first.phase) || first.deleted;
    if (dead) diedAt ??= now;
    // The API does not show the death of a child: the container is watched as long as one that must live.
    if ((expected.killer === 'none' || expected.then === 'keeps-running') && !dead) {
      const alive =
        first.startedAtMs === undefined || !first.running ? 0 : host.clock.now() - first.startedAtMs;
      const wanted = (expected.survivesSeconds ?? SURVIVES_SECONDS) * 1000;
      if (alive >= wanted) return { done: true, value: `alive after ${Math.round(alive / 1000)} s` };
    }
    if (diedAt !== undefined) {
      const sequel = lookAtSequel(expected, views, now - diedAt);
      if (sequel !== undefined) return { done: true, value: sequel };
    }
    return pendingUntil(now - startedAt, scenario, describeView(first));
  };
  const limits = {
    timeoutMs: scenario.timeoutSeconds * 1000 + TIME_LIMITS.cell.lastLook.ms,
    intervalMs: 150,
  };
  return host.waitFor({ title: 'the outcome', look }, limits);
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
      return (first?.restartCount ?? 0) > 0 ? 'it died and was restarted' : undefined;
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

/**
 * The kubelet said so: it starts no container of a pod that failed or succeeded. An evicted pod has failed before its
 * containers have ended.
 */
function isOver({ phase, ended, running }: VictimView): boolean {
  return FINAL_PHASES.includes(phase) && ended && !running;
}

function pendingUntil(elapsedMs: number, scenario: Scenario, seen: string): Look<string> {
  if (elapsedMs >= scenario.timeoutSeconds * 1000) return { done: true, value: `time is up; ${seen}` };
  return { done: false, seen };
}

function neverStarts(view: VictimView): boolean {
  return NEVER_STARTS.includes(view.waiting ?? '');
}

function describeView(view: VictimView): string {
  const state = view.running ? 'running' : (view.waiting ?? view.phase);
  return `${view.pod}: ${state}, ${view.restartCount} restarts`;
}
