import { pathExists } from '../../drivers/files.ts';
import type { Variant } from '../../model/axes.ts';
import { statePaths } from '../../model/paths.ts';
import { ensureComponents } from '../../../provision/components/components.ts';
import { ensureProvider, ensureTerraform } from '../../../provision/components/terraform.ts';
import { ensureImage } from '../../../provision/layers/image.ts';
import { proveAccelerator } from '../host/accelerator.ts';
import { buildWorld } from './build.ts';
import { planImageSpec } from './image-spec.ts';
import { destroyWorld } from './destroy.ts';
import type { Lab } from '../lab.ts';
import { lookUpWorld } from './look-up-world.ts';
import { planWorld, type WorldRecipe } from './recipe.ts';
import { restoreWorld } from '../restore/restore.ts';
import type { Mutex } from '../run/mutex.ts';
import type { PristineWorld, ReportWorld } from '../world.ts';
import type { Image } from '../../model/image.ts';

/** How a world came up. */
export interface BroughtUp {
  readonly world: PristineWorld;
  /** `rebuilt`: the restored world was not healthy, twice. */
  readonly how: 'built' | 'restored' | 'rebuilt';
}

/** How to bring a world up. */
export interface BringUpOptions {
  /** Keep a half-built world for a look inside. */
  readonly keep: boolean;
  /** Build it again, whatever is there. */
  readonly fresh?: boolean;
  /** Called when it fails its health gate, and when it is built again for that. */
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
  const wanted = lookUpWorld(host, recipe, { image, accelerator, uri: lab.connection.uri });
  const { key, inputs, saved } = wanted;
  let unhealthy: string | undefined;
  if (saved !== undefined && options.fresh !== true) {
    try {
      const world = await host.progress.step(`restoring world ${recipe.name}`, () =>
        restoreWorld(lab, { phase: 'saved', record: saved }, report),
      );
      return { world, how: 'restored' };
    } catch (error) {
      if (host.signal.aborted) throw error;
      unhealthy = (error as Error).message;
      report('world-rebuilt', unhealthy);
    }
  }
  if (pathExists(statePaths(host.stateDir).world(recipe.name).dir)) {
    const why = saved === undefined ? wanted.why : whyUnhealthy(unhealthy);
    host.progress.note(`world ${recipe.name} ${why}: building it again`);
    await destroyWorld(lab, recipe.name);
  }
  await oneAtATime(async () => ensureProvider(host, await ensureTerraform(host)));
  const world = await host.progress.step(`building world ${recipe.name}`, () =>
    buildWorld(lab, { recipe, image, accelerator, key, inputs, keep: options.keep }),
  );
  return { world, how: saved === undefined ? 'built' : 'rebuilt' };
}

function whyUnhealthy(said: string | undefined): string {
  return `was not healthy after two restores${said === undefined ? '' : ` (${said})`}`;
}
