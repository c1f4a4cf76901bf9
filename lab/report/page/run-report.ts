import type { Again, Change } from '../../model/saved/again.ts';
import type { Effective } from '../../model/saved/effective.ts';
import type { CellResult, RunResult } from '../../model/saved/formats.ts';
import type { ProveResult } from '../../model/saved/prove.ts';
import type { CellHistory } from '../../model/saved/history.ts';
import type { Asked, Excerpt, Story } from '../../model/evidence/story.ts';

/** Everything that the page of a run is made of. */
export interface RunReport {
  readonly result: RunResult;
  /** Versions that were read back, by the address of a cell; a cell whose world did not come up has none. */
  readonly versions: ReadonlyMap<string, Effective['versions']>;
  /** What changed since the last run of the same cells, in the order of the run. */
  readonly flips: readonly Flip[];
  /** What the run says of the verdict that it puts to the test; absent of most runs. */
  readonly proved?: ProveResult | undefined;
  /** What saved runs up to this one said of its cells, by address; a cell that is new has one run. */
  readonly histories: ReadonlyMap<string, CellHistory>;
  /** Of the whodunit that writes the page. */
  readonly version: string;
  /** Reads what the evidence of a cell tells; called once for each cell, so that no two are in memory. */
  readonly factsOf: (cell: CellResult) => CellFacts;
  /** The style and the scripts of the page, which become a part of it. */
  readonly assets: PageAssets;
}

/** What runs in the browser: the files in `browser/`. */
export interface PageAssets {
  readonly style: string;
  readonly script: string;
}

/** What the evidence of one cell tells in addition to its result. */
export interface CellFacts {
  readonly story: Story | undefined;
  readonly excerpts: readonly Excerpt[];
  /** Undefined when nothing of it was saved. */
  readonly asked?: Asked | undefined;
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
