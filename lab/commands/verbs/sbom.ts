import { z } from 'zod';
import { UsageError } from '../../model/errors/errors.ts';
import { parseJson } from '../../model/files/parse-json.ts';
import { renderGuestSbom } from '../../report/formats/render-sbom.ts';
import { readGuestBill } from '../../world/cache/guest-bill.ts';
import { loadConfig } from '../setup/config.ts';
import { isInstalled, type Context, type RunVerb } from '../context/context.ts';
import { getRecipe } from '../setup/get-recipe.ts';
import { readOwnName, readOwnVersion } from '../context/own-version.ts';

/** The word for the lab itself: no axis has such a value. */
export const LAB_WORD = 'lab';

/**
 * `whodunit sbom [lab | variant…]`: prints a bill of materials as a CycloneDX document, either of the guests of a
 * variant, from the cache, or of the lab itself, from `npm sbom`. It builds nothing.
 *
 * @throws UsageError when the lab cannot be listed, or as `getRecipe`.
 */
export const runSbom: RunVerb = async (context, words) => {
  if (words[0] === LAB_WORD) return { status: 'passed', json: await listLab(context, words.slice(1)) };
  const config = loadConfig(context);
  const recipe = getRecipe(context, config, words);
  const bill = await readGuestBill(context, config.catalogue, recipe);
  return {
    status: 'passed',
    json: renderGuestSbom(bill, readOwnVersion()),
    afterwards: () => {
      for (const gap of bill.gaps) context.progress.note(`not known: ${gap}`);
    },
  };
};

/** Returns what `npm sbom` lists of the Node modules that the lab runs with. */
async function listLab({ run, projectDir }: Context, more: readonly string[]): Promise<unknown> {
  if (more.length > 0)
    throw new UsageError(`sbom lab takes no further words, but was given "${more.join(' ')}"`, {
      tryNext: 'npx whodunit sbom lab',
    });
  if (isInstalled(projectDir))
    throw new UsageError('npm can list the modules of a clone only, and this whodunit was installed', {
      tryNext: 'npx whodunit sbom lab, in a clone of whodunit',
    });
  const words = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  const { stdout } = await run('npm', words, { cwd: projectDir });
  return nameItself(dropDevelopment(npmSbomSchema.parse(parseJson(stdout))));
}

/** The part of `npm sbom` that is read here; everything else is passed on. */
const npmSbomSchema = z.looseObject({
  components: z.array(
    z.looseObject({
      'bom-ref': z.string(),
      properties: z.array(z.looseObject({ name: z.string(), value: z.string() })).optional(),
    }),
  ),
  metadata: z.looseObject({ component: z.looseObject({ name: z.string() }) }),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()).optional() })),
});

type NpmSbom = z.infer<typeof npmSbomSchema>;

/**
 * Drops the modules that only developers need. `npm sbom --omit dev` would also drop modules that the lab shares with
 * those, such as zod and yaml.
 */
function dropDevelopment(sbom: NpmSbom): NpmSbom {
  const isDevelopment = ({ properties = [] }: (typeof sbom.components)[number]): boolean =>
    properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true');
  const dropped = new Set(sbom.components.filter(isDevelopment).map((component) => component['bom-ref']));
  return {
    ...sbom,
    components: sbom.components.filter((component) => !isDevelopment(component)),
    dependencies: sbom.dependencies
      .filter(({ ref }) => !dropped.has(ref))
      .map((dependency) => ({
        ...dependency,
        dependsOn: dependency.dependsOn?.filter((ref) => !dropped.has(ref)),
      })),
  };
}

/** Sets the name of the root. npm takes the name of the folder, which is whatever a person called the clone. */
function nameItself(sbom: NpmSbom): NpmSbom {
  const { metadata } = sbom;
  return { ...sbom, metadata: { ...metadata, component: { ...metadata.component, name: readOwnName() } } };
}
