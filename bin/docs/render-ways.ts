import { UsageError } from '../../lab/model/errors/errors.ts';
import type { Config } from '../../lab/plan/config/parse-config.ts';
import { planCells } from '../../lab/plan/cells/plan-cells.ts';
import { stagesWay, type Staged, type WayToDie } from '../../lab/model/declared/ways-to-die.ts';
import { escapeMarkdown, inlineCode, markdownHead, markdownRow } from '../../lab/report/text/markdown.ts';
import type { ResultRow } from './result-row.ts';

/** A recorded cell: what it stages today, and whether that was named. */
interface RecordedStaging extends Staged {
  readonly isRight: boolean;
}

/** Nobody observed such a cell. */
const UNSEEN = ['skipped', 'inconclusive', 'interrupted'];

/**
 * Renders the known ways to die: who stages each, and how many of the recorded cells that do were named right: their latest
 * run passed, or failed for something else than the killer.
 */
export function renderWays(config: Config, ways: readonly WayToDie[], rows: readonly ResultRow[]): string {
  const staged = listRecorded(config, ways, rows);
  return [
    ...markdownHead(['#', 'way to die', 'staged by', 'named right'], [0]),
    ...ways.map((way) => {
      const { row, name, scenarios, whyNot = '' } = way;
      const own = staged.filter((cell) => stagesWay(way, cell));
      const right = own.filter(({ isRight }) => isRight).length;
      const named = own.length === 0 ? 'not run' : `${right} of ${own.length}`;
      const who = scenarios?.map(inlineCode).join(', ') ?? `nobody: ${escapeMarkdown(whyNot)}`;
      return markdownRow([String(row), escapeMarkdown(name), who, scenarios === undefined ? '-' : named]);
    }),
  ].join('\n');
}

/** A cell that the project does not have any more stages nothing. */
function listRecorded(
  config: Config,
  ways: readonly WayToDie[],
  rows: readonly ResultRow[],
): RecordedStaging[] {
  const scenarios = new Set(ways.flatMap((way) => way.scenarios ?? []));
  return rows.flatMap(({ address, verdict, killer }) => {
    const [, scenario = ''] = /\/([a-z0-9-]+)(?:\[.*)?$/.exec(address) ?? [];
    if (!scenarios.has(scenario) || UNSEEN.includes(verdict)) return [];
    const found = findCell(config, address);
    if (found === undefined) return [];
    const { variant, outcome } = found;
    const isRight = verdict === 'passed' || killer === outcome.killer;
    return [{ scenario, variant, killer: outcome.killer, how: outcome.how, isRight }];
  });
}

function findCell(
  config: Config,
  address: string,
): ReturnType<typeof planCells>['cells'][number] | undefined {
  try {
    return planCells(config, [address]).cells[0];
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}
