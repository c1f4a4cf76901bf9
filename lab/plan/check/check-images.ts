import { COMPONENTS_FILE } from '../../model/files/declarations.ts';
import {
  SUITE_VERSION,
  getComponent,
  listSources,
  resolveVersion,
  type Components,
} from '../../model/components/components.ts';
import { configProblem, UsageError, type ConfigProblem } from '../../model/errors/errors.ts';
import { nearestName } from '../../model/text/nearest.ts';
import { REGISTRY_HOST } from '../../model/declared/registry.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import { isOfShells, SHELL_IMAGE_HINT } from './check-shells.ts';
import { listLater, listManifests, listPods } from './list-objects.ts';

/**
 * Checks the images that a scenario brings, with its parameters filled in: each has its own name, some container runs it,
 * and it is made of a component and a version that are known.
 *
 * @param catalogue undefined when components.yaml has problems of its own.
 */
export function checkImages(
  loaded: LoadedScenario,
  { catalogue, nodeImages }: { catalogue: Components | undefined; nodeImages: readonly string[] },
): ConfigProblem[] {
  return [
    ...checkContainers(loaded, nodeImages),
    ...checkNames(loaded),
    ...(catalogue === undefined ? [] : checkComponents(loaded, catalogue)),
  ];
}

/** Nodes have no way out: an image that neither they nor the scenario bring is never there. */
function checkContainers(loaded: LoadedScenario, nodeImages: readonly string[]): ConfigProblem[] {
  const own = [...loaded.scenario.images, ...(loaded.scenario.registry?.images ?? [])];
  const known = [...nodeImages, ...own.map(({ image }) => image)];
  return listPods([...listManifests(loaded), ...listLater(loaded)]).flatMap(({ located, containers }) =>
    containers.flatMap(({ path, image }) => {
      // Those of a registry are checked with it.
      if (image !== undefined && (known.includes(image) || image.startsWith(`${REGISTRY_HOST}/`))) return [];
      const shell = isOfShells(image) ? `; for a shell ${SHELL_IMAGE_HINT}` : '';
      const expected = `an image of the nodes, of \`images\` or of \`registry\`: ${known.join(', ')}${shell}`;
      const received = image === undefined ? 'nothing' : JSON.stringify(image);
      const meant = nearestName(image ?? '', known);
      return [configProblem(located.file, `${path}.image`, expected, received, meant)];
    }),
  );
}

function checkNames({ scenario, folder, manifests, later }: LoadedScenario): ConfigProblem[] {
  const names = scenario.images.map(({ image }) => image);
  const used = listImageNames([manifests, later]);
  return names.flatMap((name, index) => {
    const at = { file: `${folder}/scenario.yaml`, path: `images.${index}.image`, received: `"${name}"` };
    if (names.indexOf(name) < index) return [{ ...at, expected: 'a name of its own' }];
    if (used.includes(name)) return [];
    return [{ ...at, expected: 'an image of some container', ...nearest(name, used) }];
  });
}

function listImageNames(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'image' && typeof inner === 'string' ? [inner] : listImageNames(inner),
  );
}

/** Checks that the images which a scenario brings can be made: each of a component and a version that are known. */
export function checkComponents(
  { scenario, folder }: LoadedScenario,
  catalogue: Components,
): ConfigProblem[] {
  const known = Object.keys(catalogue.components);
  const parts = scenario.images.flatMap((image, index) => [
    { ...image, path: `images.${index}` },
    ...image.also.map((component, part) => ({ ...component, path: `images.${index}.also.${part}` })),
  ]);
  return parts.flatMap(({ component, version, path }): ConfigProblem[] => {
    const at = { file: `${folder}/scenario.yaml`, path };
    if (!known.includes(component)) {
      const expected = `the name of a component in ${COMPONENTS_FILE}`;
      const received = `"${component}"`;
      return [{ ...at, path: `${at.path}.component`, expected, received, ...nearest(component, known) }];
    }
    if (isMade(catalogue, component, version)) return [];
    const { versions } = getComponent(catalogue, component);
    const named = [...new Set(Object.entries(versions).flat())].filter(
      (version) => version !== SUITE_VERSION,
    );
    const near = nearest(version, named);
    const exact = Object.values(versions).filter((made) => named.includes(made));
    const there =
      'nearest' in near || exact.length === 0 ? '' : `, such as ${exact.slice(0, 3).join(' or ')}`;
    const expected = `a version of ${component} that can be built or downloaded${there}`;
    const received = `"${version}"`;
    return [{ ...at, path: `${at.path}.version`, expected, received, ...near }];
  });
}

/** Whether some source may have programs of this version: packages of a suite are in the base image or nowhere. */
function isMade(catalogue: Components, name: string, version: string): boolean {
  try {
    const exact = resolveVersion(catalogue, name, version);
    return listSources(getComponent(catalogue, name), exact).some(({ kind }) => kind !== 'apt');
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

function nearest(word: string, names: readonly string[]): { nearest?: string } {
  const found = nearestName(word, names);
  return found === undefined ? {} : { nearest: found };
}
