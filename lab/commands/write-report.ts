import { join } from 'node:path';
import { openCellFolder } from '../drivers/cell-folder.ts';
import { getText, isFolder, pathExists, writeTextAtomic } from '../drivers/files.ts';
import { readEvidence } from '../evidence/read-evidence.ts';
import { compareJudgements, isFlip } from '../judge/compare-results.ts';
import { ConfigError, formatError, HostError } from '../model/errors.ts';
import type { CellResult } from '../model/formats.ts';
import type { CellFacts, Flip, PageAssets, RunReport } from '../report/page/run-report.ts';
import { renderHtml } from '../report/render-html.ts';
import { renderJunit } from '../report/render-junit.ts';
import { tellFacts, type KeptFacts } from '../world/run/kept-facts.ts';
import type { Context } from './context.ts';
import { findEarlierCells, type SavedRun } from './find-run.ts';
import { getCellRecord } from './read-cell-record.ts';
import { findEffective } from './read-death.ts';

type ReportContext = Pick<Context, 'stateDir' | 'projectDir' | 'progress'>;

/**
 * Writes the HTML and the JUnit file of a run into its folder.
 *
 * @param kept what the run that has just judged these cells knows of them; the evidence of the others is read.
 */
export function writeReport(context: ReportContext, run: SavedRun, kept?: KeptFacts): void {
  writeTextAtomic(run.paths.junit, renderJunit(run.result));
  writeTextAtomic(run.paths.html, renderHtml(gatherReport(context, run, kept)));
}

/** Gathers what the page of a run is made of: its result, what the evidence tells, and the last run of the same cells. */
export function gatherReport(
  context: ReportContext,
  { paths, result }: SavedRun,
  kept?: KeptFacts,
): RunReport {
  const versions = result.cells.flatMap(({ address, evidence }) => {
    const found = evidence === '' ? undefined : findEffective(join(paths.dir, evidence));
    return found === undefined ? [] : [[address, found.versions] as const];
  });
  return {
    ...{ result, versions: new Map(versions), assets: readAssets(context) },
    flips: listFlips(context, result.cells, { paths, result }),
    factsOf: (cell) => kept?.find(cell.attribution) ?? readFacts(paths.dir, cell),
  };
}

function readAssets({ projectDir }: ReportContext): PageAssets {
  const read = (name: string): string => getText(join(projectDir, 'lab/report/page', name));
  return { style: read('report.css'), script: read('report.js') };
}

function listFlips(context: ReportContext, cells: readonly CellResult[], run: SavedRun): Flip[] {
  const judged = cells.filter(({ verdict }) => verdict !== 'skipped' && verdict !== 'interrupted');
  const earlier = findEarlierCells(
    context,
    run,
    judged.map(({ address }) => address),
  );
  return judged.flatMap((cell): Flip[] => {
    const found = earlier.get(cell.address);
    if (found === undefined) return [];
    const changes = compareJudgements(found.cell, cell).filter(isFlip);
    const { run: id, startedAt } = found.run.result;
    return changes.length === 0 ? [] : [{ address: cell.address, run: id, startedAt, changes }];
  });
}

/** Reads the evidence of a cell. What cannot be read is said on its page: the rest of the report is worth having. */
function readFacts(runDir: string, cell: CellResult): CellFacts {
  const folder = join(runDir, cell.evidence);
  if (cell.evidence === '' || !isFolder(folder)) return { story: undefined, excerpts: [] };
  try {
    const files = openCellFolder(folder);
    if (!pathExists(join(folder, 'cell.json'))) return tellFacts(files, cell.attribution, undefined);
    const record = getCellRecord(folder);
    return tellFacts(files, cell.attribution, { record, observations: readEvidence(files, record) });
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof HostError)) throw error;
    return { story: undefined, excerpts: [], problem: formatError(error) };
  }
}
