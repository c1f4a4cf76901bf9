import { pathExists } from '../../drivers/files.ts';
import type { Variant } from '../../model/axes.ts';
import { statePaths } from '../../model/paths.ts';
import { ensureComponents } from '../../../provision/components/components.ts';
import { ensureProvider, ensureTerraform } from '../../../provision/components/terraform.ts';
import { ensureImage } from '../../../provision/image/image.ts';
import { readGuestSteps } from '../../../provision/guest/steps.ts';
import { proveAccelerator } from '../host/accelerator.ts';
import { buildWorld } from './build.ts';
import { planImageSpec } from './image-spec.ts';
import { destroyWorld } from './destroy.ts';
import type { Lab } from '../lab.ts';
import {
  kernelArguments,
  kubeadmConfig,
  kubeadmPatches,
  planWorld,
  worldKey,
  type WorldRecipe,
} from './recipe.ts';
import { restoreWorld } from '../restore/restore.ts';
import { runtimeFiles } from './runtime-files.ts';
import { findWorldRecord, isReady, type WorldRecord } from '../world-record.ts';
import type { Mutex } from '../run/mutex.ts';
import type { PristineWorld, ReportWorld } from '../world.ts';
import type { Image } from '../../model/image.ts';

/** How a world came up. */
export interface BroughtUp {
  readonly world: PristineWorld;
  /** `rebuilt`: the restored one was not healthy, twice. */
  readonly how: 'built' | 'restored' | 'rebuilt';
}

/** How to bring a world up. */
export interface BringUpOptions {
  /** Keep a half-built world for a look inside. */
  readonly keep: boolean;
  /** Build it anew, whatever is there. */
  readonly fresh?: boolean;
  /** Told when it fails its health gate, and when it is built again for that. */
  readonly report?: ReportWorld;
  /** What all worlds share (components, images, the Terraform provider) is made by one of them at a time. */
  readonly oneAtATime?: Mutex;
}

/** Builds or finds the image of a recipe: components first, each only once. */
export async function bakeFor(lab: Lab, recipe: WorldRecipe): Promise<Image> {
  const artifacts = await lab.host.progress.step('components', () =>
    ensureComponents(lab.host, lab.catalogue, recipe.components),
  );
  return lab.host.progress.step('base image', () => ensureImage(lab.host, planImageSpec(recipe, artifacts)));
}

/**
 * Brings a variant's world up: restores it when it was ready with the same inputs, else builds it. One that is not
 * healthy after two restores is built again.
 */
export async function bringUp(lab: Lab, variant: Variant, options: BringUpOptions): Promise<BroughtUp> {
  const { host } = lab;
  const { report = () => undefined, oneAtATime = (work) => work() } = options;
  const recipe = planWorld(variant, {
    matrix: lab.matrix,
    catalogue: lab.catalogue,
    projectDir: host.projectDir,
  });
  const { accelerator } = await proveAccelerator(host);
  const image = await oneAtATime(() => bakeFor(lab, recipe));
  const key = worldKey({
    recipe,
    image: image.digest,
    accelerator,
    kernelArguments: kernelArguments(recipe, accelerator),
    runtime: runtimeFiles(recipe, image, recipe.drivers.runtime),
    kubeadm: [kubeadmConfig(recipe), kubeadmPatches(recipe)],
    steps: readGuestSteps(host.projectDir),
    uri: lab.connection.uri,
  });
  const known = findWorldRecord(host.stateDir, recipe.name);
  const usable = known !== undefined && isReady(known) && known.key === key;
  let unhealthy: string | undefined;
  if (usable && options.fresh !== true) {
    try {
      const world = await host.progress.step(`restoring world ${recipe.name}`, () =>
        restoreWorld(lab, { phase: 'saved', record: known }, report),
      );
      return { world, how: 'restored' };
    } catch (error) {
      if (host.signal.aborted) throw error;
      unhealthy = (error as Error).message;
      report('world-rebuilt', unhealthy);
    }
  }
  if (pathExists(statePaths(host.stateDir).world(recipe.name).dir)) {
    host.progress.note(`world ${recipe.name} ${whyAgain(known, usable, unhealthy)}: building it again`);
    await destroyWorld(lab, recipe.name);
  }
  await oneAtATime(async () => ensureProvider(host, await ensureTerraform(host)));
  const world = await host.progress.step(`building world ${recipe.name}`, () =>
    buildWorld(lab, { recipe, image, accelerator, key, keep: options.keep }),
  );
  return { world, how: usable ? 'rebuilt' : 'built' };
}

function whyAgain(known: WorldRecord | undefined, usable: boolean, unhealthy: string | undefined): string {
  if (usable) return `was not healthy after two restores${unhealthy === undefined ? '' : ` (${unhealthy})`}`;
  return known?.state === 'ready' ? 'was made of other inputs' : 'was left half-built';
}
