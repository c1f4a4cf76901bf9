import { listFolder, pathExists } from '../../drivers/files/files.ts';
import { UsageError } from '../../model/errors/errors.ts';
import type { Look } from '../../model/host/host.ts';
import { plainJson } from '../../model/text/plain-text.ts';
import { statePaths } from '../../model/host/paths.ts';
import type { RunEvent } from '../../model/saved/run-event.ts';
import { createEventRenderer } from '../../report/terminal/render-run-events.ts';
import type { Context, RunVerb } from '../context/context.ts';
import { findRunIds } from '../saved/find-cells.ts';
import { openEvents, type RunState } from '../saved/run-state.ts';

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
    if (state !== 'broken-off') return { status: 'passed' };
    context.progress.note(`run ${id} broke off here: its process died before the end`);
    return { status: 'host' };
  } finally {
    reader.close();
  }
};

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
    const others = listFolder(paths.runs).some(hasEvents);
    throw new UsageError(what, { tryNext: others ? 'npx whodunit runs' : 'npx whodunit run' });
  }
  if (word !== undefined && word !== 'latest' && found.length > 1)
    throw new UsageError(`several runs begin with "${word}"`, {
      tryNext: `more of the id: ${found.join(', ')}`,
    });
  return id;
}
