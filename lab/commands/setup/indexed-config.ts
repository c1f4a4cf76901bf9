import { findIndexed, stampProject, type ProjectStamp } from '../../drivers/project/project-index.ts';
import type { ProjectFolders } from '../../model/host/project-folders.ts';
import type { Config } from '../../plan/config/parse-config.ts';

/** The name under which the configuration is kept. */
export const CONFIG_INDEX = 'config';

/** Returns the configuration that was parsed and checked before, if no file has changed since. It loads no parser. */
export function findIndexedConfig(
  folders: ProjectFolders,
  stamp: ProjectStamp = stampProject(folders),
): Config | undefined {
  return findIndexed(CONFIG_INDEX, stamp) as Config | undefined;
}
