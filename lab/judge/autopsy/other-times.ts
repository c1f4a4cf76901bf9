import { parseCgroupPath } from '../../model/evidence/cgroup-path.ts';
import type { Observation } from '../../model/evidence/observation.ts';
import { API_MS, FOLLOWS_MS } from '../records/tolerances.ts';

/** The container whose end is judged, as far as it is known. */
interface Ended {
  readonly node: string | undefined;
  readonly containerId: string;
  readonly startedAt: number | undefined;
  readonly at: number | undefined;
}

/**
 * Whether the counters of the node may be of another boot than the container was in: its kernel log begins after the end, or
 * nobody knows when, and no kernel line names the container. Counters are since the last boot.
 */
export function mayHaveRebooted(
  observations: readonly Observation[],
  { node, containerId, at }: Ended,
): boolean {
  const own = observations.filter((seen) => seen.node === node);
  if (own.some((seen) => isKillOf(seen, containerId))) return false;
  // The lab writes its own line when a cell is over: the log is of that boot.
  if (own.some(({ kind }) => kind === 'kernel-log-ended')) return false;
  const begins = own.flatMap((seen) =>
    seen.kind === 'covered' && seen.source === 'kmsg' ? [seen.from ?? Number.POSITIVE_INFINITY] : [],
  );
  return at !== undefined && begins.length > 0 && begins.every((from) => from > at + API_MS);
}

/**
 * Takes the time from kernel lines that name this very container at a time when it did not live: an id is given once, so
 * that their clock is misread, and the lines are of this container all the same.
 */
export function distrustTimes(
  observations: readonly Observation[],
  { containerId, startedAt, at }: Ended,
): readonly Observation[] {
  if (at === undefined) return observations;
  const isOutside = (time: number): boolean =>
    time > at + API_MS + FOLLOWS_MS || time < (startedAt ?? at) - API_MS - FOLLOWS_MS;
  const misread = new Set(
    observations.filter((seen) => isKillOf(seen, containerId) && seen.at !== undefined && isOutside(seen.at)),
  );
  if (misread.size === 0) return observations;
  return observations.map((seen) => {
    const isOfKernel = seen.ref.source === 'kmsg' && seen.at !== undefined;
    const isMeant = misread.has(seen) || (isOfKernel && isContextOf(seen, containerId));
    return isMeant ? { ...seen, at: undefined } : seen;
  });
}

function isContextOf(seen: Observation, containerId: string): boolean {
  return (
    seen.kind === 'kernel-oom-context' &&
    seen.taskMemcg !== undefined &&
    parseCgroupPath(seen.taskMemcg).containerId === containerId
  );
}

/** Zones are whole quarters of an hour. */
const QUARTER_MS = 900_000;
const NEAR_MS = 60_000;

/**
 * Says that an OOM kill of this very container is in the log at a time when it did not live: then one of the clocks is
 * misread. Undefined when there is none.
 */
export function describeMisreadClock(
  observations: readonly Observation[],
  { containerId, startedAt, at }: Ended,
): string | undefined {
  if (at === undefined) return undefined;
  for (const seen of observations) {
    if (!isKillOf(seen, containerId) || seen.at === undefined) continue;
    const apartMs = Math.abs(seen.at - at);
    const quarters = Math.round(apartMs / QUARTER_MS);
    const isOutside = seen.at > at || seen.at < (startedAt ?? at);
    if (quarters === 0 || !isOutside || Math.abs(apartMs - quarters * QUARTER_MS) > NEAR_MS) continue;
    return `${seen.ref.file} has an OOM kill of this container ${quarters / 4} h ${seen.at > at ? 'after' : 'before'} its end: the clock of one of the files is misread; --timezone says the zone of logs that have none`;
  }
  return undefined;
}

function isKillOf(seen: Observation, containerId: string): boolean {
  if (seen.kind !== 'kernel-killed' || containerId === '') return false;
  const cgroup = seen.context?.taskMemcg ?? seen.group?.cgroup;
  return cgroup !== undefined && parseCgroupPath(cgroup).containerId === containerId;
}
