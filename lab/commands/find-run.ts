import { listFolder, readJson } from '../drivers/files.ts';
import { HostError, UsageError } from '../model/errors.ts';
import { runResultSchema, type RunResult } from '../model/formats.ts';
import { nearestName } from '../model/nearest.ts';
import { statePaths, type runPaths } from '../model/paths.ts';
import type { Context } from './context.ts';

/** A saved run. */
export interface SavedRun {
  readonly paths: ReturnType<typeof runPaths>;
  readonly result: RunResult;
}

/** Returns the saved runs, newest first; runs without a result (crashed, still going) are left out. */
export function listRuns(context: Pick<Context, 'stateDir'>): SavedRun[] {
  const state = statePaths(context.stateDir);
  const runs = listFolder(state.runs).flatMap((id) => {
    const paths = state.run(id);
    const json = readJson(paths.result);
    return json === undefined ? [] : [{ paths, result: parseResult(paths.result, json) }];
  });
  return runs.sort((a, b) => (a.result.startedAt < b.result.startedAt ? 1 : -1));
}

/**
 * Returns a run by its id, else the newest; with an address, the newest that has this cell.
 *
 * @throws UsageError when there is none, with the nearest name.
 */
export function getRun(
  context: Pick<Context, 'stateDir'>,
  id: string | undefined,
  address?: string,
): SavedRun {
  const runs = listRuns(context);
  if (runs.length === 0) throw new UsageError('there is no finished run yet', { tryNext: 'npm run lab run' });
  const named = id === undefined ? runs : runs.filter((run) => run.result.run === id);
  if (named.length === 0) {
    const ids = runs.map((run) => run.result.run);
    throw new UsageError(`there is no run "${id}"`, { tryNext: `one of: ${ids.slice(0, 5).join(', ')}` });
  }
  const found = named.find((run) => address === undefined || hasCell(run, address));
  if (found !== undefined) return found;
  const known = [...new Set(named.flatMap((run) => run.result.cells.map((cell) => cell.address)))];
  const nearest = nearestName(address ?? '', known);
  throw new UsageError(`no ${id === undefined ? 'saved run' : `cell of run ${id}`} is called "${address}"`, {
    tryNext: nearest === undefined ? `one of: ${known.join(', ')}` : `did you mean ${nearest}?`,
  });
}

function hasCell(run: SavedRun, address: string): boolean {
  return run.result.cells.some((cell) => cell.address === address);
}

function parseResult(path: string, json: unknown): RunResult {
  const parsed = runResultSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new HostError('LAB_STATE_FILE', `${path} is no result of this version`, {
    lastSeen: issue === undefined ? 'no detail' : `${issue.path.join('.')}: ${issue.message}`,
    tryNext: 'move its folder away',
  });
}
