import { basename, dirname, resolve } from 'node:path';
import { listFolder, pathExists } from '../drivers/files.ts';
import { AXIS_DEFINITIONS, type Variant } from '../model/axes.ts';
import { listComponentsOf } from '../model/axis-list.ts';
import { UsageError } from '../model/errors.ts';
import { parseLocalBuild } from '../model/local-build.ts';
import { nearestName } from '../model/nearest.ts';
import type { LoadedScenario } from '../model/scenario.ts';

/**
 * Makes sure that the local builds which variants and images ask for are there, before anything is started.
 *
 * @param projectDir what their paths are relative to.
 * @throws UsageError naming each that is missing.
 */
export function checkBuilds(
  projectDir: string,
  variants: readonly Variant[],
  scenarios: readonly LoadedScenario[] = [],
): void {
  const asked = [...variants.flatMap(listOfVariant), ...scenarios.flatMap(listOfImages)];
  const missing = [...new Map(asked.map((each) => [each.label, each])).values()].flatMap(
    ({ label, path }) => {
      const full = resolve(projectDir, path);
      if (pathExists(full)) return [];
      const near = nearestName(basename(full), listFolder(dirname(full)));
      return [`${label}: there is no ${full}${near === undefined ? '' : ` (did you mean "${near}"?)`}`];
    },
  );
  if (missing.length === 0) return;
  const text = missing.length === 1 ? missing : [`${missing.length} local builds are missing`, ...missing];
  throw new UsageError(text.join('\n  '), {
    tryNext: `build it first, or give another path, absolute or relative to ${projectDir}`,
  });
}

/** What is taken from this host, and what a person calls it. */
interface AskedBuild {
  readonly label: string;
  readonly path: string;
}

function listOfVariant(variant: Variant): AskedBuild[] {
  return AXIS_DEFINITIONS.flatMap((axis) => {
    const written = variant[axis.name];
    // A plan has up to 100,000 variants, and few of them name a file.
    if (!written.includes('file:')) return [];
    const components = listComponentsOf([axis], { [axis.name]: axis.parse(written) });
    // A kernel is no component: its value is the version.
    return [written, ...Object.values(components)].flatMap((version) =>
      toBuild(`${axis.name}=${written}`, version),
    );
  });
}

function listOfImages({ scenario }: LoadedScenario): AskedBuild[] {
  return scenario.images.flatMap((image) =>
    [image, ...image.also].flatMap(({ component, version }) =>
      toBuild(`${component} ${version} of ${scenario.name}`, version),
    ),
  );
}

function toBuild(label: string, version: string): AskedBuild[] {
  const path = parseLocalBuild(version)?.path;
  return path === undefined ? [] : [{ label, path }];
}
