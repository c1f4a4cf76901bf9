import type { Variant } from '../../model/axes.ts';
import type { CellResult } from '../../model/formats.ts';
import type { RunEvent } from '../../model/run-event.ts';
import type { PlannedCell } from '../../plan/plan-cells.ts';
import type { Lab } from '../lab.ts';
import type { LostWorld, PristineWorld, ReportWorld, UsedWorld } from '../world.ts';
import type { Demand } from './admission.ts';
import type { Mutex } from './mutex.ts';

/** A run in progress. */
export interface Run {
  readonly lab: Lab;
  readonly dir: string;
  /** What all worlds share is made by one of them at a time. */
  readonly oneAtATime: Mutex;
  emit(event: Omit<RunEvent, 'at'>): void;
  finish(result: CellResult): void;
}

/** The cells of one world. */
export interface Group {
  readonly demand: Demand;
  readonly variant: Variant;
  readonly cells: readonly PlannedCell[];
}

/** A group being run, with a lab of its own: what is half-built is undone for this world alone. */
export interface GroupRun extends Run {
  readonly report: ReportWorld;
}

/** What has become of the world of a group, between two of its cells. */
export interface GroupWorld<Phase = PristineWorld | UsedWorld | LostWorld> {
  readonly world: Phase;
  /** Whether it was built again in this run because it was not healthy: that is done once. */
  readonly wasRebuilt: boolean;
}

/** A world of a group that can still be had. */
export type HeldWorld = GroupWorld<PristineWorld | UsedWorld>;
