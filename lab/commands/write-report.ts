import { join } from 'node:path';
import { openCellFolder } from '../drivers/cell-folder.ts';
import { getText, isFolder, pathExists, writeTextAtomic } from '../drivers/files.ts';
import { readEvidence } from '../evidence/read-evidence.ts';
import { readExcerpts } from '../evidence/excerpts.ts';
import { compareJudgements } from '../judge/compare-results.ts';
import { tellStory } from '../judge/tell-story.ts';
import { ConfigError, formatError, HostError } from '../model/errors.ts';
import type { CellResult } from '../model/formats.ts';
import { listProof } from '../report/proof-lines.ts';
import type { CellFacts, Flip, PageAssets, RunReport } from '../report/page/run-report.ts';
import { renderHtml } from '../report/render-html.ts';
import { renderJunit } from '../report/render-junit.ts';
import type { Context } from './context.ts';
import { findEarlierCells, type SavedRun } from './find-run.ts';
import { getCellRecord } from './read-cell-record.ts';
import { findEffective } from './read-death.ts';

type ReportContext = Pick<Context, 'stateDir' | 'projectDir' | 'progress'>;

/** Fields of a judgement that make a flip. */
const FLIPS = ['verdict', 'killer'];

/** Writes the HTML and the JUnit file of a run into its folder. */
export function writeReport(context: ReportContext, run: SavedRun): void {
  writeTextAtomic(run.paths.junit, renderJunit(run.result));
  writeTextAtomic(run.paths.html, renderHtml(gatherReport(context, run)));
}

/** Gathers what the page of a run is made of: its result, what the evidence tells, and the last run of the same cells. */
export function gatherReport(context: ReportContext, { paths, result }: SavedRun): RunReport {
  const versions = result.cells.flatMap(({ address, evidence }) => {
    const found = evidence === '' ? undefined : findEffective(join(paths.dir, evidence));
    return found === undefined ? [] : [[address, found.versions] as const];
  });
  return {
    ...{ result, versions: new Map(versions), assets: readAssets(context) },
    flips: listFlips(context, result.cells, { paths, result }),
    factsOf: (cell) => readFacts(paths.dir, cell),
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
    const changes = compareJudgements(found.cell, cell).filter(({ field }) => FLIPS.includes(field));
    const { run: id, startedAt } = found.run.result;
    return changes.length === 0 ? [] : [{ address: cell.address, run: id, startedAt, changes }];
  });
}

/** Reads the evidence of a cell. What cannot be read is said on its page: the rest of the report is worth having. */
function readFacts(runDir: string, cell: CellResult): CellFacts {
  const folder = join(runDir, cell.evidence);
  if (cell.evidence === '' || !isFolder(folder)) return { story: undefined, excerpts: [] };
  const { attribution } = cell;
  const refs = [
    ...listProof(attribution),
    ...(attribution.findings ?? []).flatMap(({ because }) => because.slice(0, 1)),
  ];
  try {
    const files = openCellFolder(folder);
    const excerpts = readExcerpts(files, refs);
    if (!pathExists(join(folder, 'cell.json'))) return { story: undefined, excerpts };
    const record = getCellRecord(folder);
    return { story: tellStory(record, readEvidence(files, record)), excerpts };
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof HostError)) throw error;
    return { story: undefined, excerpts: [], problem: formatError(error) };
  }
}
