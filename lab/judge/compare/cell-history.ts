import type { CellHistory, PastCell, PastRun } from '../../model/saved/history.ts';
import { groupBy } from '../../model/text/group-by.ts';
import { sum } from '../../model/text/sum.ts';
import { wilsonInterval } from '../../model/rates/rates.ts';
import { medianOf } from '../measures/statistics.ts';
import { compareText } from '../../model/text/compare-text.ts';

type PastVerdict = CellHistory['runs'][number];

/**
 * What runs said of cells over time: how often each fails, how often its verdict changed, and since when it is bad.
 *
 * @param isWanted which cells to look at.
 * @returns one history for each address, sorted by address.
 */
export function readHistories(
  runs: readonly PastRun[],
  isWanted: (cell: PastCell) => boolean,
): CellHistory[] {
  const sorted = runs.toSorted((a, b) => compareText(a.startedAt, b.startedAt) || compareText(a.run, b.run));
  const verdicts = sorted.flatMap(({ run, startedAt, cells }) =>
    cells.filter(isWanted).map((cell) => ({ run, startedAt, cell })),
  );
  return [...groupBy(verdicts, ({ cell }) => cell.address)]
    .map(([address, ofCell]) =>
      readHistory(
        address,
        ofCell.map(({ run, startedAt, cell: { address: _address, scenario: _scenario, ...rest } }) => ({
          run,
          startedAt,
          ...rest,
        })),
      ),
    )
    .toSorted((a, b) => compareText(a.address, b.address));
}

function readHistory(address: string, runs: PastVerdict[]): CellHistory {
  const decided = runs.filter(({ verdict }) => verdict === 'passed' || verdict === 'failed');
  const attempts = decided.map(countAttempts);
  const failed = sum(attempts.map((attempt) => attempt.failed));
  const of = sum(attempts.map((attempt) => attempt.of));
  const firstBad = findFirstBad(decided);
  const medianMs = medianOf(decided.map(({ totalMs }) => totalMs));
  return {
    address,
    failing: { failed, of, ...wilsonInterval(failed, of), method: 'wilson-95' },
    changes: decided.filter(({ verdict }, index) => index > 0 && verdict !== decided[index - 1]?.verdict)
      .length,
    ...(firstBad === undefined ? {} : { firstBad }),
    ...(medianMs === undefined ? {} : { medianMs }),
    runs,
  };
}

/** A cell without `repeat` was tried once. */
function countAttempts({ verdict, passed, of }: PastVerdict): { failed: number; of: number } {
  if (passed !== undefined && of !== undefined) return { failed: of - passed, of };
  return { failed: verdict === 'failed' ? 1 : 0, of: 1 };
}

/** @param decided runs that passed or failed, oldest first. */
function findFirstBad(decided: readonly PastVerdict[]): CellHistory['firstBad'] {
  if (decided.at(-1)?.verdict !== 'failed') return undefined;
  const lastGood = decided.findLastIndex(({ verdict }) => verdict === 'passed');
  const first = decided[lastGood + 1];
  const good = decided[lastGood];
  if (first === undefined) return undefined;
  const { run, startedAt } = first;
  return { run, startedAt, ...(good === undefined ? {} : { after: good.run }) };
}
