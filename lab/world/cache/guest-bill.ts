import { basename, dirname } from 'node:path';
import type { BilledComponent, BilledProgram, GoModule, GuestBill } from '../../model/components/bill.ts';
import {
  getComponent,
  SUITE_VERSION,
  type Artifact,
  type Components,
} from '../../model/components/components.ts';
import { CommandError } from '../../model/errors/errors.ts';
import type { Host } from '../../model/host/host.ts';
import { findMade } from '../../../provision/components/component-record.ts';
import { lookUpComponent } from '../../../provision/components/components.ts';
import { findGo } from '../../../provision/components/go.ts';
import { parseGoModules } from '../../../provision/components/go-modules.ts';
import { readModuleLicenses } from '../../../provision/components/module-licenses.ts';
import { findDebianPackages } from '../../../provision/layers/image.ts';
import { planImageSpec } from '../recipe/image-spec.ts';
import { findImageOf } from '../recipe/look-up-world.ts';
import { hasOwnKernel, type WorldRecipe } from '../recipe/recipe.ts';

/**
 * Reads from the cache what the guests of a recipe are made of. It makes nothing and asks no network: what is not there
 * is a gap.
 *
 * @throws CommandError when the root file system or a program in the cache cannot be read.
 */
export async function readGuestBill(
  host: Host,
  catalogue: Components,
  recipe: WorldRecipe,
): Promise<GuestBill> {
  const gaps: string[] = [];
  const found: { name: string; version: string; artifact: Artifact | undefined }[] = [];
  for (const ref of recipe.components) {
    const { version, artifact } = await lookUpComponent(host, catalogue, ref);
    found.push({ name: ref.name, version, artifact });
    if (artifact === undefined)
      gaps.push(`${ref.name} ${version} is not in the cache: its programs, digest and modules are not known`);
  }
  const spec = planImageSpec(
    recipe,
    found.flatMap(({ artifact }) => artifact ?? []),
  );
  const image = gaps.length === 0 ? findImageOf(host, recipe, spec) : undefined;
  if (image === undefined)
    gaps.push('the image is not in the cache: its digest and container images are not known');
  const packages = await findDebianPackages(host, spec);
  if (packages === undefined)
    gaps.push(`the root file system of ${recipe.suite} is not in the cache: Debian packages are not known`);
  if (!hasOwnKernel(recipe)) gaps.push('the kernel comes from elsewhere: its package is not listed');
  const modules = await readModules(
    host,
    found.flatMap(({ artifact }) => Object.values(artifact?.files ?? {})),
    gaps,
  );
  return {
    variant: recipe.name,
    suite: recipe.suite,
    containerImages: image?.images ?? [],
    ...(image === undefined ? {} : { image: image.digest }),
    packages: packages ?? [],
    // What comes from the suite is among its packages.
    components: found
      .filter(({ version }) => version !== SUITE_VERSION)
      .map(({ name, version, artifact }): BilledComponent => {
        const { license } = getComponent(catalogue, name);
        return {
          name,
          version,
          ...(license === undefined ? {} : { license }),
          ...describeMade(artifact, modules),
        };
      }),
    gaps,
  };
}

function describeMade(
  artifact: Artifact | undefined,
  modules: ReadonlyMap<string, BilledProgram['modules']>,
): Pick<BilledComponent, 'source' | 'digest' | 'facts' | 'programs'> {
  const files = Object.values(artifact?.files ?? {});
  const [first] = files;
  const made = first === undefined ? undefined : findMade(dirname(first));
  if (made === undefined) return { facts: {}, programs: [] };
  const programs = made.programs.map(({ name, sha256 }): BilledProgram => {
    const path = files.find((file) => basename(file) === name);
    return { name, sha256, modules: (path === undefined ? undefined : modules.get(path)) ?? [] };
  });
  return { ...made, programs };
}

/** The Go modules of programs, by their path. Only Go knows which of them it has built. */
async function readModules(
  host: Host,
  files: readonly string[],
  gaps: string[],
): Promise<ReadonlyMap<string, BilledProgram['modules']>> {
  if (files.length === 0) return new Map();
  const [go] = await findGo(host);
  if (go === undefined) {
    gaps.push('there is no Go on this host, which reads the modules of the programs that Go has built');
    return new Map();
  }
  // It says of other programs that they are none, and ends with 1.
  const { stdout } = await host.run(go, ['version', '-m', ...files], {
    okStatus: [0, 1],
    signal: host.signal,
  });
  const programs = parseGoModules(stdout);
  const licenses = await findLicenses(host, go, [...programs.values()].flat(), gaps);
  const addLicenses = (module: GoModule): GoModule => {
    const names = licenses.get(`${module.path}@${module.version}`);
    return names === undefined ? module : { ...module, licenses: names };
  };
  return new Map([...programs].map(([path, modules]) => [path, modules.map(addLicenses)]));
}

async function findLicenses(
  host: Host,
  go: string,
  modules: readonly GoModule[],
  gaps: string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  try {
    return await readModuleLicenses(host, go, modules);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    gaps.push(`the reader of license files could not be built: ${error.message}`);
    return new Map();
  }
}
