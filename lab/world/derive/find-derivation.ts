import { lookUpComponent } from '../../../provision/components/components.ts';
import { findImage } from '../../../provision/layers/image.ts';
import type { Artifact } from '../../model/components/components.ts';
import type { Image, ImageSpec } from '../../model/components/image.ts';
import { findParent } from '../../plan/worlds/plan-worlds.ts';
import { planImageSpec } from '../recipe/image-spec.ts';
import { lookUpWorld, nameInputs, type UpSource, type WorldLookup } from '../recipe/look-up-world.ts';
import { planWorld, type WorldRecipe } from '../recipe/recipe.ts';
import type { ReadyRecord } from '../world-record.ts';
import { planChanges, type WorldChange } from './plan-changes.ts';

/** How a world is made of a saved one. */
export interface Derivation {
  readonly parent: ReadyRecord;
  /** The files of the parent's image, on which the disks are based, with the inputs of the world that is made. */
  readonly image: Image;
  readonly changes: readonly WorldChange[];
  /** The world that is made. */
  readonly wanted: WorldLookup;
}

/**
 * Finds the saved world that a recipe can be made of, and how. Or says, in a clause, why there is none although such a
 * world could be; undefined where none could.
 */
export async function findDerivation(
  source: UpSource,
  recipe: WorldRecipe,
  spec: ImageSpec,
): Promise<Derivation | { readonly cold: string } | undefined> {
  const { host, matrix, catalogue, accelerator, uri } = source;
  const found = findParent(recipe.variant, matrix);
  if (found.variant === undefined) return undefined;
  const parentRecipe = planWorld(found.variant, {
    matrix,
    catalogue,
    projectDir: host.projectDir,
    ownDir: host.ownDir,
  });
  const image = await findParentImage(source, parentRecipe);
  if (image === undefined) return { cold: `the image of ${parentRecipe.name} is not there` };
  const over = { accelerator, uri };
  const parent = lookUpWorld(host, parentRecipe, { image, ...over });
  if (parent.saved === undefined) return { cold: `${parentRecipe.name} ${parent.why}` };
  const named = nameInputs(host, image, spec);
  const wanted = lookUpWorld(host, recipe, { image: named, ...over });
  const plan = planChanges(parent.inputs, wanted.inputs);
  if ('cold' in plan) return { cold: `other than ${parentRecipe.name}: ${plan.cold}` };
  return { parent: parent.saved, image: named, changes: plan.changes, wanted };
}

/** The image of a world, if all that goes into it is there; makes nothing. */
async function findParentImage(
  { host, catalogue }: UpSource,
  recipe: WorldRecipe,
): Promise<Image | undefined> {
  const artifacts: Artifact[] = [];
  for (const ref of recipe.components) {
    const { artifact } = await lookUpComponent(host, catalogue, ref);
    if (artifact === undefined) return undefined;
    artifacts.push(artifact);
  }
  return findImage(host, planImageSpec(recipe, artifacts));
}
