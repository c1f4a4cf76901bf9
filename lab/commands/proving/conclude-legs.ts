import { decideFollows, type SeenLeg } from '../../experiment/investigate/decide-follows.ts';
import { describeUndecided, type Trial } from '../../gate/compare/gather-trials.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import type { Investigated, Investigation, LegKind } from '../../model/saved/investigate.ts';

/** The saved results of a run. */
interface RanCells {
  readonly cells: readonly CellResult[];
  /** Each run of each cell. */
  readonly trials: readonly Pick<Trial, 'cell'>[];
}

/** Concludes from the saved results of its legs what the failure of one cell depends on. */
export function concludeInvestigation(
  { address, legs }: Investigation,
  { cells, trials }: RanCells,
): Investigated {
  const runs = trials.map(({ cell }) => cell);
  const seen = legs.map((leg): Investigated['legs'][number] => {
    const own = (leg.isRated === true ? cells : runs).filter((cell) => cell.address === leg.address);
    const count = (verdict: CellResult['verdict']): number =>
      own.filter((cell) => cell.verdict === verdict).length;
    const undecided = own
      .filter(({ verdict }) => verdict !== 'passed' && verdict !== 'failed')
      .map(describeUndecided);
    return { ...leg, passed: count('passed'), failed: count('failed'), undecided };
  });
  const seenOf = (kind: LegKind): SeenLeg => {
    const leg = seen.find((candidate) => candidate.kind === kind);
    return { passed: leg?.passed ?? 0, failed: leg?.failed ?? 0 };
  };
  const isRated = legs.some((leg) => leg.isRated === true);
  const decided = decideFollows(
    {
      alone: seenOf('alone'),
      world: seenOf('world'),
      versions: seenOf('versions'),
      scenario: seenOf('scenario'),
    },
    isRated ? 1 : undefined,
  );
  return { address, ...decided, legs: seen };
}
