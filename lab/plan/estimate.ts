import { z } from 'zod';
import type { Outcome } from '../model/scenario.ts';

/** One line of `timings.jsonl`: what a world (named by its variant) or a cell (named by its scenario) once took. */
export const pastTimingSchema = z.object({
  kind: z.enum(['world', 'cell']),
  name: z.string(),
  seconds: z.number().nonnegative(),
});

/** How long something took in an earlier run. */
export type PastTiming = z.infer<typeof pastTimingSchema>;

/** Bringing a world up from a saved image, seconds: boot and `kubeadm init` under emulation. */
const DEFAULT_WORLD_SECONDS = 150;
/** Restore, health gate, deployment and collection around what a scenario itself takes, seconds. */
const CELL_OVERHEAD_SECONDS = 20;
const KEPT_RUNS = 5;

/** Reads past timings; a line cut short by a crash is skipped, an estimate does not fail. */
export function parsePastTimings(lines: readonly string[]): PastTiming[] {
  return lines.flatMap((line) => {
    try {
      const parsed = pastTimingSchema.safeParse(JSON.parse(line));
      return parsed.success ? [parsed.data] : [];
    } catch {
      return []; // not JSON: cut short by a crash
    }
  });
}

/** Estimates a world, seconds: the median of its last runs, else a default. */
export function estimateWorld(timings: readonly PastTiming[], variant: string): number {
  return findMedian(timings, 'world', variant) ?? DEFAULT_WORLD_SECONDS;
}

/** Estimates a cell, seconds: the median of its last runs, else half of the time its death may take. */
export function estimateCell(timings: readonly PastTiming[], scenario: string, outcome: Outcome): number {
  const scenarioSeconds = outcome.survivesSeconds ?? (outcome.withinSeconds ?? 60) / 2;
  return findMedian(timings, 'cell', scenario) ?? Math.round(CELL_OVERHEAD_SECONDS + scenarioSeconds);
}

function findMedian(
  timings: readonly PastTiming[],
  kind: PastTiming['kind'],
  name: string,
): number | undefined {
  const last = timings.filter((timing) => timing.kind === kind && timing.name === name).slice(-KEPT_RUNS);
  const sorted = last.map((timing) => timing.seconds).sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  return median === undefined ? undefined : Math.round(median);
}
