import type { Artifact } from '../../model/components/components.ts';
import type { ImageSpec } from '../../model/components/image.ts';
import type { WorldRecipe } from './recipe.ts';

/** The image of a recipe. Drivers, runtimes and knobs are not part of it, but for packages: one image serves them all. */
export function planImageSpec(recipe: WorldRecipe, artifacts: readonly Artifact[]): ImageSpec {
  const { suite, debian, kubernetes, kernel, knobs } = recipe;
  const spec = { suite, debian, kubernetes, kernel, artifacts };
  return knobs.packages === undefined ? spec : { ...spec, packages: knobs.packages };
}
