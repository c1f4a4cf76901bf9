import type { Host, Probe } from '../../model/host/host.ts';
import type { Stimulus, VictimState } from '../../model/declared/stimulus.ts';
import type { PodWatch, VictimView } from './pod-watch.ts';

/** Phases of a pod that no other follows. */
export const FINAL_PHASES: readonly string[] = ['Failed', 'Succeeded'];
/** Reasons for which a container never starts in this lab. */
const NEVER_STARTS = ['ErrImageNeverPull', 'InvalidImageName', 'CreateContainerConfigError'];
/** Reasons of a container that is only on its way to its first start. */
const STARTING = ['ContainerCreating', 'PodInitializing'];

/** What a victim has to do, for a reader. */
const TITLES: Readonly<Record<VictimState, string>> = {
  runs: 'the victim to run',
  waits: 'the victim to wait for a start',
  'is-gone': 'the victim to be gone',
};

/**
 * Waits until the victim does what the stimulus wants, and has for as long: runs, waits for its next start, or is gone.
 *
 * @throws ProbeTimeoutError when it does not.
 */
export async function waitForVictim(
  host: Host,
  watch: PodWatch,
  { while: state = 'runs', afterSeconds = 0 }: Pick<Stimulus, 'while' | 'afterSeconds'>,
  timeoutMs: number,
): Promise<VictimView> {
  let seenMs: number | undefined;
  const probe: Probe<VictimView> = {
    title: TITLES[state],
    look: async () => {
      const view = watch.views()[0];
      if (view === undefined) return { done: false, seen: 'no pod matches the victim' };
      seenMs = isIn(view, state) ? (seenMs ?? host.clock.now()) : undefined;
      // The API says since when a container runs.
      const sinceMs = state === 'runs' ? view.startedAtMs : seenMs;
      const isLongEnough = sinceMs !== undefined && host.clock.now() - sinceMs >= afterSeconds * 1000;
      if (seenMs !== undefined && isLongEnough) return { done: true, value: view };
      return { done: false, seen: describeView(view), impossible: isHopeless(view, state) };
    },
  };
  return host.waitFor(probe, { timeoutMs: timeoutMs + afterSeconds * 1000, intervalMs: 100 });
}

/** Whether a victim comes to a state no more: one that is over neither runs again nor waits. */
function isHopeless(view: VictimView, state: VictimState): boolean {
  if (state === 'is-gone') return false;
  return isOver(view) || (state === 'runs' && neverStarts(view));
}

function isIn(view: VictimView, state: VictimState): boolean {
  if (state === 'runs') return view.running;
  if (state === 'is-gone') return view.deleted || isOver(view);
  return !view.running && view.waiting !== undefined && !STARTING.includes(view.waiting);
}

/**
 * The kubelet said so: it starts no container of a pod that failed or succeeded. An evicted pod has failed before its
 * containers have ended.
 */
export function isOver({ phase, ended, running }: VictimView): boolean {
  return FINAL_PHASES.includes(phase) && ended && !running;
}

/** Whether the container of a victim can never start. */
export function neverStarts(view: VictimView): boolean {
  return NEVER_STARTS.includes(view.waiting ?? '');
}

/** What the API says of the victim now, for a reader. */
export function describeView(view: VictimView): string {
  const state = view.running ? 'running' : (view.waiting ?? view.phase);
  return `${view.pod}: ${state}, ${view.restartCount} restarts`;
}
