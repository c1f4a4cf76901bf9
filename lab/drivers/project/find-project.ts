import { realpathSync, statSync, type Stats } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UsageError } from '../../model/errors/errors.ts';
import { shellWord } from '../../model/text/shell.ts';
import { PROJECT_FILE } from '../../model/host/project-folders.ts';

/** Where a project may be named, in the order in which they count. */
export interface NamedProject {
  /** What `--project` has. */
  readonly flag: string | undefined;
  /** What `WHODUNIT_PROJECT` has. */
  readonly variable: string | undefined;
}

/** Where whodunit runs, and as whom. */
export interface WhereWeStand {
  readonly cwd: string;
  readonly uid: number;
  /** The folder of whodunit itself: its clone is a project of its own, whatever it is in. */
  readonly projectDir: string;
}

/**
 * Finds the project that somebody works in: the one that they name, else the nearest folder with a `whodunit.yaml`, from
 * the working folder upwards. Undefined where there is none.
 *
 * @returns an absolute path without links.
 * @throws UsageError for a name without a project, for a `whodunit.yaml` that is not a file, and for a project of another user that nobody has named: its files say
 *   which programs are built and run.
 */
export function findOwnProject(
  { flag, variable }: NamedProject,
  { cwd, uid, projectDir }: WhereWeStand,
): string | undefined {
  const named = flag ?? variable;
  if (named !== undefined) {
    const folder = resolve(cwd, named);
    if (!isProject(folder))
      throw new UsageError(`there is no ${PROJECT_FILE} in ${folder}, so it is not a project`, {
        tryNext: `npx whodunit init ${named}, or name another folder (${flag === undefined ? 'WHODUNIT_PROJECT' : '--project'})`,
      });
    return realpathSync(folder);
  }
  const folder = findAbove(realpathSync(cwd), realpathSync(projectDir));
  if (folder === undefined) return undefined;
  const owners = [folder, join(folder, PROJECT_FILE)].map((path) => statOf(path)?.uid ?? uid);
  if (owners.some((owner) => owner !== uid && owner !== 0))
    throw new UsageError(`the project in ${folder} is of another user, and may run programs of its own`, {
      tryNext: `if you trust it, name it: --project ${folder}`,
    });
  return folder;
}

function findAbove(folder: string, projectDir: string): string | undefined {
  if (isProject(folder)) return folder;
  const above = dirname(folder);
  return folder === projectDir || above === folder ? undefined : findAbove(above, projectDir);
}

/** @throws UsageError when something else than a file has the name. */
export function isProject(folder: string): boolean {
  const path = join(folder, PROJECT_FILE);
  const stats = statOf(path);
  if (stats === undefined || stats.isFile()) return stats !== undefined;
  throw new UsageError(
    `${path} is ${stats.isDirectory() ? 'a folder' : 'not a file'}, and a project is made by a file`,
    {
      tryNext: `rename it, and then: npx whodunit init ${shellWord(folder)}`,
    },
  );
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}
