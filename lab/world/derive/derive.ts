import type { Artifact } from '../../model/components/components.ts';
import {
  runSteps,
  startSteps,
  type BuildInput,
  type SettledWorld,
  type StepList,
} from '../steps/build-step.ts';
import { keepWorld } from '../steps/keep-world.ts';
import { awaitCluster } from '../steps/cluster-ready.ts';
import { makeMachines } from '../steps/make-machines.ts';
import { reserveWorld } from '../steps/reserve-world.ts';
import { saveWorld } from '../steps/save-world.ts';
import type { Lab } from '../lab.ts';
import { settleWorld } from '../settle/settle.ts';
import type { ReadyRecord } from '../world-record.ts';
import type { PristineWorld } from '../world.ts';
import { addWorkers } from './add-workers.ts';
import { changeNodes } from './change-nodes.ts';
import { forkMachines } from './fork-machines.ts';
import type { WorldChange } from './plan-changes.ts';

/** What a world is derived from. */
export interface DeriveInput extends BuildInput {
  readonly parent: ReadyRecord;
  readonly changes: readonly WorldChange[];
  /** Components of the world. */
  readonly artifacts: readonly Artifact[];
}

/** From a saved world to another one. All but the fork and the changes are the steps of every build. */
function deriveSteps({ parent, changes, artifacts }: DeriveInput): StepList<SettledWorld> {
  return startSteps()
    .next(reserveWorld)
    .next(makeMachines)
    .next(forkMachines(parent))
    .next(changeNodes(changes, artifacts))
    .nextIf(() => changes.some(({ kind }) => kind === 'workers'), addWorkers)
    .next(awaitCluster)
    .next(settleWorld)
    .next(saveWorld);
}

/**
 * Derives a world from a saved one. Everything is read back and compared with what the variant declares, as in a world
 * that is built from its image. When a step fails, what was made is taken back by the undo list of the lab. The parent is
 * powered off, and stays as it is.
 *
 * @param input `keep` leaves a half-made world for a look inside.
 */
export async function deriveWorld(
  lab: Lab,
  input: DeriveInput & { readonly keep: boolean },
): Promise<PristineWorld> {
  const startedAt = lab.host.clock.now();
  const { parent, keep } = input;
  const { world, timings } = await runSteps(lab, deriveSteps(input), input, { keep });
  const record = { ...world.record, parent: { name: parent.name, key: parent.key } };
  return keepWorld(lab, { ...world, record }, { kind: 'derived world', startedAt, timings });
}
