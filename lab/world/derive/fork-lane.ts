import { findImageIn } from '../../../provision/layers/image.ts';
import type { Variant } from '../../model/axes/axes.ts';
import { HostError } from '../../model/errors/errors.ts';
import { laneName } from '../../model/host/lane-name.ts';
import { keepTiming } from '../keep-timing.ts';
import type { Lab } from '../lab.ts';
import { planWorld } from '../recipe/recipe.ts';
import { runSteps, startSteps, type BuildInput } from '../steps/build-step.ts';
import { makeMachines } from '../steps/make-machines.ts';
import { reserveWorld } from '../steps/reserve-world.ts';
import { findWorldRecord, isReady, type ReadyRecord } from '../world-record.ts';
import type { PristineWorld } from '../world.ts';
import { forkMachines, likeParent } from './fork-machines.ts';

/**
 * Forks a lane from a saved world: its disks and memory on machines of its own, under a name and on ports of its own. Nothing in
 * it is changed. On disk it stays unfinished, and the undo list of the lab removes it: nobody else is to use it, and what a
 * crash leaves of it is garbage. The world stays as it is, powered off.
 *
 * @param lane counted from 1.
 * @throws HostError LAB_SNAPSHOT when the world is not saved, or has no image any more.
 */
export async function forkLane(lab: Lab, variant: Variant, lane: number): Promise<PristineWorld> {
  const { host, matrix, catalogue } = lab;
  const startedAt = host.clock.now();
  const recipe = planWorld(variant, { matrix, catalogue, projectDir: host.projectDir, ownDir: host.ownDir });
  const parent = findWorldRecord(host.stateDir, recipe.name);
  if (parent === undefined || !isReady(parent)) throw unusable(recipe.name, 'it is not saved');
  const image = findImageIn(host, parent.image.dir);
  if (image === undefined) throw unusable(recipe.name, `its image is gone: ${parent.image.dir}`);
  const input: BuildInput = {
    recipe: { ...recipe, name: laneName(recipe.name, lane) },
    image: { ...image, ...parent.image },
    accelerator: parent.accelerator,
    key: parent.key,
    inputs: parent.inputs ?? {},
    parent,
    lane,
  };
  const steps = startSteps().next(reserveWorld).next(makeMachines).next(forkMachines(parent));
  const { guests, kubernetes, record } = (await runSteps(lab, steps, input, { keep: false })).world;
  keepTiming(host, { kind: 'lane', name: recipe.name, seconds: (host.clock.now() - startedAt) / 1000 });
  return { phase: 'pristine', record: asReady(parent, likeParent(parent, record)), guests, kubernetes };
}

/** What its nodes are was read back of the world. */
function asReady({ effective }: ReadyRecord, record: ReadyRecord): ReadyRecord {
  return effective === undefined ? record : { ...record, effective };
}

function unusable(world: string, lastSeen: string): HostError {
  return new HostError('LAB_SNAPSHOT', `no lane can be forked from ${world}: ${lastSeen}`, {
    lastSeen,
    tryNext: `npx whodunit up ${world}`,
  });
}
