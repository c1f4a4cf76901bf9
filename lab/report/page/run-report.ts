import type { Again, Change } from '../../model/saved/again.ts';
import type { Effective } from '../../model/saved/effective.ts';
import type { CellResult, RunResult } from '../../model/saved/formats.ts';
import type { Excerpt, Story } from '../../model/evidence/story.ts';

/** Everything that the page of a run is made of. */
export interface RunReport {
  readonly result: RunResult;
  /** Versions that were read back, by the address of a cell; a cell whose world did not come up has none. */
  readonly versions: ReadonlyMap<string, Effective['versions']>;
  /** What changed since the last run of the same cells, in the order of the run. */
  readonly flips: readonly Flip[];
  /** Reads what the evidence of a cell tells; called once for each cell, so that no two are in memory. */
  readonly factsOf: (cell: CellResult) => CellFacts;
  /** Text of `report.css` and `report.js`, which become a part of the page. */
  readonly assets: PageAssets;
}

/** The files next to this one that run in the browser. */
export interface PageAssets {
  readonly style: string;
  readonly script: string;
}

/** What the evidence of one cell tells in addition to its result. */
export interface CellFacts {
  readonly story: Story | undefined;
  readonly excerpts: readonly Excerpt[];
  /** Whether the result follows from it; absent for a cell when nothing of it was seen. */
  readonly again?: Again;
  /** Why the evidence could not be read. */
  readonly problem?: string;
}

/** A cell whose result does not follow from its evidence. */
export interface Doubt {
  readonly address: string;
  /** What is said of it (`warnAgain`). */
  readonly warning: string;
}

/** A cell with another verdict or another killer than in the last run that saw it. */
export interface Flip {
  readonly address: string;
  /** Id of that run, and when it began. */
  readonly run: string;
  readonly startedAt: string;
  readonly changes: readonly Change[];
}
