import { dirname, join } from 'node:path';
import { ensureFolder, pathExists, writeTextAtomic } from '../../drivers/files/files.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { PROJECT_FILE, workDir } from '../../model/host/project-folders.ts';
import type { ConfigFile } from '../../plan/config/parse-config.ts';
import { isInstalled, type Context } from '../context/context.ts';
import { spellPath } from '../context/spell-path.ts';

/**
 * Returns the folder that new scenarios and bugs are written to: the own project of a person, or the clone.
 *
 * @throws UsageError when there is neither.
 */
export function requireWorkDir(context: Pick<Context, 'projectDir' | 'ownDir'>): string {
  if (context.ownDir === undefined && isInstalled(context.projectDir))
    throw new UsageError(`there is no project here: no ${PROJECT_FILE} from this folder upwards`, {
      tryNext: 'npx whodunit init',
    });
  return workDir(context);
}

/** @throws UsageError when one of the files exists. */
export function refusePresent(
  folder: string,
  files: readonly Pick<ConfigFile, 'path'>[],
  tryNext: string,
): void {
  const present = files.find(({ path }) => pathExists(join(folder, path)));
  if (present !== undefined) throw new UsageError(`${present.path} already exists`, { tryNext });
}

/** Writes files below a folder, and returns their paths as a person types them. */
export function writeFiles(folder: string, files: readonly Pick<ConfigFile, 'path' | 'text'>[]): string[] {
  return files.map(({ path, text }) => {
    const file = join(folder, path);
    ensureFolder(dirname(file));
    writeTextAtomic(file, text);
    return spellPath(file);
  });
}
