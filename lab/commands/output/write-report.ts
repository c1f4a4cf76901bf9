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
 * @param kept what the run that has just judged these cells knows of them; the evidence of the others is read.
 * @returns what the page says of each cell whose result does not follow from its evidence.
 */
export function writeReport(context: ReportContext, run: SavedRun, kept?: KeptFacts): readonly Doubt[] {
  writeTextAtomic(run.paths.junit, renderJunit(run.result));
  const page = renderReport(context, run, kept);
  writeTextAtomic(run.paths.html, page.text);
  return page.doubts;
}

/** Renders the page of a run, and keeps what its evidence told for the next time. */
export function renderReport(context: ReportContext, run: SavedRun, kept?: KeptFacts): RenderedReport {
  const index = openFactsIndex(run.paths.dir, context.clock.now());
  const page = renderHtml(gatherReport(context, run, { kept, index }));
  index.save();
  return page;
}

/** Where the facts of a cell may be known already. Otherwise its evidence is read. */
interface Known {
  readonly kept?: KeptFacts | undefined;
  readonly index?: FactsIndex;
}

/** Gathers what the page of a run is made of: its result, what the evidence tells, and the last run of the same cells. */
export function gatherReport(
  context: ReportContext,
  { paths, result }: SavedRun,
  { kept, index }: Known = {},
): RunReport {
  const read = (cell: CellResult): CellFacts => readFacts(paths.dir, cell);
  const versions = result.cells.flatMap((cell) => {
    // What cannot be read is said on the page of the cell.
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

/** What a run of `whodunit prove` said; undefined of any other run, and where it cannot be read. */
function findProved({ dir, proved }: SavedRun['paths']): RunReport['proved'] {
  return proveSchema.safeParse(findJsonInside(dir, proved)).data;
}

/** What this run and those before it said of its cells. */
function findHistories(
  context: ReportContext,
  { paths, result: { run, startedAt, cells } }: SavedRun,
): RunReport['histories'] {
  const today = cells.map((cell) => [cell.address, spellSavedCell(paths.dir, cell).address] as const);
  const wanted = new Set(today.map(([, address]) => address));
  // Whoever looks for the last run of a cell has named those that cannot be read.
  const past = readPastRuns(context, () => undefined).filter(
    (one) => one.run === run || one.startedAt < startedAt,
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

/** Reads the evidence of a cell. What cannot be read is said on its page: the rest of the report is worth having. */
function readFacts(runDir: string, cell: CellResult): CellFacts {
  const judge = rememberFolders();
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

/** Judges folders of cells; the last one is kept, because it is judged and then explained. */
function rememberFolders(): (folder: string) => JudgedFolder {
  let last: { readonly folder: string; readonly judged: JudgedFolder } | undefined;
  return (folder) => {
    if (last?.folder !== folder) last = { folder, judged: judgeFolder(folder, getCellRecord(folder)) };
    return last.judged;
  };
}
