import type { BakeResult } from '../../model/saved/answers.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { DEFAULT_NEEDS } from '../../world/host/checks.ts';
import { bakeFor } from '../../world/bring-up/bring-up.ts';
import type { RunVerb } from '../context/context.ts';
import { loadConfig } from '../setup/config.ts';
import { getRecipe } from '../setup/get-recipe.ts';
import { refuseUnlocked } from '../setup/refuse-unlocked.ts';
import { withLab } from '../setup/with-lab.ts';

/** `whodunit bake [variant]`: builds the programs and the disk image of a variant, and starts no machine. */
export const runBake: RunVerb = async (context, words, flags) => {
  const config = loadConfig(context);
  const recipe = getRecipe(context, config, words);
  await refuseUnlocked(context, config, () => recipe.components, { terraform: false });
  const needs = { memoryMiB: 0, diskMiB: DEFAULT_NEEDS.diskMiB };
  const image = await withLab(context, config, needs, (lab) => bakeFor(lab, recipe), flags);
  const { digest, base, versions } = image;
  const result: BakeResult = { formatVersion: FORMAT_VERSION, digest, base, versions };
  return { status: 'passed', json: result, text: () => render(result) };
};

function render({ digest, versions }: BakeResult): string {
  const lines = Object.entries(versions).map(([name, version]) => `  ${name.padEnd(12)} ${version}`);
  return [`image ${digest.slice(0, 12)}`, ...lines, '', 'next: npx whodunit up'].join('\n');
}
