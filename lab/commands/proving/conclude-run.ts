import { conclude, type SeenEnd } from '../../experiment/prove/conclude.ts';
import { describeDeath, keyOfDeath, readDeathOf } from '../../gate/compare/read-death.ts';
import { describeUndecided, isDecidedCell, type Trial } from '../../gate/compare/gather-trials.ts';
import { compareCells } from '../../judge/compare/compare-cells.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import type { ProvedVerdict, ProveResult, SeenArm } from '../../model/saved/prove.ts';
import { groupBy } from '../../model/text/group-by.ts';
import { sum } from '../../model/text/sum.ts';

/** Concludes what the runs say of the verdict that they put to the test. Saved runs are all that it needs. */
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

/** How one run ended, and after how long. */
export function toEnd({ attribution, timings }: CellResult): SeenEnd {
  const { killer, how } = attribution;
  return { killer, how, seconds: (timings.observeMs ?? timings.totalMs) / 1000 };
}

function countEnds(cells: readonly CellResult[]): string[] {
  const byDeath = groupBy(cells, (cell) => keyOfDeath(readDeathOf(cell)));
  return [...byDeath.values()].map(
    (same) => `${same.length} of ${cells.length} ${describeDeath(readDeathOf(same[0]!))}`,
  );
}

/** A death as it was beside a run without the cause. */
function findTimeline(
  killer: string,
  run: string,
  seen: readonly { readonly arm: { readonly kind: string }; readonly observed: readonly CellResult[] }[],
): ProveResult['timeline'] {
  const of = (kind: string): readonly CellResult[] =>
    seen.filter(({ arm }) => arm.kind === kind).flatMap(({ observed }) => observed);
  const was = of('as-it-was');
  const before = was.find(({ attribution }) => attribution.killer === killer) ?? was[0];
  const [now] = of('without-cause');
  if (before === undefined || now === undefined) return undefined;
  return compareCells({ run, cell: before }, { run, cell: now }).timeline;
}
