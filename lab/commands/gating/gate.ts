import { join, resolve } from 'node:path';
import {
  ensureFolder,
  getText,
  isFolder,
  pathExists,
  writeJsonAtomic,
  writeTextAtomic,
} from '../../drivers/files/files.ts';
import { refuseUnwritableFile, refuseUnwritableFolder } from '../../drivers/files/refuse-unwritable.ts';
import {
  compareGate,
  gateHead,
  listClashes,
  statusOfGate,
  type GateSides,
} from '../../gate/compare/compare-gate.ts';
import { listForeign } from '../../gate/compare/list-foreign.ts';
import { gatherTrials } from '../../gate/compare/gather-trials.ts';
import { keyOfCell, type NamedCell } from '../../gate/compare/key-of-cell.ts';
import { listOtherPlaces } from '../../gate/compare/places-of-runc.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { digestScenario } from '../../plan/parameters/digest-scenario.ts';
import { proveAccelerator } from '../../world/host/accelerator.ts';
import { tryAll } from '../../model/errors/usage-problems.ts';
import { type Baseline, type GatedCell, type GateResult } from '../../model/saved/gate.ts';
import { GATED_PROGRAMS, type GatedProgram } from '../../model/variants/gated-programs.ts';
import { listTwice } from '../../model/text/list-twice.ts';
import { renderGateJunit } from '../../report/formats/render-gate-junit.ts';
import { renderGateMarkdown } from '../../report/markdown/render-gate-markdown.ts';
import { reportGate } from '../../report/markdown/render-github.ts';
import { renderBaseline, renderGate, renderGatePlan } from '../../report/terminal/render-gate.ts';
import type { VerbAnswer } from '../context/answer.ts';
import type { Context, RunVerb } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { spellLine } from '../context/spell-line.ts';
import { reportToGithub } from '../output/report-to-github.ts';
import { readBaseline, writeBaseline } from './baseline-file.ts';
import { planGate, type PlannedGate } from './plan-gate.ts';
import { readTrials } from './read-trials.ts';
import { runOnce, runRounds } from './run-rounds.ts';
import { findSavedFolder } from '../saved/find-cells.ts';
import { readNamedRun } from '../saved/find-run.ts';

/** Trials of each recorded cell. With fewer, a gate would need more trials of the change than it has time for. */
const RECORDED_TRIALS = 3;

/** `whodunit gate`: compares the deaths under a change with those of a baseline. */
export const runGate: RunVerb = async (context, words, flags) => {
  if (flags.record !== undefined) refuseUnwritableFile(flags.record);
  if (flags.save !== undefined) refuseUnwritableFolder(flags.save);
  const baseline = flags.baseline === undefined ? undefined : readBaseline(flags.baseline);
  const program = readProgram(flags, baseline);
  if (flags.base !== undefined || flags.head !== undefined)
    return gateSaved(context, flags, { baseline, program });
  if (program === undefined)
    throw new UsageError('gate needs to know which program changed', {
      tryNext: `--for one of: ${Object.keys(GATED_PROGRAMS).join(', ')}`,
    });
  const trials = flags.repeat ?? (baseline === undefined ? RECORDED_TRIALS : 1);
  const planned = planGate(context, { program, words, diff: readDiff(flags), baseline, trials }, flags);
  const cells = listGatedCells(planned);
  if (baseline !== undefined) {
    refuseOtherPlaces(listOtherPlaces(baseline.cells, cells, program));
    refuseForeign(listForeign({ base: baseline.cells, head: cells, program }));
  }
  if (flags.dryRun === true) return answerGatePlan(planned, words, flags);
  if (planned.plan.cells.length === 0)
    throw new UsageError(
      'no cell is chosen: the change cannot alter a death, or no cell fits into the budget',
      {
        tryNext: `npx whodunit gate --for ${program} --dry-run`,
      },
    );
  return baseline === undefined
    ? recordNewRun(context, planned, { program, trials }, flags)
    : gateNewRuns(context, planned, { baseline, cells, program }, flags);
};

/** A cell as it is known before it runs. */
type CellOfGate = NamedCell & Pick<GatedCell, 'address' | 'digest'>;

/** Returns the cells of a plan, as they are compared with a baseline before they run. */
function listGatedCells({ plan }: PlannedGate): CellOfGate[] {
  return plan.cells.map(({ address, variant, loaded }) => ({
    address,
    variant,
    scenario: loaded.scenario.name,
    parameters: loaded.parameters,
    digest: digestScenario(loaded.source),
  }));
}

/** Answers a dry run with the command that records the baseline, or compares with it. */
function answerGatePlan({ shown }: PlannedGate, words: readonly string[], flags: Flags): VerbAnswer {
  const file = flags.baseline === undefined ? { record: flags.record ?? 'baseline.json' } : {};
  const command = spellLine('gate', words, { ...flags, ...file });
  return { status: 'passed', json: shown, text: () => renderGatePlan(shown, command) };
}

/** Runs the cells, and records how they end as a baseline. */
async function recordNewRun(
  context: Context,
  planned: PlannedGate,
  { program, trials }: { readonly program: GatedProgram; readonly trials: number },
  flags: Flags,
): Promise<VerbAnswer> {
  const { record } = flags;
  if (record === undefined) throw missingSideError();
  const recorded = await runOnce(context, planned, flags, trials);
  return answerRecord(context, record, {
    program,
    runs: [recorded.run],
    cells: gatherTrials(recorded.trials),
  });
}

/** Runs the cells with the change, and compares how they end with a baseline. */
async function gateNewRuns(
  context: Context,
  planned: PlannedGate,
  {
    baseline,
    cells,
    program,
  }: {
    readonly baseline: Baseline;
    readonly cells: readonly CellOfGate[];
    readonly program: GatedProgram;
  },
  flags: Flags,
): Promise<VerbAnswer> {
  const { accelerator } = await proveAccelerator(context);
  const onThisHost = cells.map((cell) => ({ ...cell, accelerator }));
  refuseForeign(listForeign({ base: baseline.cells, head: onThisHost, program }));
  const ran = await runRounds(context, planned, { baseline, program }, flags);
  const chosen = new Set(cells.map((cell) => keyOfCell(cell, program)));
  const sides = { base: baseline.cells, head: ran.cells, program, chosen };
  return answerGate(context, flags, { sides, name: flags.baseline ?? '', runs: ran.runs });
}

/** Compares saved runs. It starts no machine. */
function gateSaved(
  context: Context,
  flags: Flags,
  {
    baseline,
    program,
  }: { readonly baseline: Baseline | undefined; readonly program: GatedProgram | undefined },
): VerbAnswer {
  const read = (words: readonly string[]): { runs: string[]; cells: GatedCell[] } => {
    const saved = tryAll(words, (word) => readNamedRun(findSavedFolder(context, word)));
    refuseTwice(saved.map(({ result }) => result.run));
    return { runs: saved.map(({ result }) => result.run), cells: gatherTrials(saved.flatMap(readTrials)) };
  };
  if (flags.base !== undefined && baseline !== undefined)
    throw new UsageError('--base and --baseline both name the side before the change', {
      tryNext: 'leave one of them out',
    });
  const base = flags.base === undefined ? undefined : read(flags.base);
  if (flags.record !== undefined) {
    if (base === undefined || flags.head !== undefined)
      throw new UsageError('--record writes the runs of --base as a baseline, and takes no --head', {
        tryNext: `npx whodunit gate --record ${flags.record} --base <run>`,
      });
    return answerRecord(context, flags.record, { program, ...base });
  }
  const before = baseline?.cells ?? base?.cells;
  if (before === undefined || flags.head === undefined) throw missingSideError();
  const { runs, cells } = read(flags.head);
  const name = flags.baseline ?? base?.runs.join(' ') ?? '';
  return answerGate(context, flags, { sides: { base: before, head: cells, program }, name, runs });
}

/** Refuses a run that is named twice on one side: its trials would count twice. */
function refuseTwice(runs: readonly string[]): void {
  const [repeated] = listTwice(runs);
  if (repeated === undefined) return;
  throw new UsageError(`run ${repeated} is named twice on one side`, {
    tryNext: 'name each run once: its trials are counted',
  });
}

function missingSideError(): UsageError {
  return new UsageError('gate compares two sides, and one of them is missing', {
    tryNext: '--baseline <file> (made with --record <file>), or --base <run> and --head <run>',
  });
}

function readProgram({ for: word }: Flags, baseline: Baseline | undefined): GatedProgram | undefined {
  if (word === undefined) return baseline?.for;
  const names = Object.keys(GATED_PROGRAMS) as GatedProgram[];
  const found = names.find((name) => name === word);
  if (found === undefined)
    throw new UsageError(`--for takes ${names.join(', ')}, not "${word}"`, {
      tryNext: 'npx whodunit help gate',
    });
  if (baseline?.for !== undefined && baseline.for !== found)
    throw new UsageError(`the baseline is for ${baseline.for}, not for ${found}`, {
      tryNext: `npx whodunit gate --for ${found} --record <file>`,
    });
  return found;
}

/** Reads the output of `git diff` from a file, or from standard input (`-`); undefined without `--from`. */
function readDiff({ from }: Flags): string | undefined {
  if (from === undefined) return undefined;
  if (from === '-') return getText('/dev/stdin');
  const path = resolve(from);
  const tryNext = 'a file with what git diff printed, or - for standard input';
  if (!pathExists(path)) throw new UsageError(`there is no file "${from}"`, { tryNext });
  if (isFolder(path)) throw new UsageError(`${from} is not a diff: it is a folder`, { tryNext });
  // The path may be a pipe: --from <(git diff main)
  return getText(path);
}

function answerRecord(
  context: Context,
  path: string,
  recorded: Parameters<typeof writeBaseline>[2],
): VerbAnswer {
  refuseClashes(recorded.cells, recorded.program, 'the runs');
  const baseline = writeBaseline(context, path, recorded);
  const isWhole = baseline.cells.length > 0 && baseline.cells.every(({ of }) => of > 0);
  return {
    status: isWhole ? 'passed' : 'inconclusive',
    json: baseline,
    table: () => renderBaseline(baseline, path),
  };
}

function refuseClashes(cells: readonly GatedCell[], program: GatedProgram | undefined, side: string): void {
  const clashes = listClashes(cells, program);
  if (clashes.length > 0)
    throw new UsageError(
      `${side} have several versions of ${program ?? 'a program'}: ${clashes.join('; ')}`,
      {
        tryNext: 'record or name the cells of one version only',
      },
    );
}

/** Refuses a baseline of another configuration, before hours are spent on cells that cannot be compared. */
function refuseOtherPlaces(places: readonly string[]): void {
  if (places.length === 0) return;
  throw new UsageError(`the baseline is of another configuration: ${places.join('; ')}`, {
    tryNext:
      'name the build with +everywhere, or record the baseline again: npx whodunit gate --record <file>',
  });
}

function refuseForeign(foreign: readonly string[]): void {
  if (foreign.length === 0) return;
  throw new UsageError(`the baseline is of another configuration: ${foreign.join('; ')}`, {
    tryNext: 'record it again: npx whodunit gate --record <file>',
  });
}

function answerGate(
  context: Context,
  flags: Flags,
  gate: { readonly sides: GateSides; readonly name: string; readonly runs: readonly string[] },
): VerbAnswer {
  const { sides, name, runs } = gate;
  refuseClashes(sides.base, sides.program, 'the cells of the baseline');
  refuseClashes(sides.head, sides.program, 'the runs');
  refuseOtherPlaces(listOtherPlaces(sides.base, sides.head, sides.program));
  refuseForeign(listForeign(sides));
  const result: GateResult = { ...gateHead(name, runs, sides.program), ...compareGate(sides) };
  if (flags.save !== undefined) saveGate(flags.save, result);
  return {
    status: context.signal.aborted ? 'interrupted' : statusOfGate(result),
    json: result,
    ...(flags.markdown === true
      ? { text: () => renderGateMarkdown(result).trimEnd() }
      : { page: () => renderGate(result) }),
    afterwards: () => reportToGithub(context, () => reportGate(result)),
  };
}

/** Writes the result as JSON, as Markdown for a pull request, and as JUnit XML for a CI server. */
function saveGate(folder: string, result: GateResult): void {
  const dir = resolve(folder);
  ensureFolder(dir);
  writeJsonAtomic(join(dir, 'gate.json'), result);
  writeTextAtomic(join(dir, 'gate.md'), renderGateMarkdown(result));
  writeTextAtomic(join(dir, 'gate.xml'), renderGateJunit(result));
}
