import { openCellFolder } from '../../drivers/files/cell-folder.ts';
import { pathExists, writeTextAtomic } from '../../drivers/files/files.ts';
import { findFolderInside, findJsonInside } from '../../drivers/files/inside.ts';
import { readHistories } from '../../judge/compare/cell-history.ts';
import { compareJudgements, isFlip } from '../../judge/compare/compare-judgements.ts';
import { ConfigError, formatError, HostError } from '../../model/errors/errors.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import { proveSchema } from '../../model/saved/prove.ts';
import { cellPaths } from '../../model/host/paths.ts';
import type { CellFacts, Doubt, Flip, RunReport } from '../../report/page/run-report.ts';
import { renderHtml, type RenderedReport } from '../../report/page/render-html.ts';
import { renderJunit } from '../../report/formats/render-junit.ts';
import { judgeFolder, type JudgedFolder } from '../../world/cell/judge-folder.ts';
import { tellFacts, type KeptFacts } from '../../world/run/kept-facts.ts';
import type { Context } from '../context/context.ts';
import { readOwnVersion } from '../context/own-version.ts';
import { openFactsIndex, type FactsIndex } from '../saved/facts-index.ts';
import { findEarlierCells, type SavedRun } from '../saved/find-run.ts';
import { judgeAgain } from '../saved/judge-again.ts';
import { readPastRuns } from '../saved/run-index.ts';
import { getCellRecord } from '../saved/read-cell-record.ts';
import { findEffective } from '../saved/read-death.ts';
import { readEffective, spellSavedCell } from '../saved/spell-cell.ts';
import { readPageAssets } from './page-assets.ts';

type ReportContext = Pick<Context, 'stateDir' | 'projectDir' | 'progress' | 'clock'>;

/**
 * Writes the HTML and the JUnit file of a run into its folder.
 *
 * @param kept the facts that a run has kept of the cells that it has just judged. The evidence of all others is read.
 * @returns the cells whose result does not follow from their evidence, with the warning on the page.
 */
export function writeReport(context: ReportContext, run: SavedRun, kept?: KeptFacts): readonly Doubt[] {
  writeTextAtomic(run.paths.junit, renderJunit(run.result));
  const page = renderReport(context, run, kept);
  writeTextAtomic(run.paths.html, page.text);
  return page.doubts;
}

/** Renders the page of a run, and keeps the facts in its evidence for the next time. */
export function renderReport(context: ReportContext, run: SavedRun, kept?: KeptFacts): RenderedReport {
  const index = openFactsIndex(run.paths.dir, context.clock.now());
  const page = renderHtml(gatherReport(context, run, { kept, index }));
  index.save();
  return page;
}

/** Where the facts of a cell may be known already. Otherwise its evidence is read. */
interface KnownFacts {
  readonly kept?: KeptFacts | undefined;
  readonly index?: FactsIndex;
}

/** Gathers everything for the page of a run: its result, the facts in the evidence, and the last run of the same cells. */
export function gatherReport(
  context: ReportContext,
  { paths, result }: SavedRun,
  { kept, index }: KnownFacts = {},
): RunReport {
  const read = (cell: CellResult): CellFacts => readFacts(paths.dir, cell);
  const versions = result.cells.flatMap((cell) => {
    // The page of the cell says what cannot be read.
    const found = readEffective(paths.dir, cell)?.versions;
    return found === undefined ? [] : [[cell.address, found] as const];
  });
  return {
    result,
    versions: new Map(versions),
    histories: findHistories(context, { paths, result }),
    version: readOwnVersion(),
    assets: readPageAssets(context),
    proved: findProved(paths),
    flips: listFlips(context, result.cells, { paths, result }),
    factsOf: (cell) => kept?.find(cell.attribution) ?? index?.factsOf(cell, () => read(cell)) ?? read(cell),
  };
}

/** Returns the result of a run of `whodunit prove`; undefined for any other run, and when it cannot be read. */
function findProved({ dir, proved }: SavedRun['paths']): RunReport['proved'] {
  return proveSchema.safeParse(findJsonInside(dir, proved)).data;
}

/** Finds the results of this run's cells in this run and in earlier ones. */
function findHistories(
  context: ReportContext,
  { paths, result: { run, startedAt, cells } }: SavedRun,
): RunReport['histories'] {
  const today = cells.map((cell) => [cell.address, spellSavedCell(paths.dir, cell).address] as const);
  const wanted = new Set(today.map(([, address]) => address));
  // listFlips names the runs that cannot be read.
  const past = readPastRuns(context, () => undefined).filter(
    (saved) => saved.run === run || saved.startedAt < startedAt,
  );
  const found = readHistories(past, ({ address }) => wanted.has(address));
  const byAddress = new Map(found.map((history) => [history.address, history]));
  return new Map(
    today.flatMap(([saved, address]) => {
      const history = byAddress.get(address);
      return history === undefined ? [] : [[saved, history] as const];
    }),
  );
}

function listFlips(context: ReportContext, cells: readonly CellResult[], run: SavedRun): Flip[] {
  const judged = cells
    .filter(({ verdict }) => verdict !== 'skipped' && verdict !== 'interrupted')
    .map((cell) => ({ cell, today: spellSavedCell(run.paths.dir, cell).address }));
  const earlier = findEarlierCells(
    context,
    run,
    judged.map(({ today }) => today),
  );
  return judged.flatMap(({ cell, today }): Flip[] => {
    const found = earlier.get(today);
    if (found === undefined) return [];
    const changes = compareJudgements(found.cell, cell).filter(isFlip);
    const { run: id, startedAt } = found.run.result;
    return changes.length === 0 ? [] : [{ address: cell.address, run: id, startedAt, changes }];
  });
}

/** Reads the facts in the evidence of a cell. What cannot be read is a problem on its page, and does not stop the report. */
function readFacts(runDir: string, cell: CellResult): CellFacts {
  const judge = createFolderJudge();
  const again = judgeAgain(runDir, cell, judge);
  const facts = { story: undefined, excerpts: [], ...(again === undefined ? {} : { again }) };
  try {
    const folder = cell.evidence === '' ? undefined : findFolderInside(runDir, cell.evidence);
    if (folder === undefined) return facts;
    const files = openCellFolder(folder);
    const hasRecord = pathExists(cellPaths(folder).record);
    findEffective(folder);
    return { ...facts, ...tellFacts(files, cell.attribution, hasRecord ? judge(folder) : undefined) };
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof HostError)) throw error;
    return { ...facts, problem: formatError(error) };
  }
}

/** Creates a function that judges the folder of a cell. It keeps the last one, which is judged and then explained. */
function createFolderJudge(): (folder: string) => JudgedFolder {
  let last: { readonly folder: string; readonly judged: JudgedFolder } | undefined;
  return (folder) => {
    if (last?.folder !== folder) last = { folder, judged: judgeFolder(folder, getCellRecord(folder)) };
    return last.judged;
  };
}
