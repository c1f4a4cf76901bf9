import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ComponentSourceOf } from '../../lab/model/components/components.ts';
import { ConfigError, HostError } from '../../lab/model/errors/errors.ts';
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
  projectDir: string,
  source: ComponentSourceOf<'local'>,
): Promise<string> {
  const folder = join(projectDir, source.folder);
  if (!existsSync(join(folder, 'go.mod'))) {
    throw new ConfigError([
      {
        file: 'components.yaml',
        path: 'folder',
        expected: 'a folder with a go.mod',
        received: `"${source.folder}"`,
      },
    ]);
  }
  return digestGoFolder(folder);
}

/** Builds programs of this repository. Their go.sum is committed and taken as it is. */
export async function buildFromFolder(
  context: BuildContext,
  source: ComponentSourceOf<'local'>,
): Promise<SourceResult> {
  const folder = join(context.host.projectDir, source.folder);
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
