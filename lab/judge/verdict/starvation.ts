import { formatSeconds } from '../../model/text/format-duration.ts';
import { groupBy } from '../../model/text/group-by.ts';
import type { Mismatch } from '../../model/saved/formats.ts';
import type { CgroupValues } from '../../model/evidence/observation.ts';
import type { CellCase } from '../case/case-file.ts';
import type { Conclusion } from '../killer/conclusion.ts';

/** When a victim was kept from running: others had the CPU that it wanted. */
const STARVATION_LIMITS = {
  /** A container that just starts waits for a second or two on an emulated node. */
  ms: 10_000,
  /** The share of the time between the first reading of its cgroup and the last. */
  share: 0.5,
} as const;

/**
 * Why nothing follows from a victim that lives on, died late, or was measured: its processes wanted to run and could not. A node
 * whose own services use every CPU gives a container without a CPU request a hundredth of it. Read from `cpu.pressure`
 * of its cgroup, so known only on cgroup v2 with kernels since 5.13 (Documentation/accounting/psi.rst; `full` of a
 * cgroup: none of its tasks ran although one wanted to).
 */
export function findStarvation(
  file: CellCase,
  finding: Conclusion,
  mismatches: readonly Mismatch[],
): string | undefined {
  const isLate = mismatches.some((mismatch) => mismatch.field === 'withinSeconds');
  const isMeasured = file.record.expected.measures !== undefined;
  if (finding.killer !== 'none' && !isLate && !isMeasured) return undefined;
  const waits = [...readingsByCgroup(file).values()].map(waitedBetween);
  const worst = waits.reduce((most, wait) => (wait.waitedMs > most.waitedMs ? wait : most), NO_WAIT);
  if (worst.waitedMs < STARVATION_LIMITS.ms || worst.waitedMs < worst.ms * STARVATION_LIMITS.share)
    return undefined;
  return `void, the container was starved: others had the CPU for ${formatSeconds(worst.waitedMs)} of ${formatSeconds(worst.ms)}`;
}

interface Wait {
  readonly ms: number;
  readonly waitedMs: number;
}

const NO_WAIT: Wait = { ms: 0, waitedMs: 0 };

function readingsByCgroup(file: CellCase): Map<string, CgroupValues[]> {
  const readings = file.index
    .of('cgroup-values')
    .filter(
      (reading) =>
        reading.file === 'cpu.pressure' && file.containerId !== '' && file.cgroups.holds(reading.path),
    );
  return groupBy(readings, ({ path }) => path);
}

function waitedBetween(readings: readonly CgroupValues[]): Wait {
  const first = readings[0];
  const last = readings.at(-1);
  if (first?.at === undefined || last?.at === undefined) return NO_WAIT;
  const waitedMs = (Number(last.values.full) - Number(first.values.full)) / 1000;
  return Number.isFinite(waitedMs) ? { ms: last.at - first.at, waitedMs } : NO_WAIT;
}
