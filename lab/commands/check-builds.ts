import { basename, dirname, resolve } from 'node:path';
import { listFolder, pathExists } from '../drivers/files.ts';
import { AXIS_DEFINITIONS, readVariant, type Variant } from '../model/axes.ts';
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
  const asked = [
    ...variants.flatMap(listOfVariant),
    ...scenarios.flatMap(({ scenario }) =>
      scenario.images.flatMap(({ component, version, also }) => [
        `${component} ${version}`,
        ...also.map((each) => `${each.component} ${each.version}`),
      ]),
    ),
  ];
  const missing = [...new Set(asked)].flatMap((text) => {
    const [name = '', version = ''] = text.split(' ');
    const path = parseLocalBuild(version)?.path;
    if (path === undefined) return [];
    const full = resolve(projectDir, path);
    if (pathExists(full)) return [];
    const near = nearestName(basename(full), listFolder(dirname(full)));
    const hint = near === undefined ? '' : ` (did you mean "${near}"?)`;
    return [`there is no ${full} for ${name} ${version}${hint}`];
  });
  if (missing.length === 0) return;
  const text = missing.length === 1 ? missing : [`${missing.length} local builds are missing`, ...missing];
  throw new UsageError(text.join('\n  '), {
    tryNext: `build it first, or give another path: file:<path>, absolute or relative to ${projectDir}`,
  });
}

/** What a variant may take from the host, as `<name> <version>`. */
function listOfVariant(variant: Variant): string[] {
  const components = listComponentsOf(AXIS_DEFINITIONS, readVariant(variant));
  return [
    ...Object.entries(components).map(([name, version]) => `${name} ${version}`),
    `kernel ${variant.kernel}`,
  ];
}
