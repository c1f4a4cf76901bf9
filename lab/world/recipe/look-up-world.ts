import { pathExists } from '../../drivers/files/files.ts';
import type { Accelerator, Host } from '../../model/host/host.ts';
import type { Image, ImageSpec } from '../../model/components/image.ts';
import { digestInputs, type Inputs } from '../../model/components/inputs.ts';
import { leadingVersion } from '../../model/variants/versions.ts';
import type { Components } from '../../model/components/components.ts';
import type { Matrix } from '../../model/declared/matrix.ts';
import { statePaths } from '../../model/host/paths.ts';
import type { ComponentHost } from '../../../provision/components/source.ts';
import { collectImageInputs, findImage, findImageIn } from '../../../provision/layers/image.ts';
import { findWorldRecord, isReady, type ReadyRecord } from '../world-record.ts';
import type { WorldRecipe } from './recipe.ts';
import { collectWorldParts, explainStale, worldInputs, worldKey } from './world-inputs.ts';

/**
 * An image under the inputs of another spec. A world that was derived is built on the image of its parent, and what
 * differs was put into it afterwards; its key is that of a world built from an image of its own.
 */
export function nameInputs(
  host: Pick<Host, 'projectDir' | 'cacheDir'>,
  image: Image,
  spec: ImageSpec,
): Image {
  const inputs = collectImageInputs(host, spec);
  const releases = spec.artifacts.filter(
    ({ component, version }) => component in image.versions && leadingVersion(version) === version,
  );
  const versions = Object.fromEntries(releases.map(({ component, version }) => [component, version]));
  return {
    ...image,
    inputs,
    digest: digestInputs(inputs),
    versions: { ...image.versions, ...versions },
  };
}

/**
 * The image of a recipe: its own, or, for a derived world, the one that its disks are based on. Undefined when
 * neither is there.
 */
export function findImageOf(
  host: Pick<Host, 'projectDir' | 'cacheDir' | 'stateDir'>,
  recipe: Pick<WorldRecipe, 'name'>,
  spec: ImageSpec,
): Image | undefined {
  const own = findImage(host, spec);
  const under = findWorldRecord(host.stateDir, recipe.name)?.image.dir;
  if (own !== undefined || under === undefined) return own;
  const image = findImageIn(host, under);
  return image === undefined ? undefined : nameInputs(host, image, spec);
}

/** What decides how a world comes up, besides its recipe. */
export interface UpSource {
  readonly host: ComponentHost;
  readonly matrix: Matrix;
  readonly catalogue: Components;
  readonly accelerator: Accelerator;
  /** The version of libvirt. */
  readonly uri: string;
}

/** The world that a recipe asks for, and whether it is saved. */
export interface WorldLookup {
  /** The digest of the world that is wanted. */
  readonly key: string;
  readonly inputs: Inputs;
  /** The record of the saved world with this key. */
  readonly saved: ReadyRecord | undefined;
  /** Why no such world is saved, as the end of `world default …`. */
  readonly why: string;
}

/**
 * Looks whether the world of a recipe is saved, made of the same inputs.
 *
 * @param uri of libvirt.
 */
export function lookUpWorld(
  host: Pick<Host, 'stateDir' | 'projectDir'>,
  recipe: WorldRecipe,
  over: { readonly image: Image; readonly accelerator: Accelerator; readonly uri: string },
): WorldLookup {
  const { projectDir, stateDir } = host;
  const parts = collectWorldParts(recipe, over.image, over.accelerator, { projectDir, uri: over.uri });
  const [key, inputs] = [worldKey(parts), worldInputs(parts)];
  const known = findWorldRecord(stateDir, recipe.name);
  const saved = known !== undefined && isReady(known) && known.key === key ? known : undefined;
  const isThere = pathExists(statePaths(stateDir).world(recipe.name).dir);
  return { key, inputs, saved, why: isThere ? explainStale(known, inputs) : 'is not there yet' };
}
