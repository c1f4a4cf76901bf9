import { containerIdIn, isOfPod, levelOf } from '../../model/evidence/cgroup-path.ts';
import { placeOf } from '../../model/saved/place-of.ts';
import type { EvidenceRef, Mismatch } from '../../model/saved/formats.ts';
import { groupBy } from '../../model/text/group-by.ts';
import { isOomKiller } from '../../model/killers/killers.ts';
import { compilePathGlob } from '../../model/text/match-glob.ts';
import type { ContainerView, PodSeen, ProcessSeen } from '../../model/evidence/observation.ts';
import { isProcessGlob } from '../../model/declared/outcome.ts';
import type { Outcome } from '../../model/declared/scenario.ts';
import { endOfKernelLog } from '../case/kill-counts.ts';
import type { CellCase } from '../case/case-file.ts';
import { cgroupOfKill } from '../case/killed-cgroup.ts';
import { findRise } from '../case/oom-counters.ts';
import { matchesSelector } from '../../model/declared/selector.ts';
import { CUT_MS } from '../../model/evidence/source-clocks.ts';
import { describeDisturbance } from './pressure.ts';
import { describeNoEnd, findProcessEnds, findProcessKills } from './process-kills.ts';
import { isAtLeast, isAtMost, isBefore, shift } from '../records/times.ts';
import { largest, smallest } from '../../model/text/extremes.ts';
import { oomReadings } from '../records/readings.ts';

const NOBODY_ELSE = 'nobodyElseDies';

/** The end of somebody other than the victim, or a fault of a node's kernel. */
interface OtherDeath {
  /** `namespace/pod/container`; outside of pods `<node>/process/<name>`; of a fault `<node>/kernel/oops`. */
  readonly who: string;
  readonly what: string;
  readonly ref: EvidenceRef;
}

/**
 * Finds everybody else who died in the cell. It reads the counters and states that each layer keeps, so a lost record
 * hides nobody. Each death is named once, by the first source that tells.
 */
function findOtherDeaths(file: CellCase): OtherDeath[] {
  const found = new Map<string, OtherDeath>();
  const add = (deaths: readonly OtherDeath[]): void => {
    for (const death of deaths) if (!found.has(death.who)) found.set(death.who, death);
  };
  const registry = listContainers(file);
  add(podDeaths(file));
  add(oomKills(file, registry));
  add(counted(file, registry));
  add(tracedEnds(file, registry));
  add(uncountedKills(file));
  add(faults(file));
  return [...found.values()];
}

/** Compares the fates of the others with what the scenario declares. */
export function findOtherMismatches(file: CellCase): Mismatch[] {
  const { alsoDies = [], alsoSurvives = [] } = file.record.expected;
  const deaths = findOtherDeaths(file);
  const mismatches: Mismatch[] = findUndeclared(file, deaths).map((death) => ({
    field: NOBODY_ELSE,
    expected: 'nobody else dies',
    observed: describeDeath(death),
  }));
  for (const glob of alsoDies) {
    if (findDeclared(file, glob, deaths) !== undefined) continue;
    const observed = isProcessGlob(glob) ? describeNoEnd(file, glob) : 'it did not';
    mismatches.push({ field: 'alsoDies', expected: `${glob} dies as well`, observed });
  }
  for (const glob of alsoSurvives) {
    const observed = fateOf(file, compilePathGlob(glob), deaths);
    if (observed === undefined) continue;
    mismatches.push({ field: 'alsoSurvives', expected: `${glob} is still running`, observed });
  }
  return mismatches;
}

function findUndeclared(file: CellCase, deaths: readonly OtherDeath[]): OtherDeath[] {
  const { alsoDies = [], mayDie = [] } = file.record.expected;
  const declared = [...alsoDies, ...mayDie].map(compilePathGlob);
  return deaths.filter((death) => !declared.some((isMeant) => isMeant(death.who)));
}

/** A probe after which the kubelet ends a container, as it is called since 1.21. */
const ENDING_PROBE = /\bprobeType="(?:Liveness|Startup)"/;

/**
 * Why the deaths of others, and nothing else, are not as expected and still say nothing of the scenario: the kubelet had
 * found each of them unwell before the workload was there. So it ends the API server of a node that is too slow.
 */
export function findUnwellBefore(file: CellCase, mismatches: readonly Mismatch[]): string | undefined {
  if (mismatches.length === 0 || mismatches.some(({ field }) => field !== NOBODY_ELSE)) return undefined;
  const workloadAt = firstPodAt(file);
  const said = file.index
    .of('kubelet-said')
    .filter(({ about, message }) => about === 'probe-failed' && ENDING_PROBE.test(message))
    .filter(({ at }) => isBefore(at, workloadAt, { unknown: 'does not' }));
  const deaths = findUndeclared(file, findOtherDeaths(file));
  const reasons = deaths.flatMap(({ who }) => {
    const failed = said.find(({ pod }) => pod !== undefined && who.startsWith(`${pod}/`));
    if (failed === undefined) return [];
    return [`${who} failed its probe before the workload was there (${placeOf(failed.ref)})`];
  });
  return reasons.length < deaths.length ? undefined : describeDisturbance(reasons);
}

/** When the first pod of the cell was made. */
function firstPodAt({ record, index }: CellCase): number {
  const startedAt = Date.parse(record.startedAt);
  const made = index.of('pod-seen').flatMap(({ createdAt }) => createdAt ?? []);
  return smallest(
    made.filter((at) => at >= startedAt),
    Date.parse(record.deployedAt),
  );
}

/** The death that a scenario asks for. */
function findDeclared(file: CellCase, glob: string, deaths: readonly OtherDeath[]): OtherDeath | undefined {
  const all = isProcessGlob(glob) ? [...deaths, ...findProcessKills(file), ...findProcessEnds(file)] : deaths;
  return all.find((death) => compilePathGlob(glob)(death.who));
}

/** Who killed the processes in no pod that had to die, one sentence each; undefined where none had to. */
export function tellProcessKills(file: CellCase): string | undefined {
  const globs = (file.record.expected.alsoDies ?? []).filter(isProcessGlob);
  const deaths = globs.length === 0 ? [] : findOtherDeaths(file);
  const told = globs.flatMap((glob) => findDeclared(file, glob, deaths) ?? []);
  return told.length === 0 ? undefined : told.map(describeDeath).join('; ');
}

function describeDeath({ who, what, ref }: OtherDeath): string {
  return `${who}: ${what} (${ref.file}${ref.line === undefined ? '' : `:${ref.line}`})`;
}

/** Why containers that had to live did not; undefined when at least one was seen and all of them live. */
function fateOf(
  file: CellCase,
  isMeant: (who: string) => boolean,
  deaths: readonly OtherDeath[],
): string | undefined {
  const died = deaths.find((death) => isMeant(death.who));
  if (died !== undefined) return `${died.who}: ${died.what}`;
  const last = newestPods(file).flatMap((pod) =>
    pod.containers.filter((view) => isMeant(nameOf(pod, view.name))).map((view) => ({ pod, view })),
  );
  const stopped = last.find(({ pod, view }) => view.state !== 'running' || pod.type === 'DELETED');
  if (stopped !== undefined) return `${nameOf(stopped.pod, stopped.view.name)} is ${stopped.view.state}`;
  return last.length === 0 ? 'no such container was seen' : undefined;
}

interface Known {
  readonly pod: PodSeen;
  readonly name: string;
  readonly view: ContainerView | undefined;
}

interface Registry {
  readonly byId: ReadonlyMap<string, Known>;
  readonly pods: readonly PodSeen[];
}

function listContainers(file: CellCase): Registry {
  const byId = new Map<string, Known>();
  for (const pod of file.index.of('pod-seen')) {
    for (const view of pod.containers) {
      if (view.id !== '') byId.set(view.id, { pod, name: view.name, view });
      if (view.last !== undefined && view.last.id !== '')
        byId.set(view.last.id, { pod, name: view.name, view: undefined });
    }
  }
  return { byId, pods: newestPods(file) };
}

function newestPods(file: CellCase): PodSeen[] {
  return [...new Map(file.index.of('pod-seen').map((pod) => [pod.uid, pod])).values()];
}

function nameOf(pod: PodSeen, container: string): string {
  return `${pod.namespace}/${pod.name}/${container}`;
}

/**
 * Whether the scenario's selector matches the pod. All such pods may die: a later Job of a CronJob dies as the first
 * did.
 */
function isVictim(file: CellCase, pod: PodSeen, container: string | undefined): boolean {
  const { victim } = file.record;
  const isPod = pod.namespace === victim.namespace && matchesSelector(victim.selector, pod.labels);
  return isPod && (container === undefined || container === victim.container);
}

/** Restarts, failed ends, evictions and deletions, as the API has them. */
function podDeaths(file: CellCase): OtherDeath[] {
  const startedAt = Date.parse(file.record.startedAt) - CUT_MS;
  const deaths: OtherDeath[] = [];
  for (const versions of groupBy(file.index.of('pod-seen'), ({ uid }) => uid).values()) {
    const [first] = versions;
    const last = versions.at(-1);
    if (first === undefined || last === undefined) continue;
    // Somebody had deleted it before the cell began: a probe of the lab, for example.
    if (versions.some((pod) => pod.deletionAt !== undefined && pod.deletionAt < startedAt)) continue;
    const isNew = isAtLeast(first.createdAt, startedAt, { unknown: 'does not' });
    for (const { name } of last.containers) {
      if (isVictim(file, last, name)) continue;
      const what = endOf(versions, name, isNew, startedAt);
      if (what !== undefined) deaths.push({ who: nameOf(last, name), what, ref: last.ref });
    }
    if (last.reason === 'Evicted' && !isVictim(file, last, undefined))
      deaths.push({ who: nameOf(last, '-'), what: 'the pod was evicted', ref: last.ref });
  }
  return deaths;
}

function endOf(
  versions: readonly PodSeen[],
  name: string,
  isNew: boolean,
  startedAt: number,
): string | undefined {
  const views = versions.flatMap((pod) => pod.containers.filter((view) => view.name === name));
  const [seen] = views;
  // The mirror of a static pod may be made again, with all that its containers have been through.
  const isOlder = isBefore(seen?.startedAt ?? seen?.last?.finishedAt, startedAt, { unknown: 'does not' });
  const before = isNew && !isOlder ? 0 : (seen?.restartCount ?? 0);
  const restarts = largest(views.map((view) => view.restartCount)) - before;
  if (restarts > 0) return `restarted ${restarts === 1 ? 'once' : `${restarts} times`}`;
  const failed = views.find(
    (view) =>
      view.state === 'terminated' &&
      view.exitCode !== 0 &&
      isAtLeast(view.finishedAt, startedAt, { unknown: 'does not' }),
  );
  if (failed !== undefined) return `ended: ${failed.reason ?? 'no reason'}, exit ${failed.exitCode ?? '?'}`;
  const deleted = versions.some(
    (pod) =>
      pod.deletionAt !== undefined &&
      pod.containers.some((view) => view.name === name && view.state === 'running'),
  );
  return deleted ? 'was deleted while it ran' : undefined;
}

function oomKills(file: CellCase, registry: Registry): OtherDeath[] {
  const startedAt = Date.parse(file.record.startedAt);
  const kills = file.index
    .of('kernel-killed')
    .filter((kill) => isAtLeast(kill.at, startedAt, { unknown: 'does not' }));
  return kills.flatMap((kill) => {
    const cgroup = cgroupOfKill(file, kill);
    const who = whoIs(file, registry, cgroup);
    if (who === undefined) return [];
    const what = `its process ${kill.pid} (${kill.comm}) was OOM-killed`;
    return [{ who: who === '' ? `${kill.node ?? ''}/process/${kill.comm}` : who, what, ref: kill.ref }];
  });
}

/** The container of a cgroup; empty for a cgroup of no pod; undefined when the death is the victim's declared one. */
function whoIs(file: CellCase, registry: Registry, cgroup: string): string | undefined {
  const declared = acceptsOomKill(file.record.expected);
  const known = registry.byId.get(containerIdIn(cgroup));
  if (known !== undefined) {
    return declared && isVictim(file, known.pod, known.name) ? undefined : nameOf(known.pod, known.name);
  }
  const pod = registry.pods.find((version) => isOfPod(cgroup, version.uid));
  if (pod === undefined) return '';
  // The API does not know the id of a container that never ran.
  return declared && isVictim(file, pod, undefined) ? undefined : nameOf(pod, '-');
}

/** Whether an OOM kill is among the ends that the scenario accepts for its victim. */
function acceptsOomKill({ killer, or = [] }: Outcome): boolean {
  return isOomKiller(killer) || or.some((end) => isOomKiller(end.killer));
}

/** Other containers whose counter rose, whether or not the kernel's log names a victim. */
function counted(file: CellCase, registry: Registry): OtherDeath[] {
  const startedAt = Date.parse(file.record.startedAt);
  const values = oomReadings(file.index).filter(
    (reading) =>
      reading.values.oom_kill !== undefined &&
      isAtLeast(reading.at, startedAt, { unknown: 'does not' }) &&
      levelOf(reading.path) === 'container',
  );
  return [...groupBy(values, ({ path }) => path)].flatMap(([path, ofPath]) => {
    const rise = findRise(ofPath, () => true, 'oom_kill');
    const who = whoIs(file, registry, path);
    if (rise === undefined || who === undefined || who === '') return [];
    return [{ who, what: `oom_kill went from ${rise.from} to ${rise.to}`, ref: rise.values.ref }];
  });
}

/** Other containers whose first process ended in the trace, while the API says that they run. */
function tracedEnds(file: CellCase, registry: Registry): OtherDeath[] {
  const knownOf = ({ cgroup }: ProcessSeen): Known | undefined => registry.byId.get(containerIdIn(cgroup));
  return file.index.processes.flatMap(({ first, latest, exit }) => {
    const known = first.nsPid === 1 ? (knownOf(latest) ?? knownOf(first)) : undefined;
    if (exit === undefined || known === undefined || isVictim(file, known.pod, known.name)) return [];
    // `podDeaths` looked at the others.
    if (known.view?.state !== 'running') return [];
    return [{ who: nameOf(known.pod, known.name), what: exit.ref.text, ref: exit.ref }];
  });
}

/**
 * The node's own counter rose by more than the kernel log has lines: somebody unnamed was killed. What was counted
 * after the last line says nothing, because later lines were not read.
 */
function uncountedKills(file: CellCase): OtherDeath[] {
  const { index } = file;
  const beats = groupBy(
    index.of('node-beat').filter((beat) => beat.oomKills !== undefined),
    ({ boot }) => boot,
  );
  return [...beats].flatMap(([boot, ofBoot]) => {
    const all = ofBoot.filter((beat) =>
      isAtMost(beat.at, endOfKernelLog(index, boot), { unknown: 'counts' }),
    );
    const [first] = all;
    const last = all.at(-1);
    if (first?.oomKills === undefined || last?.oomKills === undefined) return [];
    const rose = last.oomKills - first.oomKills;
    const lines = index
      .of('kernel-killed')
      .filter(
        (kill) =>
          kill.boot === boot &&
          isAtMost(shift(first.at, -CUT_MS), kill.at, { unknown: 'counts', unknownLimit: 'does not' }) &&
          isAtMost(kill.at, shift(last.at, CUT_MS), { unknown: 'counts', unknownLimit: 'does not' }),
      ).length;
    if (rose <= lines) return [];
    const what = `the node counts ${rose} OOM kills, the kernel log has ${lines}`;
    return [{ who: `${last.node ?? ''}/process/unnamed`, what, ref: last.ref }];
  });
}

function faults(file: CellCase): OtherDeath[] {
  const startedAt = Date.parse(file.record.startedAt);
  return file.index
    .of('kernel-said')
    .filter((line) => line.about === 'oops' && isAtLeast(line.at, startedAt, { unknown: 'does not' }))
    .map((line) => ({ who: `${line.node ?? ''}/kernel/oops`, what: line.ref.text, ref: line.ref }));
}
