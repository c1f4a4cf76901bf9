import type { RunEvent } from '../../model/saved/run-event.ts';
import { formatDuration } from '../../model/text/format-duration.ts';
import { VERDICT_MARKS } from '../words/describe-verdict.ts';

/** Width of the longest name of an event. */
const EVENT_WIDTH = 15;

/**
 * Renders events one by one as they happen: time of day (UTC), time since the run began, how many cells have a verdict, and
 * what happened.
 */
export function createEventRenderer(): (event: RunEvent) => string {
  let startedAt: number | undefined;
  let cells: number | undefined;
  const judged = new Set<string>();
  return (event) => {
    const at = Date.parse(event.at);
    startedAt ??= at;
    cells ??= event.cells;
    if (event.event === 'cell-judged' && event.address !== undefined) judged.add(event.address);
    const counter = cells === undefined ? String(judged.size) : `${judged.size}/${cells}`;
    const lane = event.lane === undefined ? undefined : `lane ${event.lane}`;
    const what = [event.world ?? event.address, lane, verdictOf(event), event.detail].filter(
      (part) => part !== undefined,
    );
    const columns = [
      event.at.slice(11, 19),
      `+${formatDuration(at - startedAt)}`.padStart(8),
      counter.padStart(cells === undefined ? 3 : 2 * String(cells).length + 1),
      event.event.padEnd(EVENT_WIDTH),
      what.join('  ').replaceAll(/\s+/g, ' '),
    ];
    return columns.join('  ').trimEnd();
  };
}

function verdictOf({ verdict }: RunEvent): string | undefined {
  return verdict === undefined ? undefined : `${VERDICT_MARKS[verdict]} ${verdict}`;
}
