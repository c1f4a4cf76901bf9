import { workDir, type ProjectFolders } from '../../model/host/project-folders.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { getBuildableVariant } from '../../plan/select/buildable-variant.ts';
import { checkVariant } from '../../plan/check/check-plan.ts';
import { planWorld, type WorldRecipe } from '../../world/recipe/recipe.ts';
import { checkBuilds } from './check-builds.ts';
import { readPlatform, refuseProblems } from './config.ts';

/**
 * Returns the recipe of the variant that words describe, for verbs that are about one world.
 *
 * @throws UsageError when a word is wrong, a rule refuses the variant, or no component has one of its versions; ConfigError
 *   when its kubelets do not know a field that is set.
 */
export function getRecipe(folders: ProjectFolders, config: Config, words: readonly string[]): WorldRecipe {
  const { matrix, catalogue } = config;
  const variant = getBuildableVariant(config, words);
  refuseProblems(folders, checkVariant(matrix, variant, readPlatform(folders.projectDir).findApi));
  checkBuilds(workDir(folders), config, { variants: [variant], typed: words });
  const { projectDir, ownDir } = folders;
  return planWorld(variant, { matrix, catalogue, projectDir, ownDir });
}
