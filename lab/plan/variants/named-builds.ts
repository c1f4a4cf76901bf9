import { COMPONENTS_FILE } from '../../model/files/declarations.ts';
import { AXIS_DEFINITIONS, type Variant } from '../../model/axes/axes.ts';
import { isReadable, listComponentsOf } from '../../model/variants/axis-list.ts';
import { splitBrackets } from '../../model/host/cell-address.ts';
import { type Components } from '../../model/components/components.ts';
import {
  mayNameLocalBuild,
  parseLocalBuild,
  spellLocalBuild,
  type LocalBuildKind,
} from '../../model/components/local-build.ts';
import type { Matrix } from '../../model/declared/matrix.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import { isAxis, parseVariantName, splitAssignment } from './parse-variant.ts';

/** A build on this host that somebody names, by `file:<path>` or `git:<folder>`. */
export interface NamedBuild {
  /** What a person calls it: `runtime=runsc@file:./out/runsc`. */
  readonly label: string;
  readonly kind: LocalBuildKind;
  /** As it was written. */
  readonly path: string;
  /** What is built of a checkout; absent: the folder as it is. */
  readonly ref?: string;
  /** The component that its programs belong to; undefined for a kernel, which is not a component. */
  readonly component?: string;
}

/** The builds that a variant names. */
export function listBuildsOfVariant(variant: Variant): NamedBuild[] {
  return AXIS_DEFINITIONS.flatMap((axis) => listBuildsOfValue(axis, variant[axis.name]));
}

/** The builds that the images of a scenario are made of, with its parameters filled in. */
export function listBuildsOfImages({ scenario }: LoadedScenario): NamedBuild[] {
  return scenario.images.flatMap((image) =>
    [image, ...image.also].flatMap(({ component, version }) =>
      toBuild(`${component} ${version} of ${scenario.name}`, version, component),
    ),
  );
}

/** The builds that every node or every cluster of a release has. */
export function listBuildsOfCatalogue({ nodeComponents, clusters }: Components): NamedBuild[] {
  return [nodeComponents, ...clusters.map(({ components }) => components)].flatMap((map) =>
    Object.entries(map).flatMap(([component, version]) =>
      toBuild(`${component} ${version} of ${COMPONENTS_FILE}`, version, component),
    ),
  );
}

/**
 * The builds that a person has typed, as `file:<path>` and `git:<folder>` whatever the ref: in `axis=value` and `parameter=value` words, and in names of variants and addresses
 * of cells. A glob names no path, whatever it matches.
 */
export function listTypedBuilds(matrix: Matrix, words: readonly string[]): Set<string> {
  const builds = words.flatMap((word): NamedBuild[] => {
    const { head, inside } = splitBrackets(word);
    const assignment = inside === undefined ? splitAssignment(word) : undefined;
    if (assignment === undefined)
      return [
        ...listBuildsOfName(matrix, head),
        ...(inside ?? []).flatMap(({ value = '' }) => toBuild(word, value)),
      ];
    const { key, value } = assignment;
    const axis = isAxis(key) ? AXIS_DEFINITIONS.find(({ name }) => name === key) : undefined;
    return value
      .split(',')
      .flatMap((value) => (axis === undefined ? toBuild(word, value) : listBuildsOfValue(axis, value)));
  });
  return new Set(builds.map(({ kind, path }) => spellLocalBuild({ kind, path })));
}

/** Whether a word selects nothing, and only names builds of an axis: `runtime=runc@git:../runc`. */
export function isBuildWord(word: string): boolean {
  const assignment = splitAssignment(word);
  return assignment !== undefined && isAxis(assignment.key) && mayNameLocalBuild(assignment.value);
}

/** The builds in the name of a variant, or in an address that begins with one. */
function listBuildsOfName(matrix: Matrix, word: string): NamedBuild[] {
  const slash = word.lastIndexOf('/');
  const parsed = parseVariantName(matrix, slash < 0 ? word : word.slice(0, slash));
  return 'variant' in parsed ? listBuildsOfVariant(parsed.variant) : [];
}

function listBuildsOfValue(axis: (typeof AXIS_DEFINITIONS)[number], written: string): NamedBuild[] {
  // A plan has up to 100,000 variants, and few of them name a file.
  if (!mayNameLocalBuild(written) || !isReadable(axis, written)) return [];
  const label = `${axis.name}=${written}`;
  const components = listComponentsOf([axis], { [axis.name]: axis.parse(written) });
  // A kernel is not a component: its value is the version.
  if (parseLocalBuild(written) !== undefined && Object.keys(components).length === 0)
    return toBuild(label, written);
  return Object.entries(components).flatMap(([name, version]) => toBuild(label, version, name));
}

function toBuild(label: string, version: string, component?: string): NamedBuild[] {
  const build = parseLocalBuild(version);
  if (build === undefined) return [];
  const { kind, path, ref } = build;
  return [
    {
      label,
      kind,
      path,
      ...(ref === undefined ? {} : { ref }),
      ...(component === undefined ? {} : { component }),
    },
  ];
}
