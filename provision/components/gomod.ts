import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { nameLocked, spellLocked, type LockedModule } from '../../lab/model/components/component-lock.ts';
import type { ComponentSourceOf } from '../../lab/model/components/components.ts';
import { HostError } from '../../lab/model/errors/errors.ts';
import type { CommandOptions } from '../../lab/model/host/host.ts';
import type { BuildFacts } from './component-record.ts';
import { findUnresolved, runGoBuild, type GoBuild } from './go-build.ts';
import { goEnvironment } from './go.ts';
import { describeHostPackages, ensureHostPackages } from './host-packages.ts';
import { chooseGo } from './inputs.ts';
import { nameGo } from './named-go.ts';
import { generateOpenapi } from './openapi.ts';
import type { BuildContext, NotAvailable, SourceResult } from './source.ts';

const moduleSchema = z.object({ Path: z.string(), Version: z.string().optional() });

/** What `go mod edit -json` says of a go.mod, as far as it decides how dependants build. */
const goModSchema = z.object({
  Go: z.string().optional(),
  Toolchain: z.string().optional(),
  GoDebug: z.array(z.object({ Key: z.string(), Value: z.string() })).nullish(),
  Godebug: z.array(z.object({ Key: z.string(), Value: z.string() })).nullish(),
  Exclude: z.array(moduleSchema).nullish(),
  Replace: z.array(z.object({ Old: moduleSchema, New: moduleSchema })).nullish(),
});

/** A go.mod as `go mod edit -json` prints it. */
export type GoMod = z.infer<typeof goModSchema>;

/** What `go mod download -json` says of one module. */
const downloadedSchema = z.object({
  Error: z.string().optional(),
  Dir: z.string().optional(),
  GoMod: z.string().optional(),
  Sum: z.string().optional(),
});

/** The module whose go.mod a build has. */
const BUILD_MODULE = 'whodunit/build';

/**
 * Renders a go.mod that builds a module as its own repository does. Go ignores `replace`, `exclude` and `godebug` lines
 * of a dependency, so they are copied; a replacement by a folder of that repository (or by a commit of a staging folder
 * of Kubernetes, which is the same code) becomes its published module at `stagingVersion` (or what replaces it), or is
 * left out when the module publishes that part under the required version.
 */
export function renderGoMod(
  module: string,
  version: string,
  own: GoMod,
  stagingVersion?: string,
  standIns: Readonly<Record<string, string>> = {},
): string {
  const spell = (module: z.infer<typeof moduleSchema>): string =>
    module.Version === undefined ? module.Path : `${module.Path} ${module.Version}`;
  const isFolder = (path: string): boolean => path.startsWith('.') || path.startsWith('/');
  const isStaging = (path: string): boolean =>
    isFolder(path) || (stagingVersion !== undefined && path.includes('/staging/src/'));
  const replaces = (own.Replace ?? []).flatMap(({ Old, New }) => {
    if (!isStaging(New.Path)) return [`replace ${spell(Old)} => ${spell(New)}`];
    if (stagingVersion === undefined) return [];
    return [`replace ${Old.Path} => ${Old.Path} ${standIns[Old.Path] ?? stagingVersion}`];
  });
  return [
    `module ${BUILD_MODULE}`,
    `go ${own.Go ?? '1.17'}`,
    ...(own.GoDebug ?? own.Godebug ?? []).map(({ Key, Value }) => `godebug ${Key}=${Value}`),
    `require ${module} ${version}`,
    ...(own.Exclude ?? []).map((module) => `exclude ${spell(module)}`),
    ...replaces,
    '',
  ].join('\n');
}

/**
 * Builds programs of a public Go module.
 *
 * @throws HostError when the checksum database contradicts what the proxy served, or a file was not generated.
 */
export async function buildFromModule(
  context: BuildContext,
  source: ComponentSourceOf<'gomod'>,
): Promise<SourceResult> {
  if (source.cgo !== undefined)
    await ensureHostPackages(context.host, context.title, source.cgo.hostPackages);
  context.update(`downloading ${source.module} ${source.moduleVersion}`);
  const module = await findModule(context, source);
  if (!module.ok) return module;
  const { own, locked } = module;
  const { go } = locked;
  checkModule(context, locked);
  const folder = writeGoMod(context, source, own);
  const build: GoBuild = {
    folder,
    go,
    packages: {
      ...joinPackages(source.module, source.binaries),
      ...writeMains(folder, source.mains ?? {}),
    },
    ldflags: source.ldflags,
    ...(source.tags === undefined ? {} : { tags: source.tags }),
    cgo: source.cgo !== undefined,
    mod: 'mod',
  };
  context.update('resolving its dependencies');
  const unresolved = await findUnresolved(context, build);
  if (unresolved !== undefined) return refuse(context, source, unresolved);
  const { openapi } = source;
  const generated =
    openapi === undefined ? undefined : await generateOpenapi(context, build, source.module, openapi);
  const facts = await runGoBuild(context, { ...build, ...generated?.flags });
  return {
    ok: true,
    facts: {
      ...facts,
      ...generated?.facts,
      ...(await describeCompiler(context, source)),
      module: `${source.module}@${source.moduleVersion}`,
      moduleSum: locked.digest,
    },
  };
}

/** What looking for a module needs. */
export type ModuleContext = Pick<
  BuildContext,
  'host' | 'title' | 'component' | 'version' | 'workFolder' | 'logFile' | 'getGo'
>;

/**
 * Downloads a module without building it.
 *
 * @returns its go.mod, and what a lock has of it; not available when the module proxy does not have it.
 * @throws HostError LAB_COMPONENT_CHECKSUM when the checksum database contradicts what the proxy served.
 */
export async function findModule(
  context: ModuleContext,
  source: ComponentSourceOf<'gomod'>,
): Promise<{ readonly ok: true; readonly own: GoMod; readonly locked: LockedModule } | NotAvailable> {
  const module = await downloadModule(context, source);
  const { Dir, GoMod: file, Sum, Error: reason } = module;
  if (reason !== undefined || file === undefined || Dir === undefined || Sum === undefined)
    return refuse(context, source, reason ?? 'no go.mod');
  const own = await readGoMod(context, file);
  const { component, version } = context;
  const locked: LockedModule = {
    component,
    version,
    source: 'gomod',
    module: `${source.module}@${source.moduleVersion}`,
    digest: Sum,
    go: nameGo(Dir, own, chooseGo(source.go, version)),
  };
  return { ok: true, own, locked };
}

/** Throws HostError LAB_COMPONENT_CHECKSUM when the lock has another source, or another Go, for this release. */
function checkModule({ lock, title }: BuildContext, used: LockedModule): void {
  const known = lock.get(nameLocked(used));
  if (known === undefined || spellLocked(known.locked) === spellLocked(used)) return;
  throw new HostError('LAB_COMPONENT_CHECKSUM', `${title}: its Go module is not what is locked`, {
    lastSeen: `${used.module}\n    expected ${spellLocked(known.locked)} (${known.file})\n    received ${spellLocked(used)}`,
    tryNext: 'when components.yaml was changed, remove its entry from the lock and run `npx whodunit lock`',
  });
}

async function downloadModule(
  context: ModuleContext,
  source: ComponentSourceOf<'gomod'>,
): Promise<z.infer<typeof downloadedSchema>> {
  const { program } = await context.getGo();
  const { stdout, stderr } = await context.host.run(
    program,
    ['mod', 'download', '-json', `${source.module}@${source.moduleVersion}`],
    // A module may need a newer Go than this one, and Debian's own does not fetch one by itself (GOTOOLCHAIN=local in its
    // go.env). With status 1 the reason is in the JSON.
    { ...localOptions(context), env: goEnvironment('auto'), okStatus: [0, 1] },
  );
  return downloadedSchema.parse(stdout.trim() === '' ? { Error: stderr.trim() } : JSON.parse(stdout));
}

/** What `go mod edit -json` says of a go.mod. */
export async function readGoMod(context: ModuleContext, path: string): Promise<GoMod> {
  const { program } = await context.getGo();
  const { stdout } = await context.host.run(program, ['mod', 'edit', '-json', path], localOptions(context));
  return goModSchema.parse(JSON.parse(stdout));
}

/** Writes the go.mod of the build into a folder of its own, which is returned. */
function writeGoMod(context: BuildContext, source: ComponentSourceOf<'gomod'>, own: GoMod): string {
  const folder = join(context.workFolder, 'module');
  mkdirSync(folder);
  const { module, moduleVersion, stagingVersion, standIns } = source;
  writeFileSync(
    join(folder, 'go.mod'),
    renderGoMod(module, moduleVersion, own, stagingVersion, standIns?.[context.version]),
  );
  return folder;
}

/** Writes main packages into the folder of a build. Returns their import paths by the names of the programs. */
function writeMains(folder: string, mains: Readonly<Record<string, string>>): Record<string, string> {
  for (const [name, text] of Object.entries(mains)) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'main.go'), text);
  }
  return joinPackages(BUILD_MODULE, Object.fromEntries(Object.keys(mains).map((name) => [name, name])));
}

/** For Go commands to which every release of Go gives the same answer. */
function localOptions(context: ModuleContext): CommandOptions {
  const { workFolder, host, logFile } = context;
  return { cwd: workFolder, env: goEnvironment('local'), signal: host.signal, logFile };
}

/** The C compiler and libraries come from the host: the record names their versions. */
export async function describeCompiler(
  context: BuildContext,
  source: Pick<ComponentSourceOf<'gomod'>, 'cgo'>,
): Promise<BuildFacts> {
  if (source.cgo === undefined) return {};
  return { hostPackages: await describeHostPackages(context.host, Object.keys(source.cgo.hostPackages)) };
}

/** Turns packages relative to a module into import paths. */
export function joinPackages(
  module: string,
  binaries: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(binaries).map(([name, path]) => [name, path === '' ? module : `${module}/${path}`]),
  );
}

function refuse(context: ModuleContext, source: ComponentSourceOf<'gomod'>, reason: string): NotAvailable {
  // Go has no exit status of its own for this; the phrase is fixed in cmd/go/internal/modfetch.
  if (reason.includes('SECURITY ERROR') || reason.includes('checksum mismatch')) {
    throw new HostError(
      'LAB_COMPONENT_CHECKSUM',
      `${context.title}: the Go checksum database refuses the download`,
      {
        lastSeen: reason,
        tryNext: 'something between here and the module proxy changes files; do not turn the check off',
        log: context.logFile,
      },
    );
  }
  return {
    ok: false,
    unavailable: `Go does not resolve ${source.module}@${source.moduleVersion}: ${shortenReason(source, reason)}`,
  };
}

/**
 * The last part of an error of Go, on one line, without the address of the proxy: that is a setting of the user
 * (GOPROXY). The missing release is what counts.
 */
function shortenReason(source: ComponentSourceOf<'gomod'>, reason: string): string {
  const prefix = `${source.module}@${source.moduleVersion}: `;
  return (reason.startsWith(prefix) ? reason.slice(prefix.length) : reason)
    .replaceAll(/https?:\/\/[^\s"]+?(?=:?(?:[\s"]|$))/g, 'the module proxy')
    .replaceAll(/\s*\n\s*/g, '; ')
    .trim();
}
