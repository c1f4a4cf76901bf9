import { pathExists } from '../../drivers/files.ts';
import type { Variant } from '../../model/axes.ts';
import type { Artifact } from '../../model/components.ts';
import { DeclaredStartFailure } from '../../model/errors.ts';
import type { Accelerator } from '../../model/host.ts';
import { statePaths } from '../../model/paths.ts';
import { ensureComponents } from '../../../provision/components/components.ts';
import { ensureProvider, ensureTerraform } from '../../../provision/components/terraform.ts';
import { ensureImage } from '../../../provision/layers/image.ts';
import { proveAccelerator } from '../host/accelerator.ts';
import { buildWorld } from './build.ts';
import { planImageSpec } from './image-spec.ts';
import { destroyWorld } from './destroy.ts';
import type { Lab } from '../lab.ts';
import { findImageOf, lookUpWorld, type WorldLookup } from './look-up-world.ts';
import { deriveWorld } from '../derive/derive.ts';
import { findDerivation } from '../derive/find-derivation.ts';
import { planWorld, type WorldRecipe } from './recipe.ts';
import { restoreWorld } from '../restore/restore.ts';
import type { Mutex } from '../run/mutex.ts';
import type { PristineWorld, ReportWorld } from '../world.ts';
import type { Image, ImageSpec } from '../../model/image.ts';

/** How a world came up. */
export interface BroughtUp {
  readonly world: PristineWorld;
  /** `derived`: made of another saved world. `rebuilt`: the restored world was not healthy, twice. */
  readonly how: 'built' | 'derived' | 'restored' | 'rebuilt';
}

/** How to bring a world up. */
export interface BringUpOptions {
  /** Keep a half-built world for a look inside. */
  readonly keep: boolean;
  /** Build it from its image, whatever is saved. */
  readonly fresh?: boolean;
  /** Never derive it from another world. */
  readonly cold?: boolean;
  /** Called when it fails its health gate, and when it is built again for that. */
  readonly report?: ReportWorld;
  /** What all worlds share (components, images, the Terraform provider) is made by one of them at a time. */
  readonly oneAtATime?: Mutex;
}

/** Builds or finds the image of a recipe: components first, each only once. */
export async function bakeFor(lab: Lab, recipe: WorldRecipe): Promise<Image> {
  return bake(lab, planImageSpec(recipe, await collectArtifacts(lab, recipe)));
}

function collectArtifacts({ host, catalogue }: Lab, recipe: WorldRecipe): Promise<Artifact[]> {
  return host.progress.step('components', () => ensureComponents(host, catalogue, recipe.components));
}

function bake({ host }: Lab, spec: ImageSpec): Promise<Image> {
  return host.progress.step('base image', () => ensureImage(host, spec));
}

/**
 * Brings a variant's world up: restores it when it was ready with the same inputs, else derives it from a saved world,
 * else builds it from its image. One that is not healthy after two restores is built again.
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
  const artifacts = await oneAtATime(() => collectArtifacts(lab, recipe));
  const plan: WorldPlan = { recipe, artifacts, spec: planImageSpec(recipe, artifacts), accelerator };
  const known = findKnown(lab, plan);
  const saved = known?.saved;
  if (saved !== undefined && options.fresh !== true) {
    try {
      const world = await host.progress.step(`restoring world ${recipe.name}`, () =>
        restoreWorld(lab, { phase: 'saved', record: saved }, report),
      );
      return { world, how: 'restored' };
    } catch (error) {
      if (host.signal.aborted) throw error;
      const unhealthy = (error as Error).message;
      report('world-rebuilt', unhealthy);
      await removeOld(lab, plan, `was not healthy after two restores (${unhealthy})`);
    }
  } else await removeOld(lab, plan, saved === undefined ? known?.why : 'is not to be used');
  await oneAtATime(async () => ensureProvider(host, await ensureTerraform(host)));
  const derived = saved === undefined ? await tryToDerive(lab, plan, options) : undefined;
  if (derived !== undefined) return { world: derived, how: 'derived' };
  const image = await oneAtATime(() => bake(lab, plan.spec));
  const { key, inputs } = lookUpWorld(host, recipe, { image, accelerator, uri: lab.connection.uri });
  const world = await host.progress.step(`building world ${recipe.name}`, () =>
    buildWorld(lab, { recipe, image, accelerator, key, inputs, keep: options.keep }),
  );
  return { world, how: saved === undefined ? 'built' : 'rebuilt' };
}

/** What a world is to be, before anything of it is made. */
interface WorldPlan {
  readonly recipe: WorldRecipe;
  readonly artifacts: readonly Artifact[];
  readonly spec: ImageSpec;
  readonly accelerator: Accelerator;
}

/** Looks whether the world is saved; undefined when its image is not there either. */
function findKnown({ host, connection }: Lab, plan: WorldPlan): WorldLookup | undefined {
  const { recipe, spec, accelerator } = plan;
  const image = findImageOf(host, recipe, spec);
  if (image === undefined) return undefined;
  return lookUpWorld(host, recipe, { image, accelerator, uri: connection.uri });
}

async function removeOld(lab: Lab, { recipe }: WorldPlan, why: string | undefined): Promise<void> {
  const { host } = lab;
  if (!pathExists(statePaths(host.stateDir).world(recipe.name).dir)) return;
  host.progress.note(`world ${recipe.name} ${why ?? 'stands on an image that is gone'}: making it again`);
  await destroyWorld(lab, recipe.name);
}

/**
 * Derives a world from a saved one, where there is one and nobody wants it cold. Where that fails, what was made of it is
 * taken back, and the caller builds it from its image.
 *
 * @throws DeclaredStartFailure: the world is what it is declared to be, however it is made.
 */
async function tryToDerive(
  lab: Lab,
  { recipe, artifacts, spec, accelerator }: WorldPlan,
  { cold, keep }: BringUpOptions,
): Promise<PristineWorld | undefined> {
  const { host } = lab;
  if (cold === true) return undefined;
  const found = await findDerivation(lab, recipe, spec, accelerator);
  if (found === undefined) return undefined;
  if ('cold' in found) {
    host.progress.note(`world ${recipe.name} is built from its image: ${found.cold}`);
    return undefined;
  }
  const { parent, image, changes, wanted } = found;
  const { key, inputs } = wanted;
  try {
    return await host.progress.step(`deriving world ${recipe.name} from ${parent.name}`, () =>
      deriveWorld(lab, { recipe, image, accelerator, key, inputs, keep, parent, changes, artifacts }),
    );
  } catch (error) {
    if (host.signal.aborted || keep || error instanceof DeclaredStartFailure) throw error;
    host.progress.note(`could not derive ${recipe.name} from ${parent.name}: ${(error as Error).message}`);
    await lab.undo.run(host.progress);
    return undefined;
  }
}
