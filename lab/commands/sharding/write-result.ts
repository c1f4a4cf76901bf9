import { openAppended } from '../../drivers/files/appended-file.ts';
import { VERDICTS, type Verdict } from '../../model/killers/killers.ts';
import type { CellResult, RunResult } from '../../model/saved/formats.ts';
import type { RunHead } from '../running/record-run.ts';

/** A result that was written. */
export interface WrittenResult {
  readonly totals: RunResult['totals'];
  readonly cells: number;
}

/** Writes the result of a run, one cell at a time. */
interface ResultWriter {
  readonly add: (cell: CellResult) => void;
  /** Ends the file, and puts it in its place. */
  readonly end: () => WrittenResult;
}

/**
 * Creates a writer for the result of a run of any size: it writes a line for each cell, and keeps none in memory. The
 * file gets its name only when it is complete.
 */
export function createResultWriter(path: string, head: RunHead): ResultWriter {
  const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Record<Verdict, number>;
  const file = openAppended(path);
  const { parts, ...rest } = head;
  file.write(`${JSON.stringify(rest).slice(0, -1)},"parts":${JSON.stringify(parts ?? [])},\n"cells":[`);
  let cells = 0;
  return {
    add: (cell) => {
      file.write(`${cells === 0 ? '' : ','}\n${JSON.stringify(cell)}`);
      counts[cell.verdict] += 1;
      cells += 1;
    },
    end: () => {
      file.write(`\n],\n"totals":${JSON.stringify(counts)}}\n`);
      file.end();
      return { totals: counts, cells };
    },
  };
}
