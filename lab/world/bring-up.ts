import { pathExists, readJson } from '../drivers/files.ts';
import type { Variant } from '../model/axes.ts';
import { statePaths } from '../model/paths.ts';
import { ensureComponents } from '../../provision/components/components.ts';
import { ensureImage } from '../../provision/image/image.ts';
import { renderPatches } from '../../provision/kubeadm/config.ts';
import { readGuestSteps } from '../../provision/guest/steps.ts';
import { proveAccelerator } from './host/accelerator.ts';
import { buildWorld } from './build.ts';
import { destroyWorld } from './destroy.ts';
import type { Lab } from './lab.ts';
import { kernelArguments, kubeadmConfig, planWorld, worldKey, type WorldRecipe } from './recipe.ts';
import { restoreWorld } from './restore.ts';
import { worldRecordSchema, type WorldRecord } from './world-record.ts';
import type { World } from './world.ts';
import type { Image } from '../model/image.ts';

/** How a world came up. */
export interface BroughtUp {
  readonly world: World;
  readonly how: 'built' | 'restored';
}

/** Finds the record of a world; undefined when there is none or it is not readable by this version. */
export function findWorldRecord(stateDir: string, name: string): WorldRecord | undefined {
  const parsed = worldRecordSchema.safeParse(readJson(statePaths(stateDir).world(name).record));
  return parsed.success ? parsed.data : undefined;
}

/** Builds or finds the image of a recipe: components first, each only once. */
export async function bakeFor(lab: Lab, recipe: WorldRecipe): Promise<Image> {
  const artifacts = await lab.host.progress.step('components', () =>
    ensureComponents(lab.host, lab.catalogue, recipe.components),
  );
  return lab.host.progress.step('base image', () =>
    ensureImage(lab.host, { suite: recipe.suite, kubernetes: recipe.kubernetes, artifacts }),
  );
}

/** Brings a variant's world up: restores it when it was ready with the same inputs, else builds it. */
export async function bringUp(lab: Lab, variant: Variant, options: { keep: boolean }): Promise<BroughtUp> {
  const { host } = lab;
  const recipe = planWorld(variant, lab.machine, lab.catalogue);
  const { accelerator } = await proveAccelerator(host);
  const image = await bakeFor(lab, recipe);
  const key = worldKey({
    recipe,
    image: image.digest,
    accelerator,
    kernelArguments: kernelArguments(variant),
    kubeadm: [kubeadmConfig(recipe), renderPatches(recipe.kubernetes)],
    steps: readGuestSteps(host.projectDir),
    uri: lab.connection.uri,
  });
  const known = findWorldRecord(host.stateDir, recipe.name);
  if (known !== undefined && known.state === 'ready' && known.key === key) {
    const world = await host.progress.step(`restoring world ${recipe.name}`, () => restoreWorld(lab, known));
    return { world, how: 'restored' };
  }
  if (pathExists(statePaths(host.stateDir).world(recipe.name).dir)) {
    host.progress.note(
      known?.state === 'ready'
        ? `world ${recipe.name} was made of other inputs: building it again`
        : `world ${recipe.name} was left half-built: building it again`,
    );
    await destroyWorld(lab, recipe.name);
  }
  const world = await host.progress.step(`building world ${recipe.name}`, () =>
    buildWorld(lab, { recipe, image, accelerator, key, keep: options.keep }),
  );
  return { world, how: 'built' };
}
