import { readVariant, type Variant } from '../../model/axes/axes.ts';
import { resolveVersion, type ComponentRef, type Components } from '../../model/components/components.ts';
import type { NotHad } from '../../model/components/not-had.ts';
import { catalogueName } from '../../model/components/under-test.ts';
import type { Note } from '../../model/declared/matrix.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import { COMPONENTS_FILE } from '../../model/files/declarations.ts';
import { listNodeComponents } from './node-components.ts';

/** What is known of the components of this host. */
export interface KnownComponents {
  /** What no source had when it was last asked for, by `<component>-<version>`. */
  readonly notHad: ReadonlyMap<string, NotHad>;
  /** `<component>-<version>` of those in the cache. */
  readonly made: ReadonlySet<string>;
}

interface NeedyCell {
  /** Of its variant. */
  readonly name: string;
  readonly variant: Variant;
  readonly loaded: LoadedScenario;
}

/**
 * Lists a note for each component of a cell that no source had when it was last asked for. It is asked for again by a run.
 * The components of a variant are resolved once for all of its cells.
 */
export function createNotHadLister(
  catalogue: Components,
  known: KnownComponents,
): (cell: NeedyCell) => readonly Note[] {
  if (known.notHad.size === 0) return () => [];
  const ofVariants = new Map<string, readonly Note[]>();
  return ({ name, variant, loaded }) => {
    const ofNodes =
      ofVariants.get(name) ?? noteNotHad(listNodeComponents(catalogue, readVariant(variant)), known);
    ofVariants.set(name, ofNodes);
    return [...ofNodes, ...noteNotHad(listImageParts(catalogue, loaded), known)];
  };
}

function noteNotHad(needed: readonly Required<ComponentRef>[], { notHad, made }: KnownComponents): Note[] {
  return needed.flatMap(({ name: inNode, version }): Note[] => {
    const name = catalogueName(inNode);
    const known = notHad.get(`${name}-${version}`);
    if (known === undefined || made.has(`${name}-${version}`)) return [];
    return [
      {
        id: `${name}-${version}-was-not-to-be-had`,
        when: { os: ['*'] },
        reason: `${name} ${version} could not be had on ${known.day} (${known.why}); a run asks for it again`,
        source: COMPONENTS_FILE,
        proof: 'proven',
      },
    ];
  });
}

function listImageParts(catalogue: Components, { scenario }: LoadedScenario): Required<ComponentRef>[] {
  const parts = scenario.images.flatMap((image) => [image, ...image.also]);
  return parts.map(({ component, version }) => ({
    name: component,
    version: resolveVersion(catalogue, component, version),
  }));
}
