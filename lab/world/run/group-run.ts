import type { Variant } from '../../model/axes/axes.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import type { RunEvent } from '../../model/saved/run-event.ts';
import type { PlannedCell } from '../../plan/cells/plan-cells.ts';
import type { Lab } from '../lab.ts';
import type { LostWorld, PristineWorld, ReportWorld, UsedWorld } from '../world.ts';
import type { BroughtUp } from '../bring-up/bring-up.ts';
import type { Demand } from '../host/admission.ts';
import type { CellQueue } from './cell-queue.ts';
import type { KeptFacts } from './kept-facts.ts';
import type { Mutex } from '../mutex.ts';
import type { LookUp } from './save-origins.ts';

/** A run in progress. */
export interface Run {
  readonly lab: Lab;
  readonly dir: string;
  /** What all worlds share is made by one of them at a time. */
  readonly oneAtATime: Mutex;
  /** Build every world from its image. */
  readonly cold: boolean;
  /** Gets what the report will show of each cell. */
  readonly facts: KeptFacts;
  /** Whether no further cell is to be started. */
  isStopped(): boolean;
  /** A failed cell is the last one: its world stays as it left it. */
  readonly failFast: boolean;
  emit(event: Omit<RunEvent, 'at'>): void;
  /** @param lane the lane that ran it, where its world has several. */
  finish(result: CellResult, lane?: number): void;
  /** Looks up the components that cells are made of. */
  readonly lookUp: LookUp;
}

/** The cells of one world. */
export interface Group {
  readonly demand: Demand;
  readonly variant: Variant;
  /** Name of the world that this one is derived from. */
  readonly parent?: string;
  /** All cells of the world. */
  readonly cells: readonly PlannedCell[];
  /** Absent: the world runs its cells itself, one after the other. */
  readonly spread?: Spread;
  /** Whether its world is built beside the saved one of this variant, and removed after its cells. */
  readonly isApart?: boolean;
}

/** The part that a group has in running the cells of a world with several lanes. */
interface Spread {
  /** What the lanes share. */
  readonly queue: CellQueue;
  /** Which lane it is; absent of the world itself, which is only brought up, for the lanes to be forked from it. */
  readonly lane?: number;
}

/** A group that runs, with a lab of its own, so that only a half-built world of this group is undone. */
export interface GroupRun extends Run {
  readonly report: ReportWorld;
  /** Name of its world in the state folder, where that is not the name of the variant. */
  readonly apart?: string;
  /** Makes the world: brings it up, or forks the lane from it. */
  readonly open: () => Promise<OpenedWorld>;
  /** Makes the world once more, from the ground up, when it cannot be restored. */
  readonly remake: () => Promise<PristineWorld>;
}

/** The world of a group that has come up. */
export interface OpenedWorld {
  readonly world: PristineWorld;
  readonly how: BroughtUp['how'] | 'forked';
}

/** The world of a group between two of its cells. */
export interface GroupWorld<Phase = PristineWorld | UsedWorld | LostWorld> {
  readonly world: Phase;
  /** Whether this run has built it again because it was not healthy. It does so once. */
  readonly wasRebuilt: boolean;
}

/** The world of a group as a cell leaves it to the next one. */
export interface LeftWorld extends GroupWorld {
  /** The same world made pristine for the next cell; absent: that was not begun. It never rejects. */
  readonly restored?: Promise<GroupWorld<PristineWorld | LostWorld>>;
}

/** A world of a group that is not lost. */
export type HeldWorld = GroupWorld<PristineWorld | UsedWorld>;
