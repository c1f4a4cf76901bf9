import { formatSeconds } from '../../model/text/format-duration.ts';
import { groupBy } from '../../model/text/group-by.ts';
import type { CellRecord, HostLoad, NodeBeat, Observation } from '../../model/evidence/observation.ts';
import type { EvidenceIndex } from '../records/evidence-index.ts';
import { largest } from '../../model/text/extremes.ts';

/**
 * When a verdict is void: something outside of the scenario kept the machines from running. The lab's own load
 * (emulated guests use every core they get) disturbs nothing by itself, so it is not measured.
 */
const PRESSURE_LIMITS = {
  /** A node without a beat for so long was stalled. The witness beats once a second. */
  stillMs: 10_000,
  /** When all of the node's own tasks waited for memory in this share of the silence, the scenario caused it. */
  ownStallShare: 0.3,
  /** Programs of others used this share of all CPU time of the host, ... */
  foreignShare: 0.5,
  /** ... and at the same time a beat came this late. */
  lateMs: 3_000,
  /** The clock of the host, which all evidence is put in order by, went by so much more or less than time did. */
  stepMs: 1_000,
  /** Share of the cell in which all tasks of the host waited for memory. */
  memoryFullShare: 0.1,
  /** Share of a node's CPU time that the hypervisor gave to others. */
  stealShare: 0.25,
} as const;

/** Why the verdict is void; undefined when nothing disturbed the cell, or nothing was measured. */
export function findPressure(record: CellRecord, index: EvidenceIndex): string | undefined {
  const from = Date.parse(record.startedAt);
  const to = Date.parse(record.endedAt);
  const isInside = (observation: Observation): boolean =>
    observation.at !== undefined && observation.at >= from - 1000 && observation.at <= to + 1000;
  const allLoads = index.of('host-load');
  const loads = allLoads.filter(isInside);
  const nodes = [...groupBy(index.of('node-beat').filter(isInside), ({ boot }) => boot).values()];
  const late = largest(
    nodes.map((beats) => longestSilence(beats)?.ms ?? 0),
    0,
  );
  const reasons = [
    ...clockReasons(allLoads),
    ...hostReasons(loads, late),
    ...nodes.flatMap(nodeReasons),
    ...stalls(index, isInside),
  ];
  return reasons.length === 0 ? undefined : describeDisturbance(reasons);
}

/** Says in the note of a cell that nothing follows from it. */
export function describeDisturbance(reasons: readonly string[]): string {
  return `void, the machines were disturbed: ${reasons.join('; ')}`;
}

function hostReasons(loads: readonly HostLoad[], lateMs: number): string[] {
  const first = loads[0];
  const last = loads.at(-1);
  if (first?.at === undefined || last?.at === undefined || last.at <= first.at) return [];
  const ms = last.at - first.at;
  const foreign = (last.busyMs - first.busyMs - (last.ownMs - first.ownMs)) / (ms * last.cpus);
  const full = ((last.memoryFullMs ?? 0) - (first.memoryFullMs ?? 0)) / ms;
  const { foreignShare, lateMs: late, memoryFullShare } = PRESSURE_LIMITS;
  const reasons: string[] = [];
  if (foreign > foreignShare && lateMs > late)
    reasons.push(
      `other programs of the host used ${percent(foreign)} of its CPUs, a node was ${formatSeconds(lateMs)} late`,
    );
  if (full > memoryFullShare) reasons.push(`the host waited for memory in ${percent(full)} of the time`);
  return reasons;
}

/** Somebody set the clock of the host, or the host slept: a clock that cannot be set stops then. */
function clockReasons(loads: readonly HostLoad[]): string[] {
  const ahead = loads
    .flatMap(({ at, monotonicMs }) =>
      at === undefined || monotonicMs === undefined ? [] : [{ at, monotonicMs }],
    )
    // Observations come by the clock that was set: after a step back the last ones would be the first.
    .sort((a, b) => a.monotonicMs - b.monotonicMs)
    .map(({ at, monotonicMs }) => at - monotonicMs);
  const steps = ahead.map((ms) => ms - (ahead[0] ?? ms));
  const step = steps.find((ms) => Math.abs(ms) > PRESSURE_LIMITS.stepMs);
  if (step === undefined) return [];
  const way = step > 0 ? 'forward' : 'back';
  return [`the clock of the host went ${way} by ${formatSeconds(Math.abs(step))}, or the host slept`];
}

function nodeReasons(beats: readonly NodeBeat[]): string[] {
  const first = beats[0];
  const last = beats.at(-1);
  if (first?.at === undefined || last?.at === undefined) return [];
  const node = first.node ?? 'a node';
  const reasons: string[] = [];
  const silence = longestSilence(beats);
  if (silence !== undefined && silence.ms > PRESSURE_LIMITS.stillMs)
    reasons.push(`${node} stood still for ${formatSeconds(silence.ms)}`);
  const steal = ((last.stealMs ?? 0) - (first.stealMs ?? 0)) / ((last.at - first.at) * (last.cpus ?? 1));
  if (steal > PRESSURE_LIMITS.stealShare)
    reasons.push(`${percent(steal)} of the CPU time of ${node} went to others`);
  return reasons;
}

/** The longest time between two beats that the node's own lack of memory does not explain. */
function longestSilence(beats: readonly NodeBeat[]): { ms: number } | undefined {
  let longest: { ms: number } | undefined;
  for (const [index, beat] of beats.entries()) {
    const before = beats[index - 1];
    if (before?.at === undefined || beat.at === undefined) continue;
    const ms = beat.at - before.at;
    const own = ((beat.memoryFullMicros ?? 0) - (before.memoryFullMicros ?? 0)) / 1000 / ms;
    if (own < PRESSURE_LIMITS.ownStallShare && ms > (longest?.ms ?? 0)) longest = { ms };
  }
  return longest;
}

/** A CPU that does nothing for 20 s, and an RCU stall, come from outside of a machine that is mostly idle. */
function stalls(index: EvidenceIndex, isInside: (observation: Observation) => boolean): string[] {
  const said = index.of('kernel-said').find((line) => line.about === 'stall' && isInside(line));
  return said === undefined ? [] : [`the kernel of ${said.node ?? 'a node'} said: ${said.ref.text}`];
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
