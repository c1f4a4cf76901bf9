import { basename, dirname, join, resolve } from 'node:path';
import { findKind, type FileKind } from '../../drivers/files/file-kind.ts';
import { findText, isFolder, listFolder, pathExists } from '../../drivers/files/files.ts';
import { whyNotOfProject } from '../../drivers/project/project-path.ts';
import type { Variant } from '../../model/axes/axes.ts';
import { findModules, type Components } from '../../model/components/components.ts';
import { spellLocalBuild } from '../../model/components/local-build.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { nearestName } from '../../model/text/nearest.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import {
  listBuildsOfCatalogue,
  listBuildsOfImages,
  listBuildsOfVariant,
  listTypedBuilds,
  type NamedBuild,
} from '../../plan/variants/named-builds.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { checkModule } from '../../../provision/components/checkout-module.ts';
import { placePrograms } from '../../../provision/components/place-programs.ts';

/** The variants and scenarios that are to be built or run. */
interface AskedBuilds {
  readonly variants: readonly Variant[];
  readonly scenarios?: readonly LoadedScenario[];
  /** The words that a person has typed. */
  readonly typed: readonly string[];
}

/**
 * Checks the local builds of variants, images and nodes before anything is started. Each must exist and be of the right
 * kind, and it must be in the project unless a person has typed its path: a scenario, a bug or a saved run may come
 * from a stranger, and a local build is put into a guest.
 *
 * @param projectDir the folder that their paths are relative to.
 * @throws UsageError with every build that is missing, of another kind, or outside of the project.
 */
export function checkBuilds(
  projectDir: string,
  { matrix, catalogue }: Pick<Config, 'matrix' | 'catalogue'>,
  { variants, scenarios = [], typed }: AskedBuilds,
): void {
  const asked = [
    ...variants.flatMap(listBuildsOfVariant),
    ...scenarios.flatMap(listBuildsOfImages),
    ...listBuildsOfCatalogue(catalogue),
  ];
  if (asked.length === 0) return;
  const typedBuilds = listTypedBuilds(matrix, typed);
  const builds = [...new Map(asked.map((build) => [build.label, build])).values()];
  const isTypedBuild = ({ kind, path }: NamedBuild): boolean =>
    typedBuilds.has(spellLocalBuild({ kind, path }));
  const outside = builds.flatMap((build) =>
    isTypedBuild(build) ? [] : describeOutside(projectDir, catalogue, build),
  );
  // The error does not say whether a file outside of the project exists.
  const wrong = builds
    .filter(({ label }) => !outside.some((refused) => refused.label === label))
    .map((build) => ({ build, texts: describeWrong(projectDir, catalogue, build) }))
    .filter(({ texts }) => texts.length > 0);
  const problems = [...outside.map(({ text }) => text), ...wrong.flatMap(({ texts }) => texts)];
  if (problems.length === 0) return;
  const text =
    problems.length === 1 ? problems : [`${problems.length} local builds cannot be taken`, ...problems];
  // What a person types is made relative to the project before it comes here.
  const base = wrong.every(({ build }) => isTypedBuild(build)) ? 'the current folder' : projectDir;
  throw new UsageError(text.join('\n  '), {
    tryNext:
      outside.length === 0
        ? `build or clone it first, or give another path, absolute or relative to ${base}`
        : describeWayIn(projectDir, outside),
  });
}

/** A build outside of the project, whose path nobody has typed. */
interface OutsideBuild {
  readonly label: string;
  readonly text: string;
  readonly kind: NamedBuild['kind'];
}

/** Returns how a person allows such builds. A checkout has to be typed even if it is in the project. */
function describeWayIn(projectDir: string, outside: readonly OutsideBuild[]): string {
  if (outside.some(({ kind }) => kind === 'file'))
    return `copy what you trust into ${projectDir}; any path may be typed as a word of the command`;
  return `type what you trust, as a word or in the address of a cell: ${outside.map(({ label }) => label).join(' ')}`;
}

/** Returns why a build that a file of the project names may not be used; nothing when it may. */
function describeOutside(projectDir: string, catalogue: Components, build: NamedBuild): OutsideBuild[] {
  const { label, kind, path } = build;
  const full = resolve(projectDir, path);
  // Reading a checkout runs what its own git settings say.
  if (kind === 'git')
    return [{ label, kind, text: `${label}: a checkout is built only where a person has typed its folder` }];
  for (const file of [full, ...Object.values(programsOf(full, catalogue, build))]) {
    const why = whyNotOfProject(projectDir, file);
    if (why !== undefined) return [{ label, kind, text: `${label}: ${file} ${why}` }];
  }
  return [];
}

/** Returns the absolute paths of the programs of a build, by name; a kernel has none. */
function programsOf(
  full: string,
  { components }: Components,
  { component }: NamedBuild,
): Readonly<Record<string, string>> {
  const source = components[component ?? '']?.sources.find(({ kind }) => kind === 'file');
  return source?.kind === 'file' ? placePrograms(full, source.programs) : {};
}

/** Lists which files of a build are missing or of another kind. */
function describeWrong(projectDir: string, catalogue: Components, build: NamedBuild): string[] {
  const { label, kind, component } = build;
  const full = resolve(projectDir, build.path);
  if (!pathExists(full)) return [`${label}: ${describeMissing(full, kind)}`];
  if (kind === 'git') {
    const why = whyNotCheckout(full, catalogue, build);
    return why === undefined ? [] : [`${label}: ${full} ${why}`];
  }
  if (component === undefined) return describeUnlike(label, full, 'x86-kernel', 'a kernel image (bzImage)');
  return Object.entries(programsOf(full, catalogue, build)).flatMap(([name, file]) =>
    pathExists(file)
      ? describeUnlike(label, file, 'x86-64-program', `the program ${name} for x86-64`)
      : [`${label}: there is no ${file}, which is a part of ${component}`],
  );
}

function describeMissing(full: string, kind: NamedBuild['kind']): string {
  if (kind === 'git' && isFolder(full.replace(/@[^@/]*$/, '')))
    return `there is no ${full} (a branch, a tag or a commit follows a #)`;
  const name = basename(full);
  const beside = listFolder(dirname(full));
  if (beside.includes(name)) return `${full} is a link to nowhere`;
  // In a folder of strangers two short words are near only by count.
  const near = nearestName(
    name,
    beside.filter((other) => other[0] === name[0]),
  );
  return `there is no ${full}${near === undefined ? '' : ` (did you mean "${near}"?)`}`;
}

/** Returns why a folder is not a checkout of a component, as far as its files show that; git finds the rest. */
function whyNotCheckout(
  full: string,
  { components }: Components,
  { component: name = '', ref }: NamedBuild,
): string | undefined {
  if (!isFolder(full)) return 'is not a folder';
  if (!isInCheckout(full)) return 'is not in a git checkout';
  const component = components[name];
  // A ref may have another go.mod than the folder. What has no module is refused elsewhere.
  if (ref !== undefined || component === undefined || findModules(component).length === 0) return undefined;
  const checked = checkModule(component, findText(join(full, 'go.mod')));
  if ('why' in checked)
    return `is not a checkout of ${name}, whose go.mod is of ${checked.wanted}: ${checked.why}`;
  const { generated } = component;
  return generated === undefined || pathExists(join(full, generated.file))
    ? undefined
    : `has no ${generated.file}: ${generated.hint}`;
}

function isInCheckout(folder: string): boolean {
  if (pathExists(join(folder, '.git'))) return true;
  return folder !== dirname(folder) && isInCheckout(dirname(folder));
}

/** Says what a file is, if it is not of the wanted kind. A machine would notice that only when it boots. */
function describeUnlike(label: string, file: string, wanted: FileKind['is'], what: string): string[] {
  const { is, name } = findKind(file);
  return is === wanted ? [] : [`${label}: ${file} is ${name}, not ${what}`];
}
