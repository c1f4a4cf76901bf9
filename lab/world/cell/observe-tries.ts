import type { Host, Look } from '../../model/host/host.ts';
import type { LoadedScenario, Manifest } from '../../model/declared/scenario.ts';
import { listBareVictims } from '../../model/declared/victim-pod.ts';
import { countTries, type Tries } from '../../model/declared/tries.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { plural } from '../../model/text/plural.ts';
import type { PodWatch, VictimView } from './pod-watch.ts';
import { describeView, FINAL_PHASES, neverStarts } from './wait-for-victim.ts';

/** What the deaths of a cell with tries are made with. */
interface TriesStage {
  readonly host: Host;
  readonly watch: PodWatch;
  readonly loaded: Pick<LoadedScenario, 'scenario' | 'manifests'>;
  /** Creates objects of the scenario once more. */
  readonly create: (objects: readonly Manifest[]) => Promise<void>;
}

/**
 * Watches until so many deaths have come, or the time is up. With `pods`, a bare pod is made again, under another name, as
 * soon as all that were made are dead.
 *
 * @param longestMs how long that is, in milliseconds.
 * @returns why the watching ended, for the event log.
 */
export async function observeTries(
  { host, watch, loaded, create }: TriesStage,
  tries: Tries,
  longestMs: number,
): Promise<string> {
  const wanted = countTries(tries);
  const bare = tries.pods === undefined ? [] : listBareVictims(loaded);
  const startedAt = host.clock.elapsed();
  let made = bare.length;
  const look = async (): Promise<Look<string>> => {
    const views = watch.views();
    const deaths = views.reduce((sum, view) => sum + countDeaths(view), 0);
    const counted = `${deaths} of ${plural(wanted, 'death')}`;
    if (deaths >= wanted) return { done: true, value: counted };
    const last = views.at(-1);
    if (last !== undefined && neverStarts(last))
      return { done: true, value: `${counted}; the victim cannot start: ${last.waiting ?? ''}` };
    const seen = `${counted}; ${last === undefined ? 'no pod matches the victim' : describeView(last)}`;
    if (host.clock.elapsed() - startedAt >= longestMs) return { done: true, value: `time is up; ${seen}` };
    const [again] = bare;
    // A pod that was made a moment ago may not be seen yet.
    if (again !== undefined && views.length >= made && views.every((view) => countDeaths(view) > 0)) {
      made += 1;
      await create([renamePod(again, made)]);
    }
    return { done: false, seen };
  };
  const timeoutMs = longestMs + TIME_LIMITS.cell.lastLook.ms;
  return host.waitFor({ title: plural(wanted, 'death'), look }, { timeoutMs, intervalMs: 150 });
}

/** A pod that is over, or gone, has died even if the API never said so of its container. */
function countDeaths({ deaths, phase, deleted, running }: VictimView): number {
  const isGone = deleted || (FINAL_PHASES.includes(phase) && !running);
  return isGone ? Math.max(1, deaths) : deaths;
}

function renamePod(pod: Manifest, number: number): Manifest {
  const metadata = pod['metadata'] as { readonly name?: string };
  return { ...pod, metadata: { ...metadata, name: `${metadata.name ?? 'pod'}-${number}` } };
}
