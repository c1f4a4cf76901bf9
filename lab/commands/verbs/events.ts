import { listFolder, pathExists } from '../../drivers/files/files.ts';
import { isUnreadable, UsageError } from '../../model/errors/errors.ts';
import type { Look } from '../../model/host/host.ts';
import { plainJson } from '../../model/text/plain-text.ts';
import { statePaths } from '../../model/host/paths.ts';
import { plural } from '../../model/text/plural.ts';
import type { RunEvent } from '../../model/saved/run-event.ts';
import { createEventRenderer } from '../../report/terminal/render-run-events.ts';
import type { VerbAnswer } from '../context/answer.ts';
import type { Context, RunVerb } from '../context/context.ts';
import { spellPath } from '../context/spell-path.ts';
import { findRunIds } from '../saved/find-cells.ts';
import { findPlan } from '../saved/find-plan.ts';
import { readRun } from '../saved/find-run.ts';
import { openEvents, type RunState, type UnreadableLines } from '../saved/run-state.ts';

/** How long `--follow` waits before it reads again. */
const LOOK_MS = 250;

/** `whodunit events [run]`: prints the events of a run; with `--follow` until it ends or its process dies. */
export const runEvents: RunVerb = async (context, words, flags) => {
  const id = findRunWithEvents(context, words[0]);
  const render = flags.json === true ? toJson : createEventRenderer();
  const reader = openEvents(context, id, (event) => context.print(render(event)));
  try {
    let state = reader.read();
    if (flags.follow === true && state === 'running') {
      const look = async (): Promise<Look<RunState>> => {
        state = reader.read();
        return state === 'running' ? { done: false, seen: state } : { done: true, value: state };
      };
      const options = { timeoutMs: Number.MAX_SAFE_INTEGER, intervalMs: LOOK_MS };
      await context.waitFor({ title: `run ${id} to end`, look }, options);
    }
    if (state === 'running') context.progress.note(`run ${id} is still running; --follow keeps printing`);
    noteUnreadable(context, id, reader.unreadable());
    return state === 'broken-off' ? answerBrokenOff(context, id) : { status: 'passed' };
  } finally {
    reader.close();
  }
};

function noteUnreadable(
  { stateDir, progress }: Context,
  id: string,
  { count, first }: UnreadableLines,
): void {
  if (count === 0) return;
  const file = spellPath(statePaths(stateDir).run(id).events);
  const what =
    count === 1
      ? `line ${first} of ${file} is`
      : `${count} lines of ${file}, the first is line ${first}, are`;
  progress.note(`${what} not an event of this version, and left out`);
}

/** Only the events may have broken off: the result says how many cells have a verdict. */
function answerBrokenOff(context: Context, id: string): VerbAnswer {
  const judged = countJudged(context, id);
  const next = `npx whodunit report ${id}`;
  if (judged !== undefined && judged.of === judged.cells) {
    context.progress.note(
      `the events of run ${id} break off here; its result has all ${plural(judged.of, 'cell')}: ${next}`,
    );
    return { status: 'passed' };
  }
  const has =
    judged === undefined ? '' : `; its result has ${judged.cells} of ${plural(judged.of, 'cell')}: ${next}`;
  context.progress.note(`run ${id} broke off here: its process died before the end${has}`);
  return { status: 'host' };
}

/** Cells of a run that have a verdict, of those that it planned. Undefined where no result or no plan can be read. */
function countJudged(
  { stateDir }: Context,
  id: string,
): { readonly cells: number; readonly of: number } | undefined {
  try {
    const { paths, result } = readRun(stateDir, id);
    const plan = findPlan(paths);
    if (plan === undefined) return undefined;
    const judged = new Set(
      result.cells.filter(({ verdict }) => verdict !== 'interrupted').map(({ address }) => address),
    );
    return { cells: plan.cells.filter(({ address }) => judged.has(address)).length, of: plan.cells.length };
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return undefined;
  }
}

function toJson(event: RunEvent): string {
  return plainJson(JSON.stringify(event));
}

/**
 * Returns the run that a word names, else the newest run with events.
 *
 * @throws UsageError when there is none.
 */
function findRunWithEvents(context: Pick<Context, 'stateDir'>, word: string | undefined): string {
  const paths = statePaths(context.stateDir);
  const hasEvents = (id: string): boolean => pathExists(paths.run(id).events);
  const ids = word === undefined || word === 'latest' ? listFolder(paths.runs) : findRunIds(context, word);
  const found = ids.filter(hasEvents);
  const id = found.at(-1);
  if (id === undefined) {
    if (word?.includes('/') === true)
      throw new UsageError(`events are those of a run, and "${word}" is not one`, {
        tryNext: 'npx whodunit runs',
      });
    const what = word === undefined ? 'there is no run with events yet' : `no run "${word}" has events`;
    const all = listFolder(paths.runs);
    // Who names a run wants a run that is there, not a new one.
    const isSaved = (run: string): boolean => hasEvents(run) || pathExists(paths.run(run).result);
    const isThere = all.some(word === undefined ? hasEvents : isSaved);
    throw new UsageError(what, { tryNext: isThere ? 'npx whodunit runs' : 'npx whodunit run' });
  }
  if (word !== undefined && word !== 'latest' && found.length > 1)
    throw new UsageError(`several runs begin with "${word}"`, {
      tryNext: `more of the id: ${found.join(', ')}`,
    });
  return id;
}
