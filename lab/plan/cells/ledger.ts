import type { ExpectedBug } from '../../model/declared/ledger.ts';
import { addressesOfBug, outcomeOfBug } from '../bugs/bug-cells.ts';
import type { Config } from '../config/parse-config.ts';

/** Answers which bug a cell is expected to show; undefined for a cell that is the affected side of none. */
export type Ledger = (address: string) => ExpectedBug | undefined;

/** Derives the ledger of known bugs from their files: the affected cell of each, and how it would end without the bug. */
export function createLedger(config: Pick<Config, 'matrix' | 'scenarios' | 'bugs'>): Ledger {
  const bugs = new Map(config.bugs.map((bug) => [addressesOfBug(bug, config.scenarios)[0], bug]));
  return (address) => {
    const bug = bugs.get(address);
    const fixed = bug === undefined ? undefined : outcomeOfBug(bug, bug.fixed, config);
    if (bug === undefined || fixed === undefined) return undefined;
    return { id: bug.id, fixed, ...(bug.reviewBy === undefined ? {} : { reviewBy: bug.reviewBy }) };
  };
}
