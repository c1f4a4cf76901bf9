import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { InternalError } from '../../lab/model/errors.ts';
import type { BuildFacts } from './cache.ts';
import { digestFile } from './digest.ts';
import { goEnvironment } from './go.ts';
import { defaultProgramName } from './inputs.ts';
import type { BuildContext } from './source.ts';

/** One `go build` for several programs of one module. */
export interface GoBuild {
  /** Folder with the go.mod. */
  readonly folder: string;
  /** Exact Go release. */
  readonly go: string;
  /** Program name to full import path. */
  readonly packages: Readonly<Record<string, string>>;
  readonly ldflags: readonly string[];
  /** Build constraints. */
  readonly tags?: readonly string[];
  /** Parts are written in C; the program is linked statically all the same. */
  readonly cgo?: boolean;
  /** `mod` may complete go.sum (verified by the checksum database), `readonly` takes it as it is. */
  readonly mod: 'mod' | 'readonly';
}

/** A program with parts in C must run on the libc of any suite: it carries its own. */
const STATIC_C = ['-linkmode=external', '-extldflags=-static'];

/**
 * Builds static programs without paths of this machine in them, so that the same inputs give the same bytes.
 * All packages in one go: they share the loading of the module graph and the compile queue.
 */
export async function runGoBuild(context: BuildContext, build: GoBuild): Promise<BuildFacts> {
  const { program } = await context.getGo();
  const { host } = context;
  const toolchain = `go${build.go}`;
  const env = { ...goEnvironment(toolchain, build.cgo), GOFLAGS: `-mod=${build.mod} -buildvcs=false` };
  const built = join(context.workFolder, 'built');
  mkdirSync(built);
  const options = { cwd: build.folder, env, signal: host.signal, logFile: context.logFile };
  const version = await host.run(program, ['version'], options);
  const ldflags = ['-s', '-w', ...(build.cgo === true ? STATIC_C : []), ...build.ldflags].join(' ');
  const tags = build.tags === undefined ? [] : ['-tags', build.tags.join(',')];
  const packages = [...new Set(Object.values(build.packages))];
  await host.run(
    program,
    ['build', '-v', '-trimpath', ...tags, '-ldflags', ldflags, '-o', `${built}/`, ...packages],
    { ...options, onLine: context.update },
  );
  for (const [name, importPath] of Object.entries(build.packages)) {
    const path = join(built, defaultProgramName(importPath));
    if (!existsSync(path)) throw new InternalError(`go build did not make ${path} of ${importPath}`);
    renameSync(path, join(context.outFolder, name));
  }
  const sums = join(build.folder, 'go.sum');
  return {
    go: version.stdout.trim(),
    ...(existsSync(sums) ? { goSumSha256: await digestFile(sums) } : {}),
  };
}
