import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { compareVersions } from '../../lab/model/components/components.ts';
import { CommandError, InternalError } from '../../lab/model/errors/errors.ts';
import type { CommandOptions } from '../../lab/model/host/host.ts';
import type { BuildFacts } from './component-record.ts';
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
  /**
   * `mod` may complete go.sum (verified by the checksum database), `readonly` takes it as it is, and `own` leaves it to Go,
   * which takes the modules that a checkout brings along (its vendor folder, its go.work).
   */
  readonly mod: 'mod' | 'readonly' | 'own';
  /** File for `-overlay`: files that the module was published without. */
  readonly overlay?: string;
}

/** How many lines of an answer of Go a message shows. */
const SHOWN_LINES = 6;

/** How many lines of compiler errors a message shows: at most ten a package, of the few that ran at once. */
const SHOWN_ERROR_LINES = 20;

/**
 * Resolves every package that a build needs, and downloads their modules. A module that cannot be downloaded is a
 * result here, found before minutes are spent on compiling.
 *
 * @returns what Go says of the packages that it cannot load; undefined when there are none.
 */
export async function findUnresolved(context: BuildContext, build: GoBuild): Promise<string | undefined> {
  const { program } = await context.getGo();
  const words = ['list', '-e', '-deps', '-f', '{{with .Error}}{{.Err}}{{end}}', ...tagWords(build)];
  const { status, stdout, stderr } = await context.host.run(
    program,
    [...words, ...new Set(Object.values(build.packages))],
    { ...goOptions(context, build), okStatus: [0, 1], onLine: context.update },
  );
  // Go names a missing module once for every package that imports it.
  const lines = [...new Set(stdout.split('\n').map((line) => line.trim()))].filter((line) => line !== '');
  if (lines.length > SHOWN_LINES)
    return [...lines.slice(0, SHOWN_LINES), `${lines.length - SHOWN_LINES} more lines`].join('\n');
  if (lines.length > 0) return lines.join('\n');
  return status === 0 ? undefined : stderr.trim();
}

/** Folder, environment and log for a Go command about a build. */
export function goOptions(context: BuildContext, build: GoBuild) {
  return {
    cwd: build.folder,
    env: {
      ...goEnvironment(`go${build.go}`, build.cgo),
      ...(build.mod === 'own' ? findWorkspace(build.folder) : {}),
      GOFLAGS: [
        ...(build.mod === 'own' ? [] : [`-mod=${build.mod}`]),
        // Older ones stamp no version control into programs, and do not know the flag.
        ...(compareVersions(build.go, '1.18') < 0 ? [] : ['-buildvcs=false']),
      ].join(' '),
      // The index of the module cache knows no overlays: with it, Go 1.19 does not find what is in that folder.
      ...(build.overlay === undefined ? {} : { GODEBUG: 'goindex=0' }),
      // Go leaves its files when it is killed. Here they go with the build.
      GOTMPDIR: context.workFolder,
    },
    signal: context.host.signal,
    logFile: context.logFile,
  } satisfies CommandOptions;
}

/** The workspace of a checkout, whose vendor folder may be that of the workspace. One further up is somebody else's. */
function findWorkspace(folder: string): Record<string, string> {
  const path = join(folder, 'go.work');
  return existsSync(path) ? { GOWORK: path } : {};
}

function tagWords(build: GoBuild): string[] {
  return build.tags === undefined ? [] : ['-tags', build.tags.join(',')];
}

function overlayWords(build: GoBuild): string[] {
  return build.overlay === undefined ? [] : ['-overlay', build.overlay];
}

/**
 * Picks what went wrong out of the output of `go build -v`, which ends with whatever else was compiled meanwhile:
 * without the names of packages, each on a line of its own, and without Go's account of downloads.
 */
function pickErrorLines(lines: readonly string[]): string[] {
  return lines.filter(
    (line) => !isPackageLine(line) && !/^go: (downloading|finding|found|added) /.test(line),
  );
}

function isPackageLine(line: string): boolean {
  return /^\S*$/.test(line);
}

/** Runs `go build -v`; its error ends with what the compiler said. */
async function compile(
  context: BuildContext,
  program: string,
  words: readonly string[],
  options: CommandOptions,
): Promise<void> {
  const lines: string[] = [];
  let compiled = 0;
  const onLine = (line: string): void => {
    lines.push(line);
    // With -v it prints each package that it compiles, on a line of its own.
    const isPackage = isPackageLine(line);
    compiled += isPackage ? 1 : 0;
    context.update(isPackage ? `package ${compiled}: ${line}` : line);
  };
  try {
    await context.host.run(program, ['build', '-v', ...words], { ...options, onLine });
  } catch (error) {
    const picked = pickErrorLines(lines).slice(-SHOWN_ERROR_LINES);
    if (!(error instanceof CommandError) || error.failure === 'aborted' || picked.length === 0) throw error;
    const { command, failure, status, signal } = error;
    throw new CommandError({ command, failure, status, signal, tail: picked.join('\n') }, { cause: error });
  }
}

/** A program with parts in C must run on every suite: it is linked with a libc of its own. */
const STATIC_C = ['-linkmode=external', '-extldflags=-static'];

/**
 * Builds static programs without paths of this machine in them, so that the same inputs give the same bytes.
 * All packages in one go: they share the loading of the module graph and the compile queue.
 */
export async function runGoBuild(context: BuildContext, build: GoBuild): Promise<BuildFacts> {
  const { program } = await context.getGo();
  const { host } = context;
  const built = join(context.workFolder, 'built');
  mkdirSync(built);
  const options = goOptions(context, build);
  const version = await host.run(program, ['version'], options);
  const ldflags = ['-s', '-w', ...(build.cgo === true ? STATIC_C : []), ...build.ldflags].join(' ');
  const packages = [...new Set(Object.values(build.packages))];
  const words = ['-trimpath', ...tagWords(build), ...overlayWords(build), '-ldflags', ldflags];
  await compile(context, program, [...words, '-o', `${built}/`, ...packages], options);
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
