import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ComponentSourceOf } from '../../lab/model/components/components.ts';
import { ConfigError, HostError } from '../../lab/model/errors/errors.ts';
import type { ProjectFolders } from '../../lab/model/host/project-folders.ts';
import { digestGoFolder } from './digest.ts';
import { runGoBuild } from './go-build.ts';
import { joinPackages } from './gomod.ts';
import { chooseGo } from './inputs.ts';
import type { BuildContext, SourceResult } from './source.ts';

/**
 * SHA-256 of the Go folder of a local source.
 *
 * @throws ConfigError when the folder does not exist.
 */
export async function digestLocalSource(
  folders: ProjectFolders,
  source: ComponentSourceOf<'local'>,
): Promise<string> {
  return digestGoFolder(findGoFolder(folders, source));
}

/** The Go folder of a local source: of whodunit, or of the project over it. */
function findGoFolder({ projectDir, ownDir }: ProjectFolders, source: ComponentSourceOf<'local'>): string {
  const found = [projectDir, ...(ownDir === undefined ? [] : [ownDir])]
    .map((root) => join(root, source.folder))
    .filter((folder) => existsSync(join(folder, 'go.mod')));
  const [folder, other] = found;
  if (folder === undefined || other !== undefined) {
    throw new ConfigError([
      {
        file: 'components.yaml',
        path: 'folder',
        expected: other === undefined ? 'a folder with a go.mod' : 'a folder that only one of two has',
        received: other === undefined ? `"${source.folder}"` : found.join(' and '),
      },
    ]);
  }
  return folder;
}

/** Builds programs of this repository. Their go.sum is committed and taken as it is. */
export async function buildFromFolder(
  context: BuildContext,
  source: ComponentSourceOf<'local'>,
): Promise<SourceResult> {
  const folder = findGoFolder(context.host, source);
  const module = /^module\s+(\S+)/m.exec(readFileSync(join(folder, 'go.mod'), 'utf8'))?.[1];
  if (module === undefined) {
    throw new HostError('LAB_COMPONENT_BUILD', `${source.folder}/go.mod names no module`, {
      tryNext: 'its first line must be: module <name>',
    });
  }
  const facts = await runGoBuild(context, {
    folder,
    go: chooseGo(source.go, context.version),
    packages: joinPackages(module, source.binaries),
    ldflags: source.ldflags,
    mod: 'readonly',
  });
  return { ok: true, facts };
}
