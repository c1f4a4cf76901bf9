import { AXIS_DEFINITIONS, type Axis, type Variant } from '../../model/axes/axes.ts';
import { listComponentsOf } from '../../model/variants/axis-list.ts';
import type { Matrix, Note } from '../../model/declared/matrix.ts';
import { COMPONENTS_FILE } from '../../model/files/declarations.ts';
import { listDigests, type Component, type Components } from '../../model/components/components.ts';
import { findRelease } from '../../model/components/local-build.ts';
import { compareAsWritten, leadingVersion } from '../../model/variants/versions.ts';

/** A release of a component. */
interface Release {
  readonly component: string;
  readonly release: string;
}

/** What a matrix names on an axis. */
interface NamedOfAxis {
  readonly versions: readonly (readonly [component: string, version: string])[];
  /** The newest release of each component that has one. */
  readonly newest: ReadonlyMap<string, string>;
}

/** What was read of the values of an axis: a plan asks for it once for each of its variants. */
const namedOfValues = new WeakMap<readonly string[], NamedOfAxis>();

function readNamed(matrix: Matrix, axis: KnownAxis): NamedOfAxis {
  const { values } = matrix.axes[axis.name];
  const found = namedOfValues.get(values);
  if (found !== undefined) return found;
  const versions = values.flatMap((value) => listVersions(axis, value));
  const newest = new Map<string, string>();
  for (const { component, release } of listReleases(versions)) {
    const known = newest.get(component);
    if (known === undefined || compareAsWritten(release, known) > 0) newest.set(component, release);
  }
  const named = { versions, newest };
  namedOfValues.set(values, named);
  return named;
}

type KnownAxis = (typeof AXIS_DEFINITIONS)[number];

/** The components that a value of an axis brings, each with its version. */
function listVersions(axis: KnownAxis, written: string): [component: string, version: string][] {
  return Object.entries(listComponentsOf([axis], { [axis.name]: axis.parse(written) }));
}

/**
 * Returns a note for each release of a variant that is newer than every one that the matrix names on its axis:
 * labels, rules and texts may differ there.
 */
export function listNewerReleases(matrix: Matrix, variant: Variant): Note[] {
  return AXIS_DEFINITIONS.flatMap((axis): Note[] => {
    const asked = listReleases(listVersions(axis, variant[axis.name]));
    if (asked.length === 0) return [];
    const { newest } = readNamed(matrix, axis);
    return asked.flatMap(({ component, release }) => {
      const known = newest.get(component);
      if (known === undefined || compareAsWritten(release, known) <= 0) return [];
      return [noteOf(axis.name, component, release, known)];
    });
  });
}

/**
 * Returns a note for each version of a variant that neither the catalogue nor the matrix names: it is looked for only when
 * it is needed, so nobody knows before whether there is one.
 */
export function listUnnamedVersions({ matrix, catalogue }: Declared, variant: Variant): Note[] {
  return AXIS_DEFINITIONS.flatMap((axis): Note[] => {
    const asked = listVersions(axis, variant[axis.name]);
    if (asked.length === 0) return [];
    const ofMatrix = readNamed(matrix, axis).versions;
    return asked.flatMap(([component, version]): Note[] => {
      const release = findRelease(version);
      if (release === undefined) return [];
      const { versions = {}, sources = [] } = catalogue.components[component] ?? ({} as Partial<Component>);
      const others = ofMatrix.filter(([name]) => name === component).map(([, known]) => known);
      const named = [...Object.entries(versions).flat(), ...others, ...listDigests({ sources })];
      if (named.length === 0 || named.includes(release)) return [];
      const exact = [
        ...new Set([...Object.values(versions), ...others.map((known) => versions[known] ?? known)]),
      ];
      return [
        {
          id: `${component}-${release}-is-not-named`,
          when: { [axis.name]: [release] },
          reason: `whether there is a ${component} ${release} is known only once it is fetched, which \`npx whodunit lock --dry-run\` asks; named are ${exact.join(', ')}`,
          source: COMPONENTS_FILE,
          proof: 'predicted',
        },
      ];
    });
  });
}

/** What a project declares of releases. */
interface Declared {
  readonly matrix: Matrix;
  readonly catalogue: Components;
}

/** What is to be known of releases that several variants have and the project does not name, each once. */
export function listNotesOfReleases(declared: Declared, variants: readonly Variant[]): Note[] {
  const notes = variants.flatMap((variant) => [
    ...listNewerReleases(declared.matrix, variant),
    ...listUnnamedVersions(declared, variant),
  ]);
  return [...new Map(notes.map((note) => [note.id, note])).values()];
}

function noteOf(axis: Axis, component: string, release: string, newest: string): Note {
  return {
    id: `${component}-${release}-is-newer`,
    when: { [axis]: [release] },
    reason: `${component} ${release} is newer than every release that the matrix names, up to ${newest}: labels and texts may differ${axis === 'kubernetes' ? ', and manifests are not checked against its API' : ''}`,
    source: 'matrix.yaml',
    proof: 'predicted',
  };
}

/** The releases among versions of components. The package of a suite and a build on this host are none. */
function listReleases(versions: readonly (readonly [component: string, version: string])[]): Release[] {
  return versions.flatMap(([component, version]) => {
    const leading = leadingVersion(findRelease(version) ?? '');
    // A Go pseudo-version begins with date and time; short names are dates.
    const release = /^\d{14}$/.test(leading ?? '') ? leading?.slice(0, 8) : leading;
    return release === undefined ? [] : [{ component, release }];
  });
}
