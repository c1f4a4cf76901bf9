import { conclude, type SeenEnd } from '../../experiment/prove/conclude.ts';
import { describeDeath, keyOfDeath, readDeathOf } from '../../gate/compare/read-death.ts';
import { describeUndecided, isDecidedCell, type Trial } from '../../gate/compare/gather-trials.ts';
import { compareCells } from '../../judge/compare/compare-cells.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import type { ProvedVerdict, ProveResult, SeenArm } from '../../model/saved/prove.ts';
import { groupBy } from '../../model/text/group-by.ts';
import { sum } from '../../model/text/sum.ts';

/**
 * Concludes from saved trials whether the tested verdict is confirmed. It starts nothing.
 *
 * @param run id of the last run; undefined when nothing was run.
 */
export function concludeRun(
  proves: ProvedVerdict,
  run: string | undefined,
  trials: readonly Trial[],
): ProveResult {
  const { named, cause, accepted, arms } = proves;
  const seen = arms.map((arm) => {
    const cells = trials.map(({ cell }) => cell).filter(({ address }) => address === arm.address);
    return {
      arm,
      observed: cells.filter(isDecidedCell),
      undecided: cells.filter((cell) => !isDecidedCell(cell)),
    };
  });
  const endsOf = (kind: SeenArm['kind']): SeenEnd[] =>
    seen.filter(({ arm }) => arm.kind === kind).flatMap(({ observed }) => observed.map(toEnd));
  const { conclusion, says, probability, isOpen } = conclude({
    named,
    cause,
    accepted,
    asItWas: endsOf('as-it-was'),
    withoutCause: endsOf('without-cause'),
    innocents: seen
      .filter(({ arm }) => arm.kind === 'without-innocent')
      .map(({ arm, observed }) => ({ killer: arm.killer ?? 'unknown', ends: observed.map(toEnd) })),
  });
  const result: ProveResult = {
    formatVersion: FORMAT_VERSION,
    of: { run: proves.run, address: proves.address },
    named,
    conclusion,
    says,
    runs: sum(seen.map(({ observed }) => observed.length)),
    arms: seen.map(({ arm, observed, undecided }) => ({
      ...arm,
      of: observed.length,
      same: observed.filter(({ attribution }) => attribution.killer === named.killer).length,
      ends: countEnds(observed),
      undecided: undecided.map(describeUndecided),
    })),
  };
  if (run !== undefined) result.run = run;
  if (probability !== undefined) result.probability = probability;
  if (isOpen === true) result.isOpen = true;
  const timeline = findTimeline(named.killer, run ?? '', seen);
  if (timeline !== undefined) result.timeline = timeline;
  return result;
}

/** Returns how one run ended, and after how many seconds. */
export function toEnd({ attribution, timings }: CellResult): SeenEnd {
  const { killer, how } = attribution;
  return { killer, how, seconds: (timings.observeMs ?? timings.totalMs) / 1000 };
}

/** Counts how the runs ended, in words: `3 of 3 memcg-oom, OOMKilled, exit 137`. */
function countEnds(cells: readonly CellResult[]): string[] {
  const byDeath = groupBy(cells, (cell) => keyOfDeath(readDeathOf(cell)));
  return [...byDeath.values()].map(
    (same) => `${same.length} of ${cells.length} ${describeDeath(readDeathOf(same[0]!))}`,
  );
}

/**
 * Compares the timeline of a death as it was with that of a run without the cause; undefined when one of them is
 * missing.
 */
function findTimeline(
  killer: string,
  run: string,
  seen: readonly { readonly arm: { readonly kind: string }; readonly observed: readonly CellResult[] }[],
): ProveResult['timeline'] {
  const observedOf = (kind: string): readonly CellResult[] =>
    seen.filter(({ arm }) => arm.kind === kind).flatMap(({ observed }) => observed);
  const asItWas = observedOf('as-it-was');
  const before = asItWas.find(({ attribution }) => attribution.killer === killer) ?? asItWas[0];
  const [now] = observedOf('without-cause');
  if (before === undefined || now === undefined) return undefined;
  return compareCells({ run, cell: before }, { run, cell: now }).timeline;
}
