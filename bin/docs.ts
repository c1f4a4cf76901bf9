/**
 * Writes what the code knows and what runs found into the docs: `npm run docs -- [run-id or run folder]...`.
 *
 * The JSON Schemas are made of the zod schemas, the blocks of bin/docs/doc-blocks.ts of tables in the code, and the
 * table of told stories and docs/measured/who-gets-killed.md by judging stories and captures. The cells of the given runs
 * are judged again and added to docs/measured/results.jsonl, from which docs/measured/results.md, results.html and the
 * confusion matrix of docs/measured/staged.md are made. When several runs have a cell, the latest counts. `npm run docs --
 * --results <run folder>…` does no more than that, `npm run docs -- --nightly <run folder>` writes only the result of
 * `npm test -- nightly`, and `npm run docs -- --bugs <run folder>…` writes what
 * runs found of the bugs (docs/measured/bugs.md). All cells of these runs together judge a bug. A bug whose cells are not
 * all in these runs keeps what earlier ones found.
 */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { ZodError } from 'zod';
import { createContext } from '../lab/commands/context/context.ts';
import { loadWholeConfig } from '../lab/commands/setup/config.ts';
import { readRunFolder } from '../lab/commands/saved/find-run.ts';
import { getCellRecord } from '../lab/commands/saved/read-cell-record.ts';
import { judgeFolder } from '../lab/world/cell/judge-folder.ts';
import { findEffective } from '../lab/commands/saved/read-death.ts';
import { spellSavedCell } from '../lab/commands/saved/spell-cell.ts';
import { getText, readLines, writeTextAtomic } from '../lab/drivers/files/files.ts';
import { judgeRepro } from '../lab/judge/compare/judge-repro.ts';
import { ConfigError, exitCodeOf, formatError, HostError, UsageError } from '../lab/model/errors/errors.ts';
import type { CellResult } from '../lab/model/saved/formats.ts';
import { eventSchema } from '../lab/model/saved/run-event.ts';
import { cellPaths, runPaths, statePaths } from '../lab/model/host/paths.ts';
import { addressesOfBug, selectorsOfBug } from '../lab/plan/bugs/bug-cells.ts';
import type { Config } from '../lab/plan/config/parse-config.ts';
import { parseWaysToDie } from './docs/parse-ways-to-die.ts';
import { DOC_BLOCKS } from './docs/doc-blocks.ts';
import { findBlock, replaceBlock } from './docs/marked-block.ts';
import { pickLatestCells, type RecordedRun } from '../lab/report/words/recorded-run.ts';
import { renderBugCatalogue, renderBugResults, type MeasuredBug } from './docs/render-bug-page.ts';
import { LONG_PAGES, renderContents } from './docs/render-contents.ts';
import { renderConfusion } from './docs/render-confusion.ts';
import { renderResults } from './docs/render-results.ts';
import { renderResultsIndex } from './docs/render-results-index.ts';
import { renderResultsPage } from './docs/render-results-page.ts';
import { renderWays } from './docs/render-ways.ts';
import {
  joinResultRows,
  parseResultRows,
  pickFound,
  toResultRow,
  type ResultRow,
} from './docs/result-row.ts';
import { renderSchemas } from '../lab/report/formats/render-schemas.ts';
import { renderUntraced } from '../test/fixtures/evidence/count-untraced.ts';
import { renderStories } from '../test/fixtures/told/count-stories.ts';
import { renderTablesOfBugs } from './bug-tables.ts';
import { formatBlock } from './format-block.ts';
import { renderWhoGetsKilled } from './who-gets-killed.ts';

/** A folder as given, else the run of that id in the state folder. */
function findRunFolder(word: string, stateDir: string): string {
  const candidates = [resolve(word), statePaths(stateDir).run(word).dir];
  const found = candidates.find((dir) => existsSync(runPaths(dir).result));
  if (found !== undefined) return found;
  throw new UsageError(`there is no finished run in "${word}"`, {
    lastSeen: `no result.json in ${candidates.join(' or ')}`,
    tryNext: 'name a run (.lab/runs/<id>) or its id',
  });
}

/**
 * Judges a cell again. A skipped cell has no evidence, and a repeated one was judged by all its attempts: these stay.
 */
function judgeAnew(cell: CellResult, folder: string): CellResult {
  if (cell.attempts !== undefined || !existsSync(cellPaths(folder).record)) return cell;
  const { note: before, ...rest } = cell;
  return { ...(before === undefined ? cell : rest), ...judgeFolder(folder, getCellRecord(folder)).now };
}

function readRun(dir: string): RecordedRun {
  const { paths, result: saved } = readRunFolder(dir);
  const judged = saved.cells.map((cell) => judgeAnew(cell, join(dir, cell.evidence)));
  const result = { ...saved, cells: judged.map((cell) => spellSavedCell(dir, cell)) };
  const events = readLines(paths.events).map((line) => eventSchema.parse(JSON.parse(line)));
  const effective = result.cells.flatMap(({ address, evidence }) => {
    const found = findEffective(join(dir, evidence));
    return found === undefined ? [] : [[address, found] as const];
  });
  return { result, events, effective: new Map(effective) };
}

/** How reading a saved file fails when this version does not save such files. */
const UNREADABLE = [HostError, ConfigError, ZodError, SyntaxError];

/** Reads the runs that can be read; any other is named, and makes the exit code 3. */
function readRuns(words: readonly string[], stateDir: string): RecordedRun[] {
  return words.flatMap((word) => {
    const dir = findRunFolder(word, stateDir);
    try {
      return [readRun(dir)];
    } catch (error) {
      if (!UNREADABLE.some((kind) => error instanceof kind)) throw error;
      process.stderr.write(`run ${word} is skipped: ${(error as Error).message}\n`);
      process.exitCode = 3;
      return [];
    }
  });
}

/** Writes a block of a page; the page stays as prettier would have it. */
async function writeBlock(page: string, name: string, text: string): Promise<void> {
  const options = { ...(await resolveConfig(page)), filepath: page };
  writeTextAtomic(page, await format(replaceBlock(getText(page), name, text), options));
  process.stdout.write(`${page}: ${name}\n`);
}

/** What the runs found of each bug: its cells, each from the latest run that has it. */
function collectBugs({ bugs, scenarios }: Config, runs: readonly RecordedRun[]): MeasuredBug[] {
  const recorded = new Map(pickLatestCells(runs).map((latest) => [latest.cell.address, latest]));
  return bugs.map((bug) => {
    const cells = addressesOfBug(bug, scenarios).map((address) => recorded.get(address));
    const [affected, fixed, ...controls] = cells.map((latest) => latest?.cell);
    const seen = controls.filter((control) => control !== undefined);
    const isWhole = affected !== undefined && fixed !== undefined && seen.length === controls.length;
    return { bug, cells, judged: isWhole ? judgeRepro(affected, fixed, seen, bug.compare) : undefined };
  });
}

/** Writes the sections of the bugs that these runs have; the others stay, but for those of bugs that are gone. */
async function writeBugResults(page: string, config: Config, runs: readonly RecordedRun[]): Promise<void> {
  const before = findBlock(getText(page), 'bug-results') ?? '';
  await writeBlock(page, 'bug-results', renderBugResults(collectBugs(config, runs), before));
}

/** Adds cells to those that were recorded before, and writes what is made of them all. */
async function writeResults(measured: string, config: Config, found: readonly ResultRow[]): Promise<void> {
  const file = join(measured, 'results.jsonl');
  const rows = joinResultRows([...parseResultRows(readLines(file)), ...found]);
  writeTextAtomic(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const page = join(measured, 'results.md');
  await writeBlock(page, 'results', await formatBlock(renderResultsIndex(rows), page));
  const ends = findBlock(getText(join(measured, 'who-gets-killed.md')), 'ends') ?? '';
  writeTextAtomic(join(measured, 'results.html'), renderResultsPage(rows, ends));
  const ways = parseWaysToDie(WAYS_FILE, getText(join(dirname(measured), 'ways-to-die.yaml')));
  await writeBlock(join(measured, 'staged.md'), 'confusion-matrix', renderConfusion(rows));
  await writeBlock(join(measured, 'staged.md'), 'ways-to-die', renderWays(config, ways, rows));
  const bugsPage = join(measured, 'bugs.md');
  await writeBlock(bugsPage, 'bug-tables', await formatBlock(renderTablesOfBugs(config, rows), bugsPage));
}

/** Lists what a long page has, when all else of it was written. */
async function writeContents(page: string): Promise<void> {
  await writeBlock(page, 'contents', await formatBlock(renderContents(getText(page)), page));
}

const WAYS_FILE = 'docs/ways-to-die.yaml';

/** What can be written without the rest. */
const PARTS = ['--results', '--nightly', '--bugs'];

async function main(words: readonly string[]): Promise<void> {
  const { stateDir, projectDir } = createContext(new AbortController().signal);
  const part = PARTS.find((name) => name === words[0]);
  const named = part === undefined ? words : words.slice(1);
  const runs = readRuns(named, stateDir);
  if (named.length > 0 && runs.length === 0) return;
  const docs = join(projectDir, 'docs');
  const measured = join(docs, 'measured');
  const found = pickFound(runs).map(toResultRow);
  if (part === '--nightly') {
    await writeBlock(join(measured, 'results.md'), 'nightly', renderResults(found));
    return;
  }
  const config = loadWholeConfig({ projectDir });
  if (part === '--results') {
    await writeResults(measured, config, found);
    return;
  }
  const bugsPage = join(measured, 'bugs.md');
  if (part === '--bugs') {
    await writeBugResults(bugsPage, config, runs);
    await writeContents(bugsPage);
    return;
  }
  const catalogue = config.bugs.map((bug) => ({ bug, selectors: selectorsOfBug(bug, config.scenarios) }));
  await writeBlock(bugsPage, 'bugs', await formatBlock(renderBugCatalogue(catalogue), bugsPage));
  await writeBugResults(bugsPage, config, []);
  for (const [name, text] of renderSchemas()) writeTextAtomic(join(docs, 'schemas', name), text);
  for (const { page, name, render } of DOC_BLOCKS)
    await writeBlock(join(docs, page), name, await formatBlock(render(), join(docs, page)));
  await writeBlock(join(docs, 'verdicts.md'), 'told-stories', await renderStories());
  await writeBlock(join(measured, 'staged.md'), 'without-witness', renderUntraced());
  const ways = parseWaysToDie(WAYS_FILE, getText(join(docs, 'ways-to-die.yaml')));
  const killedPage = join(measured, 'who-gets-killed.md');
  for (const [name, text] of Object.entries(renderWhoGetsKilled(config, ways)))
    await writeBlock(killedPage, name, await formatBlock(text, killedPage));
  await writeResults(measured, config, found);
  for (const name of LONG_PAGES) await writeContents(join(measured, name));
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${formatError(error)}\n`);
  process.exitCode = exitCodeOf(error);
}
