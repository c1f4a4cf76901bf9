import type { BakeResult } from '../../model/saved/answers.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { DEFAULT_NEEDS } from '../../world/host/checks.ts';
import { bakeFor } from '../../world/bring-up/bring-up.ts';
import type { Context } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { loadConfig } from '../setup/config.ts';
import { getRecipe } from '../setup/get-recipe.ts';
import { refuseUnlocked } from '../setup/refuse-unlocked.ts';
import { withLab } from '../setup/with-lab.ts';

/** `whodunit bake [variant]`: builds the components and the base image of a variant, and starts nothing. */
export async function runBake(context: Context, words: readonly string[], flags: Flags): Promise<number> {
  const config = loadConfig(context);
  const recipe = getRecipe(context, config, words);
  await refuseUnlocked(context, config, () => recipe.components, { terraform: false });
  const needs = { memoryMiB: 0, diskMiB: DEFAULT_NEEDS.diskMiB };
  const image = await withLab(context, config, needs, (lab) => bakeFor(lab, recipe), flags);
  if (flags.json === true) {
    const { digest, base, versions } = image;
    context.printJson({ formatVersion: FORMAT_VERSION, digest, base, versions } satisfies BakeResult);
    return 0;
  }
  const versions = Object.entries(image.versions).map(([name, version]) => `  ${name.padEnd(12)} ${version}`);
  context.print([`image ${image.digest.slice(0, 12)}`, ...versions, '', 'next: npx whodunit up'].join('\n'));
  return 0;
}
