import { pathExists } from '../../drivers/files/files.ts';
import { tailLines } from '../../drivers/files/tail.ts';
import { tryParseJson } from '../../model/files/parse-json.ts';
import { statePaths } from '../../model/host/paths.ts';
import { eventSchema, type RunEvent } from '../../model/saved/run-event.ts';
import type { Context } from '../context/context.ts';

/** The state of a run, by its events and its process. */
export type RunState = 'running' | 'ended' | 'broken-off';

/** Lines of a file that say nothing to this version. */
export interface UnreadableLines {
  readonly count: number;
  /** Number of the first one, from 1; 0 while there is none. */
  readonly first: number;
}

/** The events of a run that may go on. */
export interface EventReader {
  /** Reads the events since the last call, and returns the state of the run. */
  read(): RunState;
  /** The process that began or resumed the run last, by the events so far. */
  pid(): number | undefined;
  /** Whole lines that are not events of this version, as far as was read. */
  unreadable(): UnreadableLines;
  close(): void;
}

/** Returns the process of a run that is still running; undefined when it is not running, or has no event. */
export function findRunningProcess(
  context: Pick<Context, 'stateDir' | 'isProcessAlive'>,
  id: string,
): number | undefined {
  if (!pathExists(statePaths(context.stateDir).run(id).events)) return undefined;
  const events = openEvents(context, id, () => undefined);
  try {
    return events.read() === 'running' ? events.pid() : undefined;
  } finally {
    events.close();
  }
}

/**
 * Opens the events of a run, which are read as they come.
 *
 * @param onEvent is called for each event.
 */
export function openEvents(
  { stateDir, isProcessAlive }: Pick<Context, 'stateDir' | 'isProcessAlive'>,
  id: string,
  onEvent: (event: RunEvent) => void,
): EventReader {
  const { runs, run } = statePaths(stateDir);
  const lines = tailLines(run(id).events, runs);
  let started: RunEvent | undefined;
  let hasEnded = false;
  let taken = 0;
  let unreadable: UnreadableLines = { count: 0, first: 0 };
  const isAlive = (): boolean => {
    const { pid, startTicks } = started ?? {};
    return pid !== undefined && isProcessAlive(pid, startTicks === undefined ? {} : { startTicks });
  };
  const take = (line: string): void => {
    const parsed = eventSchema.safeParse(tryParseJson(line));
    taken += 1;
    if (!parsed.success) {
      // Cut short by a crash, or of a later version.
      unreadable = { count: unreadable.count + 1, first: unreadable.first || taken };
      return;
    }
    // A run that was interrupted has ended, and may be resumed.
    if (parsed.data.event === 'run-started') [started, hasEnded] = [parsed.data, false];
    hasEnded ||= parsed.data.event === 'run-ended';
    onEvent(parsed.data);
  };
  return {
    pid: () => started?.pid,
    unreadable: () => unreadable,
    read: () => {
      // Asked before the lines are read, so that no event of a process that dies meanwhile is missed.
      const wasAlive = started === undefined || isAlive();
      for (const line of lines.next()) take(line);
      if (hasEnded) return 'ended';
      return wasAlive && isAlive() ? 'running' : 'broken-off';
    },
    close: () => lines.close(),
  };
}
