import type { Artifact } from '../../model/components/components.ts';
import type { ImageSpec } from '../../model/components/image.ts';
import type { WorldRecipe } from './recipe.ts';

/** The image of a recipe. Drivers, knobs and runtimes are not part of it: one image serves them all. */
export function planImageSpec(recipe: WorldRecipe, artifacts: readonly Artifact[]): ImageSpec {
  const { suite, kubernetes, kernel } = recipe;
  return { suite, kubernetes, kernel, artifacts };
}
