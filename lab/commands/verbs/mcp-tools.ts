import { join } from 'node:path';
import { z } from 'zod';
import { findLinesInside, listInside } from '../../drivers/files/inside.ts';
import type { McpTool } from '../../drivers/network/mcp-server.ts';
import { readHistories } from '../../judge/compare/cell-history.ts';
import { UsageError } from '../../model/errors/errors.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import { KILLER_TABLE } from '../../model/killers/killer-table.ts';
import { compileGlob } from '../../model/text/match-glob.ts';
import { explainCell } from '../../report/terminal/explain-cell.ts';
import { loadConfig } from '../setup/config.ts';
import type { Context } from '../context/context.ts';
import { addressOf, diffOf } from './diff.ts';
import { findRunIds } from '../saved/find-cells.ts';
import { getRun, type SavedRun } from '../saved/find-run.ts';
import { judgeAgain } from '../saved/judge-again.ts';
import { readPastRuns } from '../saved/run-index.ts';

/** What the tools need of a context. */
type ToolContext = Pick<Context, 'stateDir' | 'progress' | 'projectDir'>;

const MAX_RUNS = 100;
const MAX_LINES = 200;
/** Levels of folders in the evidence of a cell that are listed. */
const EVIDENCE_LEVELS = 3;
/** What is kept of one line of evidence, in bytes. */
const MAX_LINE_BYTES = 4096;

const RUN = z.string().optional().describe('A run: its id, the beginning of it, or latest (the default).');
const OF_RUN = z
  .string()
  .optional()
  .describe('A run: its id, the beginning of it, or latest. Default: the newest that has the cell.');
const ADDRESS = z
  .string()
  .describe(
    'Address of a cell, such as default/oom-single-container; a scenario alone means the default variant.',
  );

/** The tools of `whodunit mcp`. Each reads saved runs or the project, and bounds what it answers. */
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
      answer: () =>
        Object.entries(KILLER_TABLE).map(([killer, { family, hows, proof, advice }]) => ({
          killer,
          family,
          hows: Object.keys(hows),
          proof,
          advice,
        })),
    }),
    tool({
      name: 'scenarios',
      title: 'List the scenarios',
      description: 'Every way to die that whodunit can stage, with the killer that must be found.',
      input: {},
      answer: () =>
        loadConfig(context).scenarios.map(({ scenario: { name, title, tags, expect } }) => ({
          name,
          title,
          tags,
          expect,
        })),
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
      answer: ({ limit }) =>
        readPastRuns(context)
          .sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1))
          .slice(0, limit)
          .map(({ run, startedAt, cells }) => ({ run, startedAt, verdicts: countVerdicts(cells) })),
    }),
    tool({
      name: 'run',
      title: 'Show a run',
      description: 'Every cell of a run: verdict, killer, how sure it is, and what did not hold.',
      input: { run: RUN },
      answer: ({ run }) => {
        const { result } = getRun(context, namedRunId(context, run));
        return { ...result, cells: result.cells.map(summarise) };
      },
    }),
    tool({
      name: 'why',
      title: 'Explain a cell',
      description:
        'Who killed the container of a cell: killer, confidence, the steps of its end and the proof with file and line, what every layer claimed, what was expected; and the same as text. `again` says whether judging the evidence again says the same.',
      input: { address: ADDRESS, run: OF_RUN },
      answer: ({ address, run }) => {
        const { saved, cell } = getCell(context, address, run);
        return {
          run: saved.result.run,
          again: judgeAgain(saved.paths.dir, cell),
          cell,
          text: explainCell(cell),
        };
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
      input: { cell: z.string().describe('An address, a scenario, or a glob over either.') },
      answer: ({ cell }) => {
        const matches = compileGlob(cell);
        return readHistories(
          readPastRuns(context),
          ({ address, scenario }) => matches(address) || matches(scenario),
        );
      },
    }),
    tool({
      name: 'diff',
      title: 'Compare two runs or cells',
      description:
        'Two runs: flips (another verdict or another killer), new and gone cells. Two runs and an address: that cell in both. Two addresses: both cells.',
      input: {
        one: z.string().describe('A run, or the address of a cell.'),
        other: z.string().describe('The other.'),
        address: z.string().optional().describe('Of two runs: compare this cell.'),
      },
      answer: ({ one, other, address }) =>
        diffOf(context, [one, other, ...(address === undefined ? [] : [address])], {}),
    }),
  ];
}

function evidenceTools(context: ToolContext): McpTool[] {
  return [
    tool({
      name: 'evidence_files',
      title: 'List the evidence of a cell',
      description: 'The files that were saved of a cell, with their size in bytes.',
      input: { address: ADDRESS, run: OF_RUN },
      answer: ({ address, run }) => {
        const { saved, cell } = getCell(context, address, run);
        if (cell.evidence === '') return [];
        return listInside(saved.paths.dir, cell.evidence, EVIDENCE_LEVELS).files;
      },
    }),
    tool({
      name: 'evidence',
      title: 'Read evidence',
      description: `Lines of one file of a cell's evidence, as the proof names them. At most ${MAX_LINES} lines; longer lines are cut.`,
      input: {
        address: ADDRESS,
        run: OF_RUN,
        file: z.string().describe('Path inside the evidence, such as node-1/kmsg.log.'),
        from: z.number().int().min(1).default(1).describe('The first line, counted from 1.'),
        count: z.number().int().min(1).max(MAX_LINES).default(20).describe('How many lines.'),
      },
      answer: ({ address, run, file, from, count }) => {
        const { saved, cell } = getCell(context, address, run);
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

/** Ties the type of an answer's input to the schema that it is checked with. */
function tool<Shape extends z.ZodRawShape>(
  given: Omit<McpTool, 'input' | 'answer'> & {
    readonly input: Shape;
    readonly answer: (input: z.output<z.ZodObject<Shape>>) => unknown;
  },
): McpTool {
  const schema = z.object(given.input);
  return { ...given, answer: (input) => given.answer(schema.parse(input)) };
}

function getCell(
  context: ToolContext,
  word: string,
  run: string | undefined,
): { readonly saved: SavedRun; readonly cell: CellResult } {
  const address = addressOf(word);
  const saved = getRun(context, namedRunId(context, run), address);
  const cell = saved.result.cells.find((known) => known.address === address);
  if (cell === undefined) throw new UsageError(`no cell is called "${address}"`);
  return { saved, cell };
}

/** The id that a word means; undefined, for the newest run, when there is no word. */
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

function summarise({ address, verdict, attribution, mismatches, note, evidence }: CellResult): object {
  const { killer, level, confidence } = attribution;
  return { address, verdict, killer, level, confidence, mismatches, note, evidence };
}
