/**
 * How much of anything is taken, so that no input makes a verb work for minutes or fill the memory. What one person, or one
 * run, has is far below. docs/time-limits.md is made of this table.
 */

/** One limit. */
export interface CountLimit {
  readonly count: number;
  /** What is counted, after a number: `200,000 cells of a plan`. */
  readonly of: string;
  /** What happens beyond it. */
  readonly beyond: string;
}

/** Every limit, by what is counted. */
export const COUNT_LIMITS = {
  plannedCells: {
    count: 200_000,
    of: 'cells that words select',
    beyond: 'refused before a cell is made',
  },
  filledScenarios: {
    count: 5_000,
    of: 'choices of parameters that one word or one line selects',
    beyond: 'refused before a choice is filled in',
  },
  replayedCells: {
    count: 20_000,
    of: 'cells of a `replay.yaml`',
    beyond: 'refused before a cell is planned',
  },
  deaths: {
    count: 1_000,
    of: 'deaths that one cell waits for',
    beyond: 'refused before anything is started',
  },
  samplerRecords: {
    count: 100_000,
    of: 'records in one `samples.jsonl`',
    beyond: 'the rest is lost: what it could have said stays open',
  },
} as const satisfies Readonly<Record<string, CountLimit>>;

/** Spells a number for a reader: `200,000`. */
export function spellCount(count: number): string {
  return count.toLocaleString('en');
}
