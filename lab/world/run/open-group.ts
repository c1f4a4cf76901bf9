import { createUndo } from '../../drivers/undo.ts';
import { bringUp, type BringUpOptions } from '../bring-up/bring-up.ts';
import { forkLane } from '../derive/fork-lane.ts';
import type { Lab } from '../lab.ts';
import type { PristineWorld, ReportWorld } from '../world.ts';
import type { Group, GroupRun, Run } from './group-run.ts';

/** The run as one group sees it: with a lab of its own, the ways to its world, and events that name its lane. */
export function openGroup(
  run: Run,
  { demand: { name, laneOf }, variant, spread, isApart = false }: Group,
): GroupRun {
  const { host } = run.lab;
  const { cold, oneAtATime } = run;
  const lane = spread?.lane;
  const lab: Lab = { ...run.lab, undo: createUndo(host.clock) };
  const emit: Run['emit'] = (event) => run.emit({ ...event, ...laneField(lane) });
  const report: ReportWorld = (event, detail) => emit({ event, world: laneOf ?? name, detail });
  const options: BringUpOptions = { keep: false, report, oneAtATime };
  const undone = async (make: () => Promise<PristineWorld>): Promise<PristineWorld> => {
    try {
      return await make();
    } catch (error) {
      await lab.undo.run(host.progress);
      throw error;
    }
  };
  const own = {
    ...run,
    lab,
    emit,
    report,
    finish: (result) => run.finish(result, lane),
  } satisfies Partial<GroupRun>;
  if (isApart)
    return {
      ...own,
      apart: name,
      open: () => bringUp(lab, variant, { ...options, cold: true, apart: name }),
      remake: () =>
        undone(async () => {
          await lab.undo.run(host.progress);
          return (await bringUp(lab, variant, { ...options, cold: true, apart: name })).world;
        }),
    };
  if (lane === undefined)
    return {
      ...own,
      open: () => bringUp(lab, variant, { ...options, cold }),
      remake: () => undone(async () => (await bringUp(lab, variant, { ...options, fresh: true })).world),
    };
  return {
    ...own,
    open: async () => ({ world: await forkLane(lab, variant, lane), how: 'forked' }),
    remake: () =>
      undone(async () => {
        await lab.undo.run(host.progress);
        return forkLane(lab, variant, lane);
      }),
  };
}

/** A lane as an event names it. */
export function laneField(lane: number | undefined): { lane?: number } {
  return lane === undefined ? {} : { lane };
}
