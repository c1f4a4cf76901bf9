import { join } from 'node:path';
import { findJsonInside } from '../../drivers/files/inside.ts';
import type { Trial } from '../../gate/compare/gather-trials.ts';
import { cellPaths } from '../../model/host/paths.ts';
import { cellSchema, type CellResult } from '../../model/saved/formats.ts';
import { effectiveSchema } from '../../model/saved/effective.ts';
import { originSchema } from '../../model/saved/origin.ts';
import type { SavedRun } from '../saved/find-run.ts';

/** Reads every trial of a saved run. A repeated cell has one for each of its runs. */
export function readTrials({ paths, result }: SavedRun): Trial[] {
  return result.cells.flatMap((cell) =>
    listAttempts(paths.dir, cell).map((attempt): Trial => {
      const read = (name: string): unknown =>
        cell.evidence === '' ? undefined : findJsonInside(paths.dir, join(attempt.evidence, name));
      const files = cellPaths('');
      const origin = originSchema.safeParse(read(files.origin)).data;
      return {
        run: result.run,
        cell: attempt,
        accelerator: result.accelerator,
        digest: origin?.scenario.digest,
        versions: effectiveSchema.safeParse(read(files.effective)).data?.versions,
        components: origin?.components,
      };
    }),
  );
}

/** Returns each run of a repeated cell, as it was saved in its own folder; for a cell that ran once, the cell itself. */
function listAttempts(runDir: string, cell: CellResult): CellResult[] {
  if (cell.attempts === undefined) return [cell];
  return cell.attempts.map(({ verdict, evidence, note, killer }) => {
    const saved =
      evidence === '' ? undefined : findJsonInside(runDir, cellPaths(join(runDir, evidence)).result);
    const read = cellSchema.safeParse(saved);
    if (read.success) return { ...read.data, address: cell.address, evidence };
    // The verdict is known, but the end of the container is not. Such a death does not count.
    const unread: CellResult = {
      ...cell,
      verdict: verdict === 'interrupted' || verdict === 'skipped' ? verdict : 'inconclusive',
      attribution: { killer, victim: '', confidence: 'none', because: [] },
      claims: [],
      evidence,
      note: note ?? 'its result was not saved',
    };
    return unread;
  });
}
