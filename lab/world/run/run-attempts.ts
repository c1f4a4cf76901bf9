import { join } from 'node:path';
import { writeJsonAtomic } from '../../drivers/files/files.ts';
import { apiErrorText } from '../../drivers/kubernetes/kubernetes.ts';
import { combineAttempts } from '../../judge/verdict/attempts.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import { cellPaths, runPaths } from '../../model/host/paths.ts';
import type { PlannedCell } from '../../plan/cells/plan-cells.ts';
import { prepareRegistry } from '../cell/cell-registry.ts';
import { runCell, type PreparedCell } from '../cell/cell.ts';
import { makeArchives } from '../cell/deliver-images.ts';
import { keepTiming } from '../keep-timing.ts';
import type { GroupRun, LeftWorld } from './group-run.ts';
import { bringsImages, judgeAttempt, type EvidenceFolder } from './judge-attempt.ts';
import { makePristine } from './make-pristine.ts';
import { unseenResult } from './unseen-cell.ts';

/** A cell, and the one that its world runs next. */
export interface Turn {
  readonly cell: PlannedCell;
  readonly next: PlannedCell | undefined;
}

/** The result of a cell, and its world afterwards. */
interface CellEnd {
  readonly result: CellResult;
  readonly left: LeftWorld;
}

/** Runs a cell as often as its scenario says, each time in a pristine world, and gives it one result. */
export async function runCellRepeatedly(
  run: GroupRun,
  before: LeftWorld,
  { cell, next }: Turn,
  update: (detail: string) => void,
): Promise<CellEnd> {
  const { repeat, tolerate } = cell.loaded.scenario;
  const paths = runPaths(run.dir);
  const folder = { dir: paths.cell(cell.address).dir, relative: paths.cellRelative(cell.address) };
  if (repeat === 1) return runAttempt({ run, cell, next, folder, update }, before);
  const results: CellResult[] = [];
  let left = before;
  for (let index = 1; index <= repeat; index += 1) {
    const name = `run-${index}`;
    const attempt: Attempt = {
      run,
      cell,
      next: index < repeat ? cell : next,
      folder: { dir: join(folder.dir, name), relative: join(folder.relative, name) },
      update: (detail) => update(`run ${index} of ${repeat}: ${detail}`),
    };
    const ended: CellEnd = run.lab.host.signal.aborted
      ? { result: unseenResult(run.dir, cell, 'interrupted', 'interrupted before this run'), left }
      : await runAttempt(attempt, left);
    writeJsonAtomic(cellPaths(attempt.folder.dir).result, ended.result);
    results.push(ended.result);
    left = ended.left;
  }
  return { result: combineAttempts(results, tolerate), left };
}

/** One of the runs of a cell; `next` may be another run of it. */
interface Attempt extends Turn {
  readonly run: GroupRun;
  readonly folder: EvidenceFolder;
  /** Called with what the attempt is doing. */
  readonly update: (detail: string) => void;
}

async function runAttempt({ run, cell, next, folder, update }: Attempt, before: LeftWorld): Promise<CellEnd> {
  const { host } = run.lab;
  const startedAt = host.clock.now();
  const { world, wasRebuilt } = before;
  if (world.phase === 'lost')
    return { result: unseenResult(run.dir, cell, 'inconclusive', world.why), left: before };
  run.emit({ event: 'cell-started', address: cell.address });
  let prepared: PreparedCell;
  try {
    prepared = { ...cell, ...(await makeImages(run, cell)) };
  } catch (error) {
    const verdict = host.signal.aborted ? 'interrupted' : 'inconclusive';
    const why = `its images could not be made: ${apiErrorText(error)}`;
    return { result: unseenResult(run.dir, cell, verdict, why), left: before };
  }
  update('restoring');
  const fresh = await (before.restored ?? makePristine(run, { world, wasRebuilt }));
  if (fresh.world.phase === 'lost') {
    const verdict = host.signal.aborted ? 'interrupted' : 'inconclusive';
    return { result: unseenResult(run.dir, cell, verdict, fresh.world.why), left: fresh };
  }
  const restoreMs = host.clock.now() - startedAt;
  run.emit({ event: 'cell-restored', address: cell.address });
  const ran = await runCell(run.lab, fresh.world, prepared, folder.dir, (event, detail) => {
    update(detail);
    run.emit({ event, address: cell.address, detail });
  });
  const used = { world: ran.world, wasRebuilt: fresh.wasRebuilt };
  // The machines are set back while the evidence is read.
  const restored = mayRestore(run, next) ? makePristine(run, used) : undefined;
  const spent = { startedAt, restoreMs };
  const result =
    (await judgeAttempt({ host, facts: run.facts }, cell, ran, folder, spent)) ??
    unseenResult(run.dir, cell, 'interrupted', 'interrupted while its evidence was judged');
  // Estimates are made of it, and an interrupted cell says nothing about the next.
  if (result.verdict !== 'interrupted') {
    const seconds = (host.clock.now() - startedAt) / 1000;
    keepTiming(host, { kind: 'cell', name: cell.loaded.scenario.name, seconds });
  }
  return { result, left: { ...used, ...(restored === undefined ? {} : { restored }) } };
}

/**
 * Whether the world of a cell may be set back before the cell is judged: not when no cell follows, not when a failure would
 * be the end, and not when images are made for the next one first, in which time a pristine world would grow old.
 */
function mayRestore({ lab, failFast }: GroupRun, next: PlannedCell | undefined): boolean {
  if (next === undefined || failFast || lab.host.signal.aborted) return false;
  return !bringsImages(next.loaded.scenario);
}

/** The images that only this scenario needs; their components are shared, so that one world at a time makes any. */
async function makeImages(
  { lab, oneAtATime }: GroupRun,
  { loaded: { scenario } }: PlannedCell,
): Promise<Pick<PreparedCell, 'archives' | 'registry'>> {
  if (!bringsImages(scenario)) return { archives: [], registry: undefined };
  return oneAtATime(async () => ({
    archives: await makeArchives(lab.host, lab.catalogue, scenario.images),
    registry: await prepareRegistry(lab.host, lab.catalogue, scenario),
  }));
}
