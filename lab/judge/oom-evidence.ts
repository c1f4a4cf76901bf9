import type { Level } from '../model/killers.ts';
import type {
  CgroupValues,
  KernelGroupKill,
  KernelKilled,
  KernelOomContext,
  Observation,
  OomVictim,
  ProcessSeen,
} from '../model/observation.ts';
import { isOfPod, levelOf } from './levels.ts';
import type { Place } from './place.ts';

/** All that says the OOM killer hit this container. */
export interface OomEvidence {
  /** Kernel lines about processes of this container. */
  readonly kills: readonly KernelKilled[];
  /** Of them, that of the container's first process, which ends it; else the first one. */
  readonly kill: KernelKilled | undefined;
  /** The kernel's summary of that kill; the kernel prints only ten in five seconds. */
  readonly context: KernelOomContext | undefined;
  /** The kernel's line that the whole cgroup is killed (`memory.oom.group`), when it was printed. */
  readonly group: KernelGroupKill | undefined;
  /** The trace's word for it: the kernel marked the process of that kill as its victim. */
  readonly mark: OomVictim | undefined;
  /** The container's own counter that rose, or, when that was never read, the pod's. */
  readonly counter: CounterRise | undefined;
  /** On cgroup v1 nothing tells when a counter changes: the container's went with its cgroup, unread since the kill. */
  readonly counterWent: boolean;
  /** Where the limit was hit, from the summary, else from the counters. */
  readonly level: Level | undefined;
}

/** A counter that went up. */
export interface CounterRise {
  readonly from: number;
  readonly to: number;
  readonly values: CgroupValues;
}

interface Target {
  readonly containerId: string;
  readonly place: Place;
  readonly podUid: string;
  readonly node: string | undefined;
  readonly processes: readonly ProcessSeen[];
  readonly init: ProcessSeen | undefined;
  /** When it ended, as far as that is known without the OOM evidence itself. */
  readonly endedAt: number | undefined;
}

/** A process is announced within this time after it started. */
const SEEN_LATE_MS = 2000;
/** Clocks of the sources agree this well, and API times are cut to whole seconds. */
const SLACK_MS = 2000;
/** Summary and kill of one OOM are printed together. */
const SAME_OOM_MS = 1000;
const COUNTER_FILES = ['memory.events.local', 'memory.events', 'memory.oom_control'];

/** Gathers the OOM evidence of one container; another pod's OOM in the same second is none of it. */
export function findOom(observations: readonly Observation[], target: Target): OomEvidence {
  if (target.containerId === '') {
    return {
      kills: [],
      kill: undefined,
      context: undefined,
      group: undefined,
      mark: undefined,
      counter: undefined,
      counterWent: false,
      level: undefined,
    };
  }
  const contexts = observations.filter((each) => each.kind === 'kernel-oom-context');
  const kills = observations.filter(
    (each): each is KernelKilled =>
      each.kind === 'kernel-killed' &&
      hits(each, contexts, target) &&
      !(target.place.sandboxed && isTooLate(each.at, target)),
  );
  const { init } = target;
  const kill = kills.find((each) => init && each.pid === init.pid && each.boot === init.boot) ?? kills[0];
  const context = kill && contextOf(kill, contexts);
  // The cgroup of a runc container is its own; that of its pod, or of a sandbox, counts on after its end.
  const isShared = (path: string): boolean => target.place.sandboxed || !target.place.holds(path);
  const values = observations.filter(
    (each): each is CgroupValues =>
      each.kind === 'cgroup-values' && !(isShared(each.path) && isTooLate(each.at, target)),
  );
  const counter =
    findRise(values, (path) => target.place.holds(path), 'oom_kill') ??
    findRiseOfPod(values, contexts, target, kill);
  return {
    kills,
    kill,
    context,
    group: kill && findGroup(observations, kill, target),
    mark: kill && findMark(observations, kill),
    counter,
    counterWent: kill !== undefined && wentUnread(values, kill, target),
    level: context ? levelOfContext(context) : levelOfCounters(values, target),
  };
}

/** Whether it is about a later container of the pod. */
function isTooLate(at: number | undefined, { endedAt }: Target): boolean {
  return endedAt !== undefined && at !== undefined && at > endedAt + SLACK_MS;
}

function hits(kill: KernelKilled, contexts: readonly KernelOomContext[], target: Target): boolean {
  if (target.node !== undefined && kill.node !== target.node) return false;
  const context = contextOf(kill, contexts);
  if (context?.taskMemcg !== undefined) return target.place.holds(context.taskMemcg);
  // Pids are used again: only a process that the witness had met by then is meant.
  return target.processes.some(
    (each) =>
      each.pid === kill.pid &&
      each.boot === kill.boot &&
      (each.at === undefined || kill.at === undefined || kill.at >= each.at - SEEN_LATE_MS),
  );
}

/**
 * The pod's counter outlives the container's, but counts all its containers: it says nothing of one when the kernel had
 * named another one by then, or the counter of another one had risen.
 */
function findRiseOfPod(
  values: readonly CgroupValues[],
  contexts: readonly KernelOomContext[],
  { place, podUid }: Target,
  kill: KernelKilled | undefined,
): CounterRise | undefined {
  const rise = findRise(values, (path) => isOfPod(path, podUid) && levelOf(path) === 'pod', 'oom_kill');
  const isSiblings = contexts.some(
    ({ taskMemcg, at }) =>
      taskMemcg !== undefined &&
      isOfPod(taskMemcg, podUid) &&
      !place.holds(taskMemcg) &&
      (kill === undefined || (at ?? 0) <= (rise?.values.at ?? Infinity) + SLACK_MS),
  );
  // The kernel may not have named the other one: its own counter says as much.
  const countedForSibling =
    kill === undefined &&
    findRise(
      values,
      (path) => isOfPod(path, podUid) && levelOf(path) === 'container' && !place.holds(path),
      'oom_kill',
    ) !== undefined;
  return isSiblings || countedForSibling ? undefined : rise;
}

/** No other counter of v1 counts what happens in a container's cgroup: those above it count only their own processes. */
function wentUnread(values: readonly CgroupValues[], kill: KernelKilled, { place }: Target): boolean {
  const read = values.filter(
    (each) => each.file === 'memory.oom_control' && place.holds(each.path) && each.boot === kill.boot,
  );
  return read.length > 0 && read.every((each) => (each.at ?? Infinity) < (kill.at ?? 0));
}

/** The line names the cgroup in which all die: the container's, or one above it. */
function findGroup(
  observations: readonly Observation[],
  kill: KernelKilled,
  target: Target,
): KernelGroupKill | undefined {
  return observations.find(
    (each): each is KernelGroupKill =>
      each.kind === 'kernel-group-kill' &&
      isOfSameOom(each, kill) &&
      (target.place.holds(each.cgroup) || isOfPod(each.cgroup, target.podUid)),
  );
}

function findMark(observations: readonly Observation[], kill: KernelKilled): OomVictim | undefined {
  return observations.find(
    (each): each is OomVictim =>
      each.kind === 'oom-victim' && each.pid === kill.pid && isOfSameOom(each, kill),
  );
}

/** What the kernel says of one OOM it says at once. */
function isOfSameOom(each: Observation, kill: KernelKilled): boolean {
  return (
    each.boot === kill.boot &&
    (each.at === undefined || kill.at === undefined || Math.abs(kill.at - each.at) <= SAME_OOM_MS)
  );
}

function contextOf(kill: KernelKilled, contexts: readonly KernelOomContext[]): KernelOomContext | undefined {
  return contexts.findLast((each) => each.pid === kill.pid && isOfSameOom(each, kill));
}

function levelOfContext(context: KernelOomContext): Level | undefined {
  return context.global ? 'node' : levelOf(context.oomMemcg ?? '/');
}

/** On cgroup v2 `oom` of memory.events.local counts where the limit was hit, `oom_kill` where a process died. */
function levelOfCounters(values: readonly CgroupValues[], target: Target): Level | undefined {
  const pod = (path: string): boolean => isOfPod(path, target.podUid) && levelOf(path) === 'pod';
  const own = (path: string): boolean => target.place.holds(path) && !pod(path);
  const qos = (path: string): boolean => levelOf(path) === 'qos';
  const local = values.filter((each) => each.file === 'memory.events.local');
  if (findRise(local, own, 'oom')) return 'container';
  if (findRise(local, pod, 'oom')) return 'pod';
  return findRise(local, qos, 'oom') ? 'qos' : undefined;
}

/** Finds the first value of a counter that is above its first one. Counters of a new cgroup start at zero. */
export function findRise(
  values: readonly CgroupValues[],
  wanted: (path: string) => boolean,
  key: string,
  files: readonly string[] = COUNTER_FILES,
): CounterRise | undefined {
  const first = new Map<string, number>();
  for (const file of files) {
    for (const each of values) {
      const count = Number(each.values[key] ?? Number.NaN);
      if (each.file !== file || !wanted(each.path) || !Number.isFinite(count)) continue;
      const name = `${each.boot} ${each.path} ${file}`;
      const from = first.get(name) ?? count;
      first.set(name, Math.min(from, count));
      if (count > from) return { from, to: count, values: each };
    }
  }
  return undefined;
}
