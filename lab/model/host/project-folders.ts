/** Where declarations are. */
export interface ProjectFolders {
  /** The folder of whodunit itself, with its catalogue: the root of its clone, or where npm has installed it. */
  readonly projectDir: string;
  /** A project of somebody's own, which is read over that catalogue. */
  readonly ownDir?: string | undefined;
}

/** The file that makes a folder a project. */
export const PROJECT_FILE = 'whodunit.yaml';

/** The folder in which a person works: their own project, else that of whodunit. Relative paths begin in it. */
export function workDir({ projectDir, ownDir }: ProjectFolders): string {
  return ownDir ?? projectDir;
}
