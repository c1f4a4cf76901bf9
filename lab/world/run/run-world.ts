import { apiErrorText } from '../../drivers/kubernetes/kubernetes.ts';
import { DeclaredStartFailure } from '../../model/errors/errors.ts';
import { sum } from '../../model/text/sum.ts';
import type { PlannedCell } from '../../plan/cells/plan-cells.ts';
import { closeWorld } from '../world.ts';
import { queueInOrder, type CellQueue } from './cell-queue.ts';
import type { Group, GroupRun, LeftWorld, OpenedWorld, Run } from './group-run.ts';
import { laneField, openGroup } from './open-group.ts';
import { runCellRepeatedly, type Turn } from './run-attempts.ts';
import { saveOrigin } from './save-origins.ts';
import { declaredResult, unseenResult } from './unseen-cell.ts';

/** Says that the world of a group did not come up, and gives each cell that nobody else will run its result. */
export function giveUp(run: Run, group: Group, why: string): void {
  const { name, laneOf } = group.demand;
  const lane = group.spread?.lane;
  run.emit({ event: 'world-failed', world: laneOf ?? name, ...laneField(lane), detail: why });
  run.lab.host.progress.note(`world ${name}: ${why}`);
  for (const cell of takeLeft(group)) {
    run.finish(unseenResult(run.dir, cell, 'inconclusive', `its world did not come up: ${why}`), lane);
  }
}

/** The cells that nobody runs when the world of a group does not come up. Other lanes run those of a lane. */
function takeLeft({ cells, spread }: Group): readonly PlannedCell[] {
  if (spread === undefined) return cells;
  const { lane, queue } = spread;
  return lane !== undefined && queue.leave() === 'left' ? [] : queue.takeAll();
}

/**
 * Brings the world of a group up and runs its cells in it, one after the other. A lane runs those that it is in time for; a
 * world with lanes is only brought up.
 *
 * @param named whether lines of progress name their world: several run at once.
 */
export async function runGroup(run: Run, group: Group, named: boolean): Promise<void> {
  const { name } = group.demand;
  const { clock, progress } = run.lab.host;
  const queue = group.spread?.queue ?? queueInOrder(group.cells);
  // Its parent did not come up, or the other lanes have been faster.
  if (group.spread?.lane !== undefined && queue.left().length === 0) return;
  let endsAt: number | undefined;
  await progress.step(
    `world ${name}`,
    (update) =>
      runInWorld(run, group, queue, (cell) => {
        update(`${group.cells.length - queue.left().length}/${group.cells.length}`);
        const left = sum([cell, ...queue.left()].map(({ estimateSeconds }) => estimateSeconds));
        endsAt = clock.now() + left * 1000;
      }),
    {
      mark: (isUp) => (isUp ? '✓' : '✗'),
      remaining: (now) => (endsAt === undefined ? undefined : endsAt - now),
      ...(named ? { scope: name } : {}),
    },
  );
}

/**
 * Returns whether the world came up.
 *
 * @param onCell called with each cell before it begins.
 */
async function runInWorld(
  run: Run,
  group: Group,
  queue: CellQueue,
  onCell: (cell: PlannedCell) => void,
): Promise<boolean> {
  const { name, laneOf } = group.demand;
  const { spread } = group;
  const own = openGroup(run, group);
  const { lab } = own;
  own.emit({ event: 'world-started', world: laneOf ?? name });
  try {
    const up = await openWorld(own, group);
    if (up === undefined) return false;
    own.emit({ event: 'world-ready', world: laneOf ?? name, detail: up.how });
    if (spread !== undefined && spread.lane === undefined) closeWorld(up.world);
    else await runQueue(own, queue, { world: up.world, wasRebuilt: up.how === 'rebuilt' }, onCell);
    return true;
  } finally {
    // A lane is for its cells only, and so is a world beside the saved one. Of another, nothing is registered any more.
    if (spread?.lane !== undefined || group.isApart === true) await lab.undo.run(lab.host.progress);
  }
}

/** Brings the world of a group up. Where that fails, undoes it, and its cells have their results: undefined. */
async function openWorld(own: GroupRun, group: Group): Promise<OpenedWorld | undefined> {
  const { lab, report } = own;
  const { host } = lab;
  try {
    return await own.open();
  } catch (error) {
    await lab.undo.run(host.progress);
    if (host.signal.aborted) return undefined;
    if (error instanceof DeclaredStartFailure) {
      report('world-failed', error.message);
      for (const cell of takeLeft(group)) {
        await saveOrigin(lab, own, cell);
        own.finish(declaredResult(cell, error));
      }
    } else giveUp(own, group, apiErrorText(error));
    return undefined;
  }
}

/** Runs cells until none is left, or until the world is lost and other lanes are there. Then closes the world. */
async function runQueue(
  own: GroupRun,
  queue: CellQueue,
  first: LeftWorld,
  onCell: (cell: PlannedCell) => void,
): Promise<void> {
  let left = first;
  while (!own.isStopped()) {
    if (left.world.phase === 'lost' && queue.leave() === 'left') break;
    const cell = queue.take();
    if (cell === undefined) break;
    onCell(cell);
    left = await runCellStep(own, left, { cell, next: queue.peek() });
  }
  const { world } = (await left.restored) ?? left;
  if (world.phase !== 'lost') closeWorld(world);
}

/** Runs a cell as a step of the progress. Returns its world afterwards. */
async function runCellStep(run: GroupRun, before: LeftWorld, turn: Turn): Promise<LeftWorld> {
  const { cell } = turn;
  const { clock, progress } = run.lab.host;
  const endsAt = clock.now() + cell.estimateSeconds * 1000;
  const ended = await progress.step(
    cell.loaded.scenario.name,
    async (update) => {
      const { result, left: after } = await runCellRepeatedly(run, before, turn, update);
      await saveOrigin(run.lab, run, cell);
      run.finish(result);
      return { verdict: result.verdict, after };
    },
    {
      mark: ({ verdict }) => (verdict === 'passed' ? '✓' : `✗ ${verdict}:`),
      remaining: (now) => endsAt - now,
    },
  );
  return ended.after;
}
