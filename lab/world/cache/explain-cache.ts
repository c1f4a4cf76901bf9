import { libvirtUri } from '../../drivers/machines/libvirt-connection.ts';
import type { CacheAnswer } from '../../model/saved/cache.ts';
import type { Artifact, Components } from '../../model/components/components.ts';
import type { Host } from '../../model/host/host.ts';
import type { ImageSpec } from '../../model/components/image.ts';
import { listDifferences } from '../../model/components/inputs.ts';
import { statePaths } from '../../model/host/paths.ts';
import { lookUpComponent } from '../../../provision/components/components.ts';
import { collectImageInputs, explainImage } from '../../../provision/layers/image.ts';
import { planImageSpec } from '../recipe/image-spec.ts';
import { findImageOf, lookUpWorld } from '../recipe/look-up-world.ts';
import type { WorldRecipe } from '../recipe/recipe.ts';
import { explainStale, recipeInputs } from '../recipe/world-inputs.ts';
import { proveAccelerator } from '../host/accelerator.ts';
import { findWorldRecord } from '../world-record.ts';

/**
 * Says of everything a world is made of, and of the world itself, whether it is there, and why it would be made. Makes
 * nothing; where a world may be there, a test guest boots, because the accelerator is one of its inputs.
 */
export async function explainCache(
  host: Host,
  catalogue: Components,
  recipe: WorldRecipe,
): Promise<CacheAnswer[]> {
  const { answers, spec } = await explainParts(host, catalogue, recipe);
  if (spec !== undefined) return [...answers, await explainWorld(host, recipe, spec)];
  return [...answers, { kind: 'world', name: recipe.name, version: '', hit: false, why: answers.at(-1)?.why ?? '' }];
}

/** Like `explainCache`, but without the world: what it says is the same on any host. */
export async function explainMade(
  host: Host,
  catalogue: Components,
  recipe: WorldRecipe,
): Promise<CacheAnswer[]> {
  return (await explainParts(host, catalogue, recipe)).answers;
}

async function explainParts(
  host: Host,
  catalogue: Components,
  recipe: WorldRecipe,
): Promise<{ readonly answers: CacheAnswer[]; readonly spec?: ImageSpec }> {
  const answers: CacheAnswer[] = [];
  const artifacts: Artifact[] = [];
  for (const ref of recipe.components) {
    const { version, artifact, why } = await lookUpComponent(host, catalogue, ref);
    if (artifact !== undefined) artifacts.push(artifact);
    answers.push({ kind: 'component', name: ref.name, version, hit: artifact !== undefined, why });
  }
  const missing = answers.filter(({ hit }) => !hit).map(({ name }) => name);
  if (missing.length === 0) {
    const spec = planImageSpec(recipe, artifacts);
    return { answers: [...answers, ...explainImage(host, spec)], spec };
  }
  // The digest of a component is known once it is there, and is part of the image's and of the world's.
  const why = `made after ${missing.join(', ')}, which ${missing.length === 1 ? 'is' : 'are'} not there yet`;
  const image = { kind: 'image', name: '', version: recipe.kubernetes, hit: false, why } as const;
  return { answers: [...answers, image] };
}

/** Says whether the world of a recipe is saved, and why it would be built. */
export async function explainWorld(host: Host, recipe: WorldRecipe, spec: ImageSpec): Promise<CacheAnswer> {
  const { name } = recipe;
  const answer = (hit: boolean, why: string): CacheAnswer => ({ kind: 'world', name, version: '', hit, why });
  const record = findWorldRecord(host.stateDir, recipe.name);
  const image = findImageOf(host, recipe, spec);
  if (image === undefined) {
    // What depends on versions that are read back from the image is not known yet: taken to be as it was.
    const inputs = { ...record?.inputs, ...collectImageInputs(host, spec), ...recipeInputs(recipe) };
    const differs = record?.inputs !== undefined && listDifferences(record.inputs, inputs).length > 0;
    return answer(
      false,
      differs ? explainStale(record, inputs) : 'made after the image, which is not there yet',
    );
  }
  const { accelerator } = await proveAccelerator(host);
  const { saved, why } = lookUpWorld(host, recipe, { image, accelerator, uri: libvirtUri(host) });
  return saved === undefined
    ? answer(false, why)
    : answer(true, statePaths(host.stateDir).world(recipe.name).dir);
}
