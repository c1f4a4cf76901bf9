import type { CacheAnswer } from '../../model/cache.ts';
import type { Artifact, Components } from '../../model/components.ts';
import type { Host } from '../../model/host.ts';
import { lookUpComponent } from '../../../provision/components/components.ts';
import { explainImage } from '../../../provision/layers/image.ts';
import { planImageSpec } from '../build/image-spec.ts';
import type { WorldRecipe } from '../build/recipe.ts';

/** Says of everything a world is made of whether it is in the cache, and why it would be made; makes nothing. */
export async function explainCache(
  host: Host,
  catalogue: Components,
  recipe: WorldRecipe,
): Promise<CacheAnswer[]> {
  const answers: CacheAnswer[] = [];
  const artifacts: Artifact[] = [];
  for (const ref of recipe.components) {
    const { version, artifact, why } = await lookUpComponent(host, catalogue, ref);
    if (artifact !== undefined) artifacts.push(artifact);
    answers.push({ kind: 'component', name: ref.name, version, hit: artifact !== undefined, why });
  }
  const missing = answers.filter(({ hit }) => !hit).map(({ name }) => name);
  if (missing.length === 0) return [...answers, ...explainImage(host, planImageSpec(recipe, artifacts))];
  // The digest of a component is known once it is there, and is part of every image's.
  const why = `made after ${missing.join(', ')}, which ${missing.length === 1 ? 'is' : 'are'} not there yet`;
  return [...answers, { kind: 'image', name: '', version: recipe.kubernetes, hit: false, why }];
}
