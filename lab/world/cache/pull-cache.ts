import type { Artifact, Components } from '../../model/components/components.ts';
import type { CachePull } from '../../model/saved/cache.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { RemoteCache } from '../../model/host/remote-cache.ts';
import { lookUpComponent } from '../../../provision/components/components.ts';
import type { ComponentHost } from '../../../provision/components/source.ts';
import { takeComponent } from '../../../provision/components/take-component.ts';
import { explainImage, takeImage, takeLayers } from '../../../provision/layers/image.ts';
import { planImageSpec } from '../recipe/image-spec.ts';
import type { WorldRecipe } from '../recipe/recipe.ts';

type Pulled = CachePull['entries'][number];

/** What starts machines, whatever the variant. */
const TOOLS = ['opentofu', 'provider-libvirt'];

/**
 * Fetches from the remote cache what the nodes of a recipe are made of, as far as it is there; makes nothing.
 *
 * @throws HostError LAB_REMOTE_CACHE when it broke off; InterruptedError.
 */
export async function pullCache(
  host: ComponentHost,
  remote: RemoteCache,
  catalogue: Components,
  recipe: WorldRecipe,
): Promise<CachePull> {
  const entries: Pulled[] = [];
  const artifacts: Artifact[] = [];
  const tools = TOOLS.filter((name) => Object.hasOwn(catalogue.components, name)).map((name) => ({ name }));
  for (const ref of [...recipe.components, ...tools]) {
    const { version, artifact: known } = await lookUpComponent(host, catalogue, ref);
    const artifact = await takeComponent(host, catalogue, ref);
    const result = describeResult(known !== undefined, artifact !== undefined);
    entries.push({ kind: 'component', name: ref.name, version, result });
    if (artifact !== undefined && !TOOLS.includes(ref.name)) artifacts.push(artifact);
  }
  // What an image is called depends on the digests of all of its components.
  if (artifacts.length === recipe.components.length) {
    entries.push(...(await pullImage(host, recipe, artifacts)));
  } else {
    entries.push({ kind: 'image', name: '', version: recipe.kubernetes, result: 'absent' });
  }
  const failure = remote.findFailure();
  if (failure !== undefined) throw failure;
  return { formatVersion: FORMAT_VERSION, remote: remote.title, variant: recipe.name, entries };
}

/** Without the image, its layers save the greater part of a bake. */
async function pullImage(
  host: ComponentHost,
  recipe: WorldRecipe,
  artifacts: readonly Artifact[],
): Promise<Pulled[]> {
  const spec = planImageSpec(recipe, artifacts);
  const before = explainImage(host, spec);
  const image = await takeImage(host, spec);
  if (image === undefined) await takeLayers(host, spec);
  return explainImage(host, spec)
    .filter(({ kind }) => kind !== 'store' && (kind === 'image' || image === undefined))
    .map(({ kind, name, version, hit }) => {
      const wasHere = before.some((earlier) => earlier.kind === kind && earlier.hit);
      return { kind: kind === 'world' ? 'image' : kind, name, version, result: describeResult(wasHere, hit) };
    });
}

function describeResult(wasHere: boolean, isHere: boolean): Pulled['result'] {
  if (wasHere) return 'here';
  return isHere ? 'pulled' : 'absent';
}
