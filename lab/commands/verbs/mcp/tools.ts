import { join } from 'node:path';
import { z } from 'zod';
import { findLinesInside, listInside } from '../../../drivers/files/inside.ts';
import type { McpTool } from '../../../drivers/network/mcp-server.ts';
import { readHistories } from '../../../judge/compare/cell-history.ts';
import { UsageError } from '../../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../../model/files/format-version.ts';
import { killersSchema, scenariosSchema, whySchema, type WhyResult } from '../../../model/saved/answers.ts';
import { diffSchema, type CellDiff, type RunDiff } from '../../../model/saved/diff.ts';
import { runResultSchema, type CellResult } from '../../../model/saved/formats.ts';
import { historySchema, type History } from '../../../model/saved/history.ts';
import { compileGlob } from '../../../model/text/match-glob.ts';
import { explainCell, runcRow } from '../../../report/terminal/explain-cell.ts';
import { loadConfig } from '../../setup/config.ts';
import type { Context } from '../../context/context.ts';
import { diffOf } from '../diff.ts';
import { describeKillers } from '../killers.ts';
import { describeScenarios } from '../scenarios.ts';
import { findExperiments } from '../../proving/find-experiments.ts';
import { findRunIds } from '../../saved/find-cells.ts';
import { addressOf, getCellOfRun, getRun, type SavedRun } from '../../saved/find-run.ts';
import { judgeAgain } from '../../saved/judge-again.ts';
import { CELL, LINE, LISTED_CELL, LISTED_FILE, LISTED_RUN, OF_RUN, RUN, RUN_ID } from './shapes.ts';
import { readPastRuns } from '../../saved/run-index.ts';
import { readEffective } from '../../saved/spell-cell.ts';

/** The parts of a context that the tools use. */
type ToolContext = Pick<Context, 'stateDir' | 'progress' | 'projectDir'>;

const MAX_RUNS = 100;
const MAX_LINES = 200;
/** The most cells of a run in one answer. */
const MAX_CELLS = 200;
/** Levels of folders in the evidence of a cell that are listed. */
const EVIDENCE_LEVELS = 3;
/** The most bytes of one line of evidence. */
const MAX_LINE_BYTES = 4096;

/** Creates the tools of `whodunit mcp`. Each reads saved runs or the project, and limits the size of its answer. */
export function createMcpTools(context: ToolContext): McpTool[] {
  return [
    ...runTools(context),
    ...comparingTools(context),
    ...evidenceTools(context),
    tool({
      name: 'killers',
      title: 'List the killers',
      description:
        'Every killer that whodunit can name: who acts, its ways, what proves it, what to do about it.',
      input: {},
      output: killersSchema.shape,
      answer: () => describeKillers(),
    }),
    tool({
      name: 'scenarios',
      title: 'List the scenarios',
      description: 'Every way to die that whodunit can stage, with the killer that must be found.',
      input: {},
      output: scenariosSchema.shape,
      answer: () => describeScenarios(loadConfig(context).scenarios),
    }),
  ];
}

function runTools(context: ToolContext): McpTool[] {
  return [
    tool({
      name: 'list_runs',
      title: 'List saved runs',
      description: 'Saved runs, newest first: id, when it began, and how many cells have which verdict.',
      input: { limit: z.number().int().min(1).max(MAX_RUNS).default(20).describe('How many, at most.') },
      output: { runs: z.array(LISTED_RUN).describe('Newest first.') },
      answer: ({ limit }) => ({
        runs: readPastRuns(context)
          .sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1))
          .slice(0, limit)
          .map(({ run, startedAt, cells }) => ({ run, startedAt, verdicts: countVerdicts(cells) })),
      }),
    }),
    tool({
      name: 'run',
      title: 'Show a run',
      description: `Cells of a run: verdict, killer, how sure it is, and what did not hold. At most ${MAX_CELLS} cells.`,
      input: {
        run: RUN,
        from: z.number().int().min(1).default(1).describe('The first cell, counted from 1.'),
        count: z.number().int().min(1).max(MAX_CELLS).default(MAX_CELLS).describe('How many cells.'),
      },
      output: {
        ...runResultSchema.shape,
        cells: z.array(LISTED_CELL).describe('In the order of the run; `totals` says how many there are.'),
      },
      answer: ({ run, from, count }) => {
        const { result } = getRun(context, namedRunId(context, run));
        return { ...result, cells: result.cells.slice(from - 1, from - 1 + count).map(summarise) };
      },
    }),
    tool({
      name: 'why',
      title: 'Explain a cell',
      description:
        'Who killed the container of a cell: killer, confidence, the steps of its end and the proof with file and line, what every layer claimed, what was expected; and the same as text. `again` says whether judging the evidence again says the same.',
      input: { cell: CELL, run: OF_RUN },
      output: { ...whySchema.shape, text: z.string().describe('What `whodunit why` prints.') },
      answer: ({ cell: word, run }) => {
        const { saved, cell } = getCell(context, word, run);
        const result: WhyResult = {
          formatVersion: FORMAT_VERSION,
          run: saved.result.run,
          again: judgeAgain(saved.paths.dir, cell),
          cell,
        };
        const experiments = findExperiments(context, { run: saved.result.run, cell });
        if (experiments.length > 0) result.experiments = experiments;
        const runc = runcRow(cell.variant, readEffective(saved.paths.dir, cell)?.versions);
        return { ...result, text: `${explainCell(cell, cell.evidence, experiments)}${runc.join('')}` };
      },
    }),
  ];
}

function comparingTools(context: ToolContext): McpTool[] {
  return [
    tool({
      name: 'history',
      title: 'Show cells over time',
      description:
        'What saved runs said of cells over time: how often each fails with bounds (Wilson, 95 %), and the first bad run.',
      input: { cell: z.string().describe('Address of a cell, a scenario, or a glob over either.') },
      output: historySchema.shape,
      answer: ({ cell }) => {
        const matches = compileGlob(cell);
        const cells = readHistories(
          readPastRuns(context),
          ({ address, scenario }) => matches(address) || matches(scenario),
        );
        const result: History = { formatVersion: FORMAT_VERSION, cells };
        return result;
      },
    }),
    tool({
      name: 'diff',
      title: 'Compare two runs or cells',
      description:
        'run and otherRun: flips (another verdict or another killer), new and gone cells. With cell too: that cell in both runs. cell and otherCell: these two cells, of one run if run is given.',
      input: {
        run: OF_RUN,
        otherRun: OF_RUN.describe('The run to compare it with.'),
        cell: CELL.optional(),
        otherCell: CELL.optional().describe('The cell to compare it with.'),
      },
      output: { diff: diffSchema },
      answer: (input) => ({ diff: compare(context, input) }),
    }),
  ];
}

/** The words of a call of `diff`. */
interface Compared {
  readonly run?: string | undefined;
  readonly otherRun?: string | undefined;
  readonly cell?: string | undefined;
  readonly otherCell?: string | undefined;
}

function compare(context: ToolContext, { run, otherRun, cell, otherCell }: Compared): CellDiff | RunDiff {
  if (run !== undefined && otherRun !== undefined && otherCell === undefined) {
    const ids = [run, otherRun].map(
      (word) => namedRunId(context, word) ?? getRun(context, undefined).result.run,
    );
    return diffOf(context, [...ids, ...(cell === undefined ? [] : [cell])], {});
  }
  if (cell !== undefined && otherCell !== undefined && otherRun === undefined) {
    const id = namedRunId(context, run);
    return diffOf(context, [addressOf(cell), addressOf(otherCell)], id === undefined ? {} : { run: id });
  }
  throw new UsageError('diff takes run and otherRun, with a cell or without; or cell and otherCell');
}

function evidenceTools(context: ToolContext): McpTool[] {
  return [
    tool({
      name: 'evidence_files',
      title: 'List the evidence of a cell',
      description: 'The files that were saved of a cell, with their size in bytes.',
      input: { cell: CELL, run: OF_RUN },
      output: { run: RUN_ID, files: z.array(LISTED_FILE).describe('In order of path.') },
      answer: ({ cell: word, run }) => {
        const { saved, cell } = getCell(context, word, run);
        const listed =
          cell.evidence === '' ? [] : listInside(saved.paths.dir, cell.evidence, EVIDENCE_LEVELS).files;
        return { run: saved.result.run, files: [...listed] };
      },
    }),
    tool({
      name: 'evidence',
      title: 'Read evidence',
      description: `Lines of one file of a cell's evidence, as the proof names them. At most ${MAX_LINES} lines; longer lines are cut.`,
      input: {
        cell: CELL,
        run: OF_RUN,
        file: z.string().describe('Path inside the evidence, such as node-1/kmsg.log.'),
        from: z.number().int().min(1).default(1).describe('The first line, counted from 1.'),
        count: z.number().int().min(1).max(MAX_LINES).default(20).describe('How many lines.'),
      },
      output: {
        run: RUN_ID,
        file: z.string().describe('As it was given.'),
        lines: z.array(LINE).describe('In order.'),
      },
      answer: ({ cell: word, run, file, from, count }) => {
        const { saved, cell } = getCell(context, word, run);
        const window = { from, count, maxLineBytes: MAX_LINE_BYTES };
        const path = join(cell.evidence, file);
        const lines = cell.evidence === '' ? undefined : findLinesInside(saved.paths.dir, path, window);
        if (lines === undefined)
          throw new UsageError(`the evidence of ${cell.address} has no file "${file}"`, {
            tryNext: 'the tool evidence_files',
          });
        return { run: saved.result.run, file, lines };
      },
    }),
  ];
}

/** Ties the types of what a tool takes and answers to the schemas that they are checked with. */
function tool<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
  given: Omit<McpTool, 'input' | 'output' | 'answer'> & {
    readonly input: Input;
    readonly output: Output;
    readonly answer: (input: z.output<z.ZodObject<Input>>) => z.input<z.ZodObject<Output>>;
  },
): McpTool {
  const input = z.strictObject(given.input);
  return {
    ...given,
    input,
    output: z.strictObject(given.output),
    answer: (words) => given.answer(input.parse(words)),
  };
}

function getCell(
  context: ToolContext,
  word: string,
  run: string | undefined,
): { readonly saved: SavedRun; readonly cell: CellResult } {
  const address = addressOf(word);
  const saved = getRun(context, namedRunId(context, run), address);
  return { saved, cell: getCellOfRun(saved, address) };
}

/** Returns the id of the run that a word names; undefined, which means the newest run, without a word. */
function namedRunId(context: ToolContext, word: string | undefined): string | undefined {
  if (word === undefined || word === 'latest') return undefined;
  const [id = word, ...more] = findRunIds(context, word);
  if (more.length === 0) return id;
  throw new UsageError(`several runs begin with "${word}"`, { tryNext: `more of the id: ${id}, …` });
}

function countVerdicts(cells: readonly Pick<CellResult, 'verdict'>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { verdict } of cells) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}

function summarise({
  address,
  verdict,
  attribution,
  mismatches,
  note,
  evidence,
}: CellResult): z.input<typeof LISTED_CELL> {
  const { killer, level, confidence } = attribution;
  return { address, verdict, killer, level, confidence, mismatches, note, evidence };
}
