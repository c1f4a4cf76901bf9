import type { Effective } from '../../model/saved/effective.ts';
import type { CellResult, RunResult } from '../../model/saved/formats.ts';
import { plural } from '../../model/text/plural.ts';
import type { RunEvent } from '../../model/saved/run-event.ts';

/** A finished run, read from its folder (docs/run-folder.md). */
export interface RecordedRun {
  readonly result: RunResult;
  readonly events: readonly RunEvent[];
  /** The worlds as they were read back, by the address of a cell; a cell whose world did not come up has none. */
  readonly effective: ReadonlyMap<string, Effective>;
}

/** A cell and its run. */
export interface RecordedCell {
  readonly cell: CellResult;
  readonly run: RecordedRun;
}

/**
 * Returns every cell of the runs once, from the latest run that observed it. An interrupted cell does not count, and an
 * inconclusive one counts only if no run observed it. Ordered by scenario, then variant (`default` first), then parameters.
 */
export function pickLatestCells(runs: readonly RecordedRun[]): RecordedCell[] {
  const latest = new Map<string, RecordedCell>();
  for (const run of sortRuns(runs)) {
    for (const cell of run.result.cells) {
      if (cell.verdict === 'interrupted') continue;
      if (cell.verdict === 'inconclusive' && latest.has(cell.address)) continue;
      latest.set(cell.address, { cell, run });
    }
  }
  return [...latest.values()].sort((a, b) => (rankOf(a.cell) < rankOf(b.cell) ? -1 : 1));
}

/** A text that sorts cells by scenario, then variant (`default` first), then parameters. */
export function rankOf(cell: Pick<CellResult, 'address' | 'scenario'>): string {
  return `${cell.scenario} ${worldOf(cell).replace(/^default$/, '')} ${cell.address}`;
}

/** The canonical name of a cell's variant, which names its world. */
export function worldOf({ address }: Pick<CellResult, 'address'>): string {
  return address.slice(0, address.lastIndexOf('/'));
}

/** The runs that a text was made from, one list item each, oldest first. */
export function listRuns(runs: readonly RecordedRun[]): string[] {
  return sortRuns(runs).map(({ result }) => {
    const where = result.accelerator === 'kvm' ? 'KVM' : 'emulated (TCG)';
    return `- run \`${result.run}\` of ${result.startedAt.slice(0, 10)}, ${where}, ${plural(result.cells.length, 'cell')}`;
  });
}

function sortRuns(runs: readonly RecordedRun[]): RecordedRun[] {
  return runs.toSorted((a, b) => (a.result.startedAt < b.result.startedAt ? -1 : 1));
}
