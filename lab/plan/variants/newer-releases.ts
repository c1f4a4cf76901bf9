import { AXIS_DEFINITIONS, type Axis, type Variant } from '../../model/axes/axes.ts';
import { listComponentsOf } from '../../model/variants/axis-list.ts';
import type { Matrix, Note } from '../../model/declared/matrix.ts';
import { findRelease } from '../../model/components/local-build.ts';
import { compareAsWritten, leadingVersion } from '../../model/variants/versions.ts';

/** A release of a component. */
interface Release {
  readonly component: string;
  readonly release: string;
}

/**
 * Returns a note for each release of a variant that is newer than every one that the matrix names on its axis:
 * labels, rules and texts may differ there.
 */
export function listNewerReleases(matrix: Matrix, variant: Variant): Note[] {
  return AXIS_DEFINITIONS.flatMap((axis): Note[] => {
    const releasesOf = (written: string): Release[] =>
      listReleases(listComponentsOf([axis], { [axis.name]: axis.parse(written) }));
    const asked = releasesOf(variant[axis.name]);
    if (asked.length === 0) return [];
    const named = matrix.axes[axis.name].values.flatMap(releasesOf);
    return asked.flatMap(({ component, release }) => {
      const known = named.filter((value) => value.component === component).map((value) => value.release);
      const newest = known.toSorted(compareAsWritten).at(-1);
      if (newest === undefined || compareAsWritten(release, newest) <= 0) return [];
      return [noteOf(axis.name, component, release, newest)];
    });
  });
}

/** The same for several variants, each release once. */
export function listNewerReleasesOf(matrix: Matrix, variants: readonly Variant[]): Note[] {
  const notes = variants.flatMap((variant) => listNewerReleases(matrix, variant));
  return [...new Map(notes.map((note) => [note.id, note])).values()];
}

function noteOf(axis: Axis, component: string, release: string, newest: string): Note {
  return {
    id: `${component}-${release}-is-newer`,
    when: { [axis]: [release] },
    reason: `${component} ${release} is newer than every release that the matrix names, up to ${newest}: labels and texts may differ`,
    source: 'matrix.yaml',
    proof: 'predicted',
  };
}

/** The releases among the components of a value. The package of a suite and a build on this host are none. */
function listReleases(components: Readonly<Record<string, string>>): Release[] {
  return Object.entries(components).flatMap(([component, version]) => {
    const leading = leadingVersion(findRelease(version) ?? '');
    // A Go pseudo-version begins with date and time; short names are dates.
    const release = /^\d{14}$/.test(leading ?? '') ? leading?.slice(0, 8) : leading;
    return release === undefined ? [] : [{ component, release }];
  });
}
