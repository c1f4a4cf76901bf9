import { AXIS_DEFINITIONS, VERSION_AXES } from '../../model/axes/axes.ts';
import { resolveVersion } from '../../model/components/components.ts';
import { LabError } from '../../model/errors/errors.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { isReadable, listComponentsOf } from '../../model/variants/axis-list.ts';
import { areComparable, compareValues, numbersOf, programOf } from '../../model/components/value-order.ts';
import type { Candidate } from '../../plan/cells/expand-cells.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { isAxis } from '../../plan/variants/parse-variant.ts';
import type { Context } from '../context/context.ts';

/** The values of an axis that belong to one program, and remarks about the list. */
interface ListedValues {
  readonly values: readonly string[];
  readonly notes: readonly string[];
}

/** A component whose version is a part of a value: `1.1.12` of `runc@1.1.12`. */
interface PartOfValue {
  readonly component: string;
  readonly version: string;
}

/** Whether two values are versions of one program, so that something may be between them. */
export function isSearchable(axis: string, one: string, other: string): boolean {
  const isOrdered = !isAxis(axis) || VERSION_AXES.includes(axis);
  return isOrdered && areComparable(one, other);
}

/**
 * Lists the values of an axis or a parameter between two ends: those that the project names, and the released versions
 * of the same program in Go's module proxy. It builds nothing.
 *
 * @param ends both must be versions with numbers, of one program.
 */
export async function listValuesBetween(
  context: Pick<Context, 'run' | 'projectDir'>,
  config: Config,
  { cell, axis }: { readonly cell: Candidate; readonly axis: string },
  [one, other]: readonly [string, string],
): Promise<ListedValues> {
  const named = isAxis(axis)
    ? config.matrix.axes[axis].values
    : (cell.loaded.scenario.parameters[axis]?.values.map(String) ?? []);
  const part = findPart(config, { cell, axis }, other);
  const spell = (version: string): string =>
    part === undefined ? version : other.replace(part.version, () => version);
  const ofCatalogue = Object.entries(
    config.catalogue.components[part?.component ?? '']?.versions ?? {},
  ).flatMap(([short, exact]) => [short, exact].map(spell));
  const listed = part === undefined ? { versions: [] } : await listModuleVersions(context, config, part);
  const exact = new Map<string, string>();
  const notes = listed.note === undefined ? [] : [listed.note];
  const isBetween = (value: string): boolean =>
    [one, other].some((end) => compareValues(value, end) >= 0) &&
    [one, other].some((end) => compareValues(value, end) <= 0);
  for (const value of [one, other, ...named, ...listed.versions.map(spell), ...ofCatalogue]) {
    if (numbersOf(value) === undefined || programOf(value) !== programOf(other) || !isBetween(value))
      continue;
    const bytes = exactOf(config, { cell, axis }, value);
    const same = exact.get(bytes);
    if (same === undefined) exact.set(bytes, value);
    else if (same !== value && named.includes(value))
      notes.push(`${value} and ${same} are the same bytes: asked once`);
  }
  return { values: [...exact.values()], notes };
}

/** Returns the exact version that a value means. Two values with the same exact version are the same program. */
export function exactOf(
  config: Config,
  place: { readonly cell: Candidate; readonly axis: string },
  value: string,
): string {
  const part = findPart(config, place, value);
  if (part === undefined) return value;
  try {
    const exact = resolveVersion(config.catalogue, part.component, part.version);
    return value.replace(part.version, () => exact);
  } catch (error) {
    // A version that does not exist is refused when it is planned.
    if (error instanceof LabError) return value;
    throw error;
  }
}

/** Returns the component whose version is a part of a value of an axis or a parameter; undefined where none is. */
export function findPart(
  { catalogue }: Config,
  { cell, axis }: { readonly cell: Candidate; readonly axis: string },
  value: string,
): PartOfValue | undefined {
  if (!isAxis(axis)) {
    const current = cell.loaded.parameters[axis];
    const images = cell.loaded.scenario.images.flatMap((image) => [image, ...image.also]);
    const component = images.find(({ version }) => version === current)?.component;
    return component === undefined ? undefined : { component, version: value };
  }
  const definition = AXIS_DEFINITIONS.find(({ name }) => name === axis);
  if (definition === undefined || !isReadable(definition, value)) return undefined;
  const components = listComponentsOf([definition], { [axis]: definition.parse(value) });
  const found = Object.entries(components).find(
    ([name, version]) =>
      version !== '' && value.includes(version) && Object.hasOwn(catalogue.components, name),
  );
  return found === undefined ? undefined : { component: found[0], version: found[1] };
}

/** The tag of a release; release candidates do not match. */
const RELEASE = /^v(\d+\.\d+\.\d+)$/;

async function listModuleVersions(
  { run, projectDir }: Pick<Context, 'run' | 'projectDir'>,
  { catalogue }: Config,
  { component }: PartOfValue,
): Promise<{ readonly versions: readonly string[]; readonly note?: string }> {
  const modules = new Set(
    (catalogue.components[component]?.sources ?? []).flatMap((source) =>
      source.kind === 'gomod' ? [source.module] : [],
    ),
  );
  const versions: string[] = [];
  for (const module of modules) {
    try {
      const { stdout } = await run('go', ['list', '-mod=mod', '-m', '-versions', module], {
        cwd: projectDir,
        timeoutMs: TIME_LIMITS.host.releases.ms,
      });
      versions.push(...stdout.split(/\s+/).flatMap((tag) => RELEASE.exec(tag)?.[1] ?? []));
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      return {
        versions,
        note: `the releases of ${module} could not be listed (${error.message}): only versions that this project names are searched`,
      };
    }
  }
  return { versions };
}
