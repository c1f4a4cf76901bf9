import { findJsonInside } from '../../drivers/files/inside.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { statePaths } from '../../model/host/paths.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import type { ProvedVerdict } from '../../model/saved/prove.ts';
import { savedPlanSchema } from '../../model/saved/replay.ts';
import { shellWord } from '../../model/text/shell.ts';
import type { Context } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { listRunIds } from '../saved/find-cells.ts';
import { getRun, type SavedCell, type SavedRun } from '../saved/find-run.ts';
import { refuseRunFlag } from '../saved/refuse-run-flag.ts';
import { findRunId } from '../saved/run-id.ts';

/** What a word names: a verdict, or a run that puts one to the test. */
export type Named =
  | ({ readonly kind: 'verdict' } & SavedCell)
  | { readonly kind: 'experiment'; readonly run: string; readonly proves: ProvedVerdict };

/**
 * Finds what is to be proved.
 *
 * @throws UsageError when the word names nothing that was saved, or a verdict that names no killer.
 */
export function findVerdict(context: Context, word: string, flags: Pick<Flags, 'run'>): Named {
  const id = word.includes('/') || word === '' ? undefined : findRunId(listRunIds(context), word);
  if (id === undefined) {
    const address = word.includes('/') ? word : `default/${word}`;
    return getNamed(getRun(context, flags.run, address), address);
  }
  refuseRunFlag(word, flags);
  const proves = findProves(context, id);
  if (proves !== undefined) return { kind: 'experiment', run: id, proves };
  const run = getRun(context, id);
  const [only, ...others] = run.result.cells;
  if (only === undefined || others.length > 0)
    throw new UsageError(`run ${id} has ${run.result.cells.length} cells: name one of them`, {
      tryNext: `npx whodunit prove ${shellWord(only?.address ?? '<address>')} --run ${id}`,
    });
  return getNamed(run, only.address);
}

/** The verdict that a run puts to the test; undefined for any other run, and where its plan cannot be read. */
export function findProves({ stateDir }: Pick<Context, 'stateDir'>, id: string): ProvedVerdict | undefined {
  const { runs, run } = statePaths(stateDir);
  return savedPlanSchema.safeParse(findJsonInside(runs, run(id).plan)).data?.proves;
}

function getNamed(run: SavedRun, address: string): Named {
  const cell = run.result.cells.find((known) => known.address === address);
  if (cell === undefined) throw new UsageError(`run ${run.result.run} has no cell "${address}"`);
  refuseNameless(run.result.run, cell);
  return { kind: 'verdict', run, cell };
}

/** @throws UsageError when nobody is named: there is nothing to take away. */
function refuseNameless(run: string, cell: CellResult): void {
  const why = explainNameless(cell);
  if (why === undefined) return;
  const { address } = cell;
  throw new UsageError(`${address} of run ${run} names no killer to take away: ${why}`, {
    tryNext: `npx whodunit why ${shellWord(address)} --run ${run}`,
  });
}

/** Why a result names nobody; undefined where it does. */
export function explainNameless({ verdict, attribution }: CellResult): string | undefined {
  if (verdict === 'skipped' || verdict === 'interrupted') return `it was ${verdict}`;
  if (verdict === 'inconclusive') return 'its verdict is inconclusive';
  if (attribution.killer === 'none') return 'nobody killed it';
  return attribution.killer === 'unknown' ? 'its killer is unknown' : undefined;
}
