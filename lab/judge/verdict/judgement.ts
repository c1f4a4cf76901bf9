import type { Attribution, Claim, Mismatch } from '../../model/saved/formats.ts';
import type { Verdict } from '../../model/killers/killers.ts';
import type { Tried } from '../../model/declared/tries.ts';
import type { BugResult } from '../../model/declared/ledger.ts';
import type { MeasureResult } from '../../model/measures/measure.ts';

/** What the judge says about one cell. */
export interface Judgement {
  readonly attribution: Attribution;
  readonly claims: Claim[];
  readonly mismatches: Mismatch[];
  /** What was measured; absent when nothing was sampled and no measure was expected. */
  readonly measures?: MeasureResult[];
  /** The share of each end, where a cell waits for many deaths. */
  readonly tried?: Tried;
  /** What became of the bug that the cell was expected to show; absent when it was expected to show none. */
  readonly bug?: BugResult;
  readonly verdict: Verdict;
  /** Why there is no verdict. */
  readonly note?: string;
}
