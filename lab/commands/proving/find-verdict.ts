import { UsageError } from '../../model/errors/errors.ts';
import { statePaths } from '../../model/host/paths.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import type { ProvedVerdict } from '../../model/saved/prove.ts';
import { shellWord } from '../../model/text/shell.ts';
import type { Context } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { listRunIds } from '../saved/find-cells.ts';
import { findPlan } from '../saved/find-plan.ts';
import { addressOf, getCellOfRun, getRun, type SavedCell, type SavedRun } from '../saved/find-run.ts';
import { refuseRunFlag } from '../saved/refuse-run-flag.ts';
import { findRunId } from '../saved/run-id.ts';

/** What a word of `whodunit prove` names: a saved verdict, or a run that tests one. */
export type ProveTarget =
  | ({ readonly kind: 'verdict' } & SavedCell)
  | { readonly kind: 'experiment'; readonly run: string; readonly proves: ProvedVerdict };

/**
 * Finds the verdict that is to be tested, or the run that tests it.
 *
 * @throws UsageError when the word names nothing that was saved, or a verdict that names no killer.
 */
export function findVerdict(context: Context, word: string, flags: Pick<Flags, 'run'>): ProveTarget {
  const id = word.includes('/') || word === '' ? undefined : findRunId(listRunIds(context), word);
  if (id === undefined) {
    const address = addressOf(word);
    return getVerdict(getRun(context, flags.run, address), address);
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
  return getVerdict(run, only.address);
}

/** Returns the verdict that a run tests; undefined for any other run, and when its plan cannot be read. */
export function findProves({ stateDir }: Pick<Context, 'stateDir'>, id: string): ProvedVerdict | undefined {
  return findPlan(statePaths(stateDir).run(id))?.proves;
}

/** @throws UsageError when the run does not have the cell, or its verdict names no killer. */
function getVerdict(run: SavedRun, address: string): ProveTarget {
  const cell = getCellOfRun(run, address);
  refuseNameless(run.result.run, cell);
  return { kind: 'verdict', run, cell };
}

/** @throws UsageError when the result names no killer, so that there is no cause to take away. */
function refuseNameless(run: string, cell: CellResult): void {
  const why = explainNameless(cell);
  if (why === undefined) return;
  const { address } = cell;
  throw new UsageError(`${address} of run ${run} names no killer to take away: ${why}`, {
    tryNext: `npx whodunit why ${shellWord(address)} --run ${run}`,
  });
}

/** Returns why a result names no killer; undefined when it names one. */
export function explainNameless({ verdict, attribution }: CellResult): string | undefined {
  if (verdict === 'skipped' || verdict === 'interrupted') return `it was ${verdict}`;
  if (verdict === 'inconclusive') return 'its verdict is inconclusive';
  if (attribution.killer === 'none') return 'nobody killed it';
  return attribution.killer === 'unknown' ? 'its killer is unknown' : undefined;
}
