import type { CgroupValues, KernelKilled, NodeBeat } from '../../model/evidence/observation.ts';
import { isOfPods, levelOf, parseCgroupPath } from '../../model/evidence/cgroup-path.ts';
import { bootOf } from './boot-of.ts';
import type { CaseFile } from './case-file.ts';
import type { EvidenceIndex } from '../records/evidence-index.ts';
import { findRise, type CounterRise } from './oom-counters.ts';
import { SAME_NODE_MS } from '../../model/evidence/source-clocks.ts';
import { isAtLeast, isAtMost, isWithin, shift } from '../records/times.ts';
import { readingsIn } from '../records/readings.ts';

/**
 * The kernel's own count of OOM kills, compared with its log. The kernel counts `oom_kill` of /proc/vmstat where it
 * prints "Killed process", and no rate limit drops that line (`__oom_kill_process` of mm/oom_kill.c). So over the same
 * time count and lines are equal, or records are missing or false.
 */
export type KillCounts =
  | {
      readonly state: 'equal';
      readonly last: NodeBeat | CgroupValues;
      readonly kills: number;
      /** Whose kills were counted. */
      readonly of: 'node' | 'pod';
    }
  /** The kernel counted more kills than the log has lines: `missing` victims have no name. */
  | {
      readonly state: 'lines-missing';
      readonly last: NodeBeat;
      readonly kills: number;
      readonly missing: number;
    }
  /** The log has more lines than the kernel counted: somebody else writes them. */
  | { readonly state: 'too-many-lines'; readonly last: NodeBeat; readonly extra: number }
  | { readonly state: 'unread' };

/**
 * Compares count and log in the boot of the container: over its life where the count was read before and after, since
 * the boot where it was read once, and where nobody read it, by the count of the pod.
 */
export function compareKillCounts(file: CaseFile): KillCounts {
  const boot = bootOf(file);
  const ended = endOfKernelLog(file.index, boot);
  const counted = file.index
    .of('node-beat')
    .filter((beat) => beat.boot === boot && beat.oomKills !== undefined);
  const beats = counted.filter((beat) =>
    isAtLeast(ended, beat.at, { unknown: 'counts', unknownLimit: 'does not' }),
  );
  const first = beats.findLast((beat) => isAtMost(beat.at, file.from, { unknown: 'does not' })) ?? beats[0];
  const last = beats.find((beat) => isAtLeast(beat.at, file.to, { unknown: 'does not' })) ?? beats.at(-1);
  if (first === last) {
    const newest = counted.at(-1);
    return newest === undefined ? compareOfPod(file, boot) : compareSinceBoot(file, newest);
  }
  if (first?.at === undefined || last?.at === undefined) return compareUndated(file, counted);
  const [from, to] = [first.at, last.at];
  const killed = file.index.of('kernel-killed').filter((kill) => kill.boot === boot);
  const at = killed.flatMap((kill) => kill.at ?? []);
  if (at.length < killed.length) return { state: 'unread' };
  // A kill at the edge may have been counted on either side of it.
  const within = (slackMs: number): number =>
    at.filter((killedAt) => killedAt > from - slackMs && killedAt <= to + slackMs).length;
  const kills = (last.oomKills ?? 0) - (first.oomKills ?? 0);
  return compareNumbers(last, kills, within(-SAME_NODE_MS), within(SAME_NODE_MS));
}

/** Compares a count of the node with the lines of its time: at least so many, at most so many. */
function compareNumbers(last: NodeBeat, kills: number, least: number, most: number): KillCounts {
  if (kills > most) return { state: 'lines-missing', last, kills, missing: kills - most };
  if (kills < least) return { state: 'too-many-lines', last, extra: least - kills };
  return { state: 'equal', last, kills, of: 'node' };
}

/** Several readings without a time count as one, where they are the same: read before and after the log. */
function compareUndated(file: CaseFile, counted: readonly NodeBeat[]): KillCounts {
  const newest = counted.at(-1);
  const isSame = counted.every(({ oomKills }) => oomKills === newest?.oomKills);
  return newest !== undefined && isSame ? compareSinceBoot(file, newest) : { state: 'unread' };
}

/**
 * Compares all lines of the boot with a count that was read once. A count without a time was read when everything was
 * collected, and a line without a time was written before. A kill at the edge may be on either side of it, and then nothing
 * follows.
 */
function compareSinceBoot(file: CaseFile, last: NodeBeat): KillCounts {
  if (!isReadAfterEnd(file, last)) return { state: 'unread' };
  const kills = last.oomKills ?? 0;
  const killed = file.index.of('kernel-killed').filter((kill) => kill.boot === last.boot);
  const within = (slackMs: number): number =>
    killed.filter((kill) => isAtMost(kill.at, shift(last.at, slackMs), { unknown: 'counts' })).length;
  const [least, most] = [within(-SAME_NODE_MS), within(SAME_NODE_MS)];
  const compared = compareNumbers(last, kills, least, most);
  return compared.state === 'equal' && least !== most ? { state: 'unread' } : compared;
}

/**
 * Compares the lines of the pod with `oom_kill` of memory.events of its cgroup (v2), which counts what died below it since
 * it was made, and outlives its containers. A kill without a summary may be of any pod: then nothing follows. More lines
 * than kills say nothing here: somebody may have made the cgroup a second time.
 */
function compareOfPod(file: CaseFile, boot: string): KillCounts {
  const last = readingsIn(file.index, 'memory.events').findLast(
    (reading) =>
      reading.boot === boot &&
      reading.isLocal !== true &&
      isOfPods(reading.path, file.uids) &&
      levelOf(reading.path) === 'pod',
  );
  const kills = Number(last?.values.oom_kill ?? Number.NaN);
  if (last === undefined || !isReadAfterEnd(file, last)) return { state: 'unread' };
  const killed = file.index.of('kernel-killed').filter((kill) => kill.boot === boot);
  const cgroups = killed.map((kill) => kill.context?.taskMemcg ?? kill.group?.cgroup);
  const own = cgroups.filter((cgroup) => cgroup !== undefined && isOfPods(cgroup, file.uids));
  const isKnown = cgroups.every((cgroup) => cgroup !== undefined);
  return isKnown && own.length === kills ? { state: 'equal', last, kills, of: 'pod' } : { state: 'unread' };
}

/** A count says nothing of a kill that came after it. */
function isReadAfterEnd({ endedAt }: CaseFile, { at }: NodeBeat | CgroupValues): boolean {
  return isAtLeast(at, endedAt, { unknown: 'counts' });
}

/** The time of the last line that was read from a boot's kernel log. A later kill cannot be in it. Undefined: any may be. */
export function endOfKernelLog(index: EvidenceIndex, boot: string): number | undefined {
  return index.of('kernel-log-ended').find((line) => line.boot === boot)?.at;
}

/** Kills that the cgroup of all pods counted, and that no line of the kernel log names. */
export interface UnnamedPodKills {
  readonly missing: number;
  readonly rise: CounterRise;
}

/**
 * The same only for the pods, on cgroup v2: `oom_kill` in memory.events of the cgroup of all pods counts every kill
 * below it. A line without a summary may be of any cgroup, so only too few lines say something.
 */
export function findUnnamedPodKills(file: CaseFile): UnnamedPodKills | undefined {
  const boot = bootOf(file);
  const ended = endOfKernelLog(file.index, boot);
  const values = readingsIn(file.index, 'memory.events').filter(
    (reading) =>
      reading.boot === boot &&
      reading.isLocal !== true &&
      isOfAllPods(reading) &&
      isAtLeast(ended, reading.at, { unknown: 'counts', unknownLimit: 'does not' }),
  );
  const rise = findRise(values, () => true, 'oom_kill', ['memory.events']);
  const last = values.at(-1);
  if (rise === undefined || last?.at === undefined) return undefined;
  const [first] = values;
  const from = shift(first?.at, -SAME_NODE_MS);
  const to = last.at + SAME_NODE_MS;
  const lines = file.index
    .of('kernel-killed')
    .filter(
      (kill) => kill.boot === boot && mayBeOfPods(kill) && isWithin(kill.at, from, to, { unknown: 'counts' }),
    );
  const missing = Number(last.values.oom_kill) - rise.from - lines.length;
  return missing > 0 ? { missing, rise } : undefined;
}

function isOfAllPods({ path }: CgroupValues): boolean {
  return /(?:^|\/)kubepods(?:\.slice)?$/.test(path) && parseCgroupPath(path).level === 'qos';
}

/** A kill without a summary may be of a pod. */
function mayBeOfPods({ context }: KernelKilled): boolean {
  return context?.taskMemcg === undefined || parseCgroupPath(context.taskMemcg).podUid !== undefined;
}
