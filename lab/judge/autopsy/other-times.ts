import { parseCgroupPath } from '../../model/evidence/cgroup-path.ts';
import type { Observation } from '../../model/evidence/observation.ts';
import { findKillsOf, type LifeOnNode } from '../records/boots.ts';
import { coverageOf, indexEvidence, type EvidenceIndex } from '../records/evidence-index.ts';
import { API_MS, FOLLOWS_MS } from '../records/tolerances.ts';

/**
 * Whether the counters of the node may be of another boot than the container was in: its kernel log begins after the end, or
 * nobody knows when, and no kernel line names the container. Counters are since the last boot.
 */
export function mayHaveRebooted(index: EvidenceIndex, { node, containerId, at }: LifeOnNode): boolean {
  if (findKillsOf(index, containerId).some((kill) => kill.node === node)) return false;
  // The lab writes its own line when a cell is over: the log is of that boot.
  if (index.of('kernel-log-ended').some((line) => line.node === node)) return false;
  const begins = coverageOf(index, 'kmsg', node).map(({ from = Number.POSITIVE_INFINITY }) => from);
  return at !== undefined && begins.length > 0 && begins.every((from) => from > at + API_MS);
}

/**
 * Takes the time from kernel lines that name this very container at a time when it did not live: an id is given once, so
 * that their clock is misread, and the lines are of this container all the same.
 */
export function distrustTimes(
  index: EvidenceIndex,
  { containerId, startedAt, at }: LifeOnNode,
): EvidenceIndex {
  if (at === undefined) return index;
  const isOutside = (time: number): boolean =>
    time > at + API_MS + FOLLOWS_MS || time < (startedAt ?? at) - API_MS - FOLLOWS_MS;
  const misread = new Set<Observation>(
    findKillsOf(index, containerId).filter((kill) => kill.at !== undefined && isOutside(kill.at)),
  );
  if (misread.size === 0) return index;
  const trusted = index.all.map((seen) => {
    const isOfKernel = seen.ref.source === 'kmsg' && seen.at !== undefined;
    const isMeant = misread.has(seen) || (isOfKernel && isContextOf(seen, containerId));
    return isMeant ? { ...seen, at: undefined } : seen;
  });
  return indexEvidence(trusted);
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
  index: EvidenceIndex,
  { containerId, startedAt, at }: LifeOnNode,
): string | undefined {
  if (at === undefined) return undefined;
  for (const kill of findKillsOf(index, containerId)) {
    if (kill.at === undefined) continue;
    const apartMs = Math.abs(kill.at - at);
    const quarters = Math.round(apartMs / QUARTER_MS);
    const isOutside = kill.at > at || kill.at < (startedAt ?? at);
    if (quarters === 0 || !isOutside || Math.abs(apartMs - quarters * QUARTER_MS) > NEAR_MS) continue;
    return `${kill.ref.file} has an OOM kill of this container ${quarters / 4} h ${kill.at > at ? 'after' : 'before'} its end: the clock of one of the files is misread; --timezone says the zone of logs that have none`;
  }
  return undefined;
}
