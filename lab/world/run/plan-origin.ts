import { libvirtUri } from '../../drivers/machines/libvirt-connection.ts';
import type { Variant } from '../../model/axes/axes.ts';
import type { Host } from '../../model/host/host.ts';
import { digestInputs } from '../../model/components/inputs.ts';
import type { PlannedOrigin, PlannedOriginWorld } from '../../model/saved/origin.ts';
import { collectImageInputs } from '../../../provision/layers/image.ts';
import { planImageSpec } from '../recipe/image-spec.ts';
import { findImageOf, lookUpWorld } from '../recipe/look-up-world.ts';
import { planWorld } from '../recipe/recipe.ts';
import { proveAccelerator } from '../host/accelerator.ts';
import { describeContents, type LookUp, type OriginCell, type OriginSource } from './save-origins.ts';

/**
 * Says what a cell would be made of now. Its world is the one that it would get: whether it is up, parked or not there
 * does not count. Makes nothing; where the image is in the cache a test guest boots, because the accelerator is an
 * input of the world.
 */
export async function planOrigin(
  source: OriginSource & { readonly host: Host },
  cell: OriginCell,
  lookUp: LookUp,
): Promise<PlannedOrigin> {
  return {
    ...(await describeContents(source, cell, lookUp)),
    world: await planWorldOf(source, cell.variant, lookUp),
  };
}

async function planWorldOf(
  { host, matrix, catalogue }: OriginSource & { readonly host: Host },
  variant: Variant,
  lookUp: LookUp,
): Promise<PlannedOriginWorld> {
  const recipe = planWorld(variant, { matrix, catalogue, projectDir: host.projectDir, ownDir: host.ownDir });
  const found = await Promise.all(recipe.components.map(lookUp));
  const artifacts = found.flatMap(({ artifact }) => artifact ?? []);
  if (artifacts.length < found.length) return { image: undefined, key: undefined };
  const spec = planImageSpec(recipe, artifacts);
  const digest = digestInputs(collectImageInputs(host, spec));
  const image = findImageOf(host, recipe, spec);
  if (image === undefined) return { image: digest, key: undefined };
  const { accelerator } = await proveAccelerator(host);
  const uri = libvirtUri(host);
  const { key } = lookUpWorld(host, recipe, { image, accelerator, uri });
  return { image: digest, key: { digest: key, host: `${accelerator}, ${uri}` } };
}
