import { appendLine, writeJsonAtomic } from '../../drivers/files/files.ts';
import { thisProcess } from '../../drivers/processes/processes.ts';
import { variantName } from '../../model/axes/axes.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import { groupBy } from '../../model/text/group-by.ts';
import { apartName } from '../../model/host/lane-name.ts';
import { runPaths } from '../../model/host/paths.ts';
import { plural } from '../../model/text/plural.ts';
import type { PlannedCell } from '../../plan/cells/plan-cells.ts';
import type { PlannedWorld } from '../../plan/worlds/plan-worlds.ts';
import { decideAdmission, type Demand } from '../host/admission.ts';
import { proveAccelerator } from '../host/accelerator.ts';
import type { Lab } from '../lab.ts';
import { claimWorld, demandOf, listOccupants, openClaims, parkWorlds, readCapacity } from './capacity.ts';
import type { Group, Run } from './group-run.ts';
import { createKeptFacts, type KeptFacts } from './kept-facts.ts';
import { giveUp, runGroup } from './run-world.ts';
import { createMutex } from '../mutex.ts';
import { laneField } from './open-group.ts';
import { rememberLookUps } from './save-origins.ts';
import { scheduleGroups } from './schedule.ts';
import { spreadGroup } from './spread-group.ts';
import { trackRun } from './track-run.ts';
import { unseenResult } from './unseen-cell.ts';
import { readWorldRecord } from '../world-record.ts';
import type { ReportWorld } from '../world.ts';

/** How cells are run. */
export interface RunOptions {
  /** Worlds that may run at once; absent: as the CPUs allow. */
  readonly parallel?: number;
  /** Somebody said how many lanes a world has: the CPUs do not limit them. */
  readonly givenLanes?: boolean;
  /** What the plan is estimated to take, worlds and cells one after the other. */
  readonly estimateSeconds: number;
  /** The worlds of the cells, parents first. */
  readonly worlds: readonly PlannedWorld[];
  /** Build every world from its image. */
  readonly cold?: boolean;
  /** With `cold`: a world that is saved stays as it is. It is built beside it, and removed after its cells. */
  readonly apart?: boolean;
  /** Start no further cell when one has failed. */
  readonly failFast?: boolean;
  /** Gets what the report will show of each cell. */
  readonly facts?: KeptFacts;
  /** Called with each result as soon as it is known. */
  readonly onResult: (result: CellResult) => void;
  /** Called with the name of each world that is up. */
  readonly onWorldReady?: (name: string) => void;
}

/**
 * Runs cells world by world, several worlds at once where memory and CPUs allow. A world that does not come up makes
 * its cells inconclusive (skipped, when that is declared). An interrupt makes the remaining cells interrupted, and so
 * does a failure of the run itself, which is thrown then.
 */
export async function runCells(
  lab: Lab,
  runDir: string,
  cells: readonly PlannedCell[],
  options: RunOptions,
): Promise<void> {
  const { clock, progress } = lab.host;
  const groups = groupByWorld(lab, options, cells);
  const pace = trackRun(clock, cells, options.worlds.length, options.estimateSeconds);
  await progress.step(
    'run',
    (update) => {
      update(pace.describe());
      const onResult = (result: CellResult): void => {
        options.onResult(result);
        pace.add(result);
        update(pace.describe());
      };
      return runGroups(lab, runDir, { cells, groups }, { ...options, onResult, onWorldReady: pace.addWorld });
    },
    { mark: pace.mark, remaining: pace.remaining },
  );
}

async function runGroups(
  lab: Lab,
  runDir: string,
  { cells, groups }: { readonly cells: readonly PlannedCell[]; readonly groups: readonly Group[] },
  options: RunOptions,
): Promise<void> {
  const done = new Set<string>();
  const claims = openClaims(lab.host);
  const { accelerator } = await proveAccelerator(lab.host);
  const run = openRun(lab, runDir, options, (result) => {
    done.add(result.address);
    options.onResult(result);
  });
  const count = cells.length;
  run.emit({ event: 'run-started', detail: plural(count, 'cell'), cells: count, ...thisProcess() });
  const demands = (list: readonly Group[]): Demand[] => list.map(({ demand }) => demand);
  const report: ReportWorld = (event, detail) => run.emit({ event, world: detail });
  const interrupt = (why: string): void => {
    for (const cell of cells)
      if (!done.has(cell.address)) run.finish(unseenResult(runDir, cell, 'interrupted', why));
  };
  try {
    await scheduleGroups(groups, {
      isStopped: () => run.isStopped(),
      exclusively: (work) => claims.decide(work),
      claim: ({ demand }) => claimWorld(claims, lab.host.stateDir, demand),
      decide: ({ demand, parent, spread }, busy, waiting) => {
        if (needsAny(parent, [...busy, ...waiting])) return { verdict: 'wait', why: 'its parent is in use' };
        const later = demands(waiting).map(({ name }) => name);
        const known = { busy: demands(busy), later, claims: claims.listOthers() };
        const occupants = listOccupants(lab.host.stateDir, known);
        const capacity = readCapacity(accelerator, options.parallel);
        // The first lane is admitted as its world would be.
        const isGiven = options.givenLanes === true && (spread?.lane ?? 1) > 1;
        return decideAdmission(demand, occupants, isGiven ? { ...capacity, vcpus: Infinity } : capacity);
      },
      park: (names) => parkWorlds(lab, names, report),
      run: async (group, hasOthers) => {
        await runGroup(run, group, groups.length > 1);
        if (hasOthers() && !run.isStopped()) await parkWorlds(lab, [group.demand.name], report);
      },
      refuse: (group, why) => giveUp(run, group, `does not fit into the memory of this host: ${why}`),
    });
  } catch (error) {
    // An interrupt stops all programs, also those that power a world off.
    if (!lab.host.signal.aborted) {
      interrupt(
        `the run broke off before this cell: ${error instanceof Error ? error.message : String(error)}`,
      );
      throw error;
    }
  }
  const isCut = lab.host.signal.aborted;
  interrupt(
    isCut ? 'the run was interrupted before this cell' : 'not started: another cell failed (--fail-fast)',
  );
  run.emit({ event: 'run-ended' });
}

/** A run whose events and results are saved as they come. */
function openRun(
  lab: Lab,
  dir: string,
  { cold = false, failFast = false, facts = createKeptFacts(), onWorldReady }: RunOptions,
  onResult: (result: CellResult) => void,
): Run {
  let hasFailed = false;
  const emit: Run['emit'] = (event) => {
    const at = new Date(lab.host.clock.now()).toISOString();
    appendLine(runPaths(dir).events, JSON.stringify({ at, ...event }));
    if (event.event === 'world-ready' && event.world !== undefined) onWorldReady?.(event.world);
  };
  return {
    lab,
    dir,
    oneAtATime: createMutex(),
    cold,
    facts,
    lookUp: rememberLookUps(lab),
    isStopped: () => lab.host.signal.aborted || (failFast && hasFailed),
    failFast,
    emit,
    finish: (result, lane) => {
      hasFailed ||= result.verdict === 'failed';
      writeJsonAtomic(runPaths(dir).cell(result.address).result, result);
      const { address, verdict } = result;
      emit({ event: 'cell-judged', address, verdict, ...laneField(lane) });
      onResult(result);
    },
  };
}

/** Whether one of these worlds is the parent of another one: its disk is copied while it is off. */
function needsAny(parent: string | undefined, groups: readonly Group[]): boolean {
  return groups.some(({ demand }) => demand.name === parent);
}

function groupByWorld(
  lab: Lab,
  { worlds, apart = false }: Pick<RunOptions, 'worlds' | 'apart'>,
  cells: readonly PlannedCell[],
): Group[] {
  const ofWorld = groupBy(cells, ({ variant }) => variantName(variant));
  return worlds.flatMap(({ name, variant, parent, lanes }) => {
    const demand = demandOf(lab, name, variant);
    const group = { demand, variant, cells: ofWorld.get(name) ?? [] };
    if (apart && readWorldRecord(lab.host.stateDir, name).isReady)
      return [{ ...group, demand: { ...demand, name: apartName(name), laneOf: name }, isApart: true }];
    return spreadGroup(parent === undefined ? group : { ...group, parent }, lanes);
  });
}
