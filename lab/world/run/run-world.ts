import { apiErrorText } from '../../drivers/kubernetes/kubernetes.ts';
import { createUndo } from '../../drivers/undo.ts';
import { DeclaredStartFailure } from '../../model/errors/errors.ts';
import { sum } from '../../model/text/sum.ts';
import { bringUp, type BroughtUp } from '../bring-up/bring-up.ts';
import type { Lab } from '../lab.ts';
import { closeWorld, type ReportWorld } from '../world.ts';
import type { Group, GroupRun, LeftWorld, Run } from './group-run.ts';
import { runCellRepeatedly, type Turn } from './run-attempts.ts';
import { saveOrigin } from './save-origins.ts';
import { declaredResult, unseenResult } from './unseen-cell.ts';

/** Gives each cell of a world that did not come up its result. */
export function giveUp(run: Run, group: Group, why: string): void {
  const { name } = group.demand;
  run.emit({ event: 'world-failed', world: name, detail: why });
  run.lab.host.progress.note(`world ${name}: ${why}`);
  for (const cell of group.cells) {
    run.finish(unseenResult(run.dir, cell, 'inconclusive', `its world did not come up: ${why}`));
  }
}

/**
 * Brings the world of a group up and runs its cells in it, one after the other.
 *
 * @param named whether lines of progress name their world: several run at once.
 */
export async function runGroup(run: Run, group: Group, named: boolean): Promise<void> {
  const { name } = group.demand;
  const { clock, progress } = run.lab.host;
  let endsAt: number | undefined;
  await progress.step(
    `world ${name}`,
    (update) =>
      runInWorld(run, group, (index) => {
        update(`${index + 1}/${group.cells.length}`);
        const left = sum(group.cells.slice(index).map(({ estimateSeconds }) => estimateSeconds));
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
 * @param onCell called with the number of each cell, from 0, before it begins.
 */
async function runInWorld(run: Run, group: Group, onCell: (index: number) => void): Promise<boolean> {
  const { name } = group.demand;
  const { host } = run.lab;
  const lab: Lab = { ...run.lab, undo: createUndo(host.clock) };
  run.emit({ event: 'world-started', world: name });
  const report: ReportWorld = (event, detail) => run.emit({ event, world: name, detail });
  const own: GroupRun = { ...run, lab, report };
  let up: BroughtUp;
  try {
    up = await bringUp(lab, group.variant, {
      keep: false,
      cold: run.cold,
      report,
      oneAtATime: run.oneAtATime,
    });
  } catch (error) {
    await lab.undo.run(host.progress);
    if (host.signal.aborted) return false;
    if (error instanceof DeclaredStartFailure) {
      report('world-failed', error.message);
      for (const cell of group.cells) {
        await saveOrigin(lab, run.dir, cell, run.lookUp);
        run.finish(declaredResult(cell, error));
      }
    } else giveUp(run, group, apiErrorText(error));
    return false;
  }
  run.emit({ event: 'world-ready', world: name, detail: up.how });
  let left: LeftWorld = { world: up.world, wasRebuilt: up.how === 'rebuilt' };
  for (const [index, cell] of group.cells.entries()) {
    if (run.isStopped()) break;
    onCell(index);
    left = await runCellStep(own, left, { cell, next: group.cells[index + 1] });
  }
  const { world } = (await left.restored) ?? left;
  if (world.phase !== 'lost') closeWorld(world);
  return true;
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
      await saveOrigin(run.lab, run.dir, cell, run.lookUp);
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
