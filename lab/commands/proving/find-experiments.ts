import { findJsonInside } from '../../drivers/files/inside.ts';
import { isUnreadable } from '../../model/errors/errors.ts';
import { statePaths } from '../../model/host/paths.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import { proveSchema, type ProveResult, type TestedVerdict } from '../../model/saved/prove.ts';
import type { Context } from '../context/context.ts';
import { listRunIds } from '../saved/find-cells.ts';
import { findProves } from './find-verdict.ts';

/** A verdict: a cell, and the run that has it. */
interface VerdictOfRun {
  readonly run: string;
  readonly cell: Pick<CellResult, 'address' | 'attribution'>;
}

/** A concluded experiment. */
interface Concluded {
  readonly run: string;
  /** Its earlier rounds. */
  readonly earlier: readonly string[];
  readonly result: ProveResult;
}

/**
 * Finds the experiments that tested a verdict, oldest first: those that name its run, its cell and its killer, and those in
 * which the cell is the death as it was. An experiment of several rounds is found by its last one.
 */
export function findExperiments(context: Pick<Context, 'stateDir'>, verdict: VerdictOfRun): TestedVerdict[] {
  const found = listRunIds(context).flatMap((id) => readConcluded(context, id, verdict));
  const superseded = new Set(found.flatMap(({ earlier }) => earlier));
  return found
    .filter(({ run }) => !superseded.has(run))
    .map(({ run, result: { conclusion, runs } }) => ({ run, conclusion, runs }));
}

/** Reads the saved conclusion of a run if it is of this verdict. A run that cannot be read tells nothing. */
function readConcluded(
  context: Pick<Context, 'stateDir'>,
  id: string,
  verdict: VerdictOfRun,
): readonly Concluded[] {
  const { dir, proved } = statePaths(context.stateDir).run(id);
  try {
    const result = proveSchema.safeParse(findJsonInside(dir, proved)).data;
    if (result === undefined || !isNamed(result, verdict)) return [];
    const concluded = { run: id, earlier: findProves(context, id)?.earlier ?? [], result };
    return isTested(concluded, verdict) ? [concluded] : [];
  } catch (error) {
    if (isUnreadable(error)) return [];
    throw error;
  }
}

/** Whether the cause that was tested is the one that the verdict names. */
function isNamed({ named }: ProveResult, { cell: { attribution } }: VerdictOfRun): boolean {
  return named.killer === attribution.killer && (named.how === undefined || named.how === attribution.how);
}

function isTested({ run, earlier, result }: Concluded, verdict: VerdictOfRun): boolean {
  const { of, arms } = result;
  const { address } = verdict.cell;
  if (of.run === verdict.run && of.address === address) return true;
  const isRound = [run, ...earlier].includes(verdict.run);
  return isRound && arms.some((arm) => arm.kind === 'as-it-was' && arm.address === address);
}
