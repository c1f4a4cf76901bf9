import { planCells } from '../lab/plan/cells/plan-cells.ts';
import type { Config } from '../lab/plan/config/parse-config.ts';
import { renderBugTables } from './docs/render-bug-tables.ts';
import type { ResultRow } from './docs/result-row.ts';

/** Renders of each bug that has a `table` all cells of `whodunit run bug=<id>`, and what was recorded of each. */
export function renderTablesOfBugs(config: Config, rows: readonly ResultRow[]): string {
  const recorded = new Map(rows.map((row) => [row.address, row]));
  return renderBugTables(
    config.bugs
      .filter(({ table }) => table.length > 0)
      .map(({ id }) => {
        const { cells, skipped } = planCells(config, [`bug=${id}`]);
        return {
          id,
          cells: [
            ...cells.map(({ address }) => ({ address, row: recorded.get(address) })),
            ...skipped.map(({ address, reason }) => ({ address, row: undefined, refused: reason })),
          ],
        };
      }),
  );
}
