import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ComponentSourceOf } from '../../lab/model/components/components.ts';
import { HostError } from '../../lab/model/errors/errors.ts';
import type { BuildFacts } from './component-record.ts';
import { digestFile } from './digest.ts';
import { goOptions, type GoBuild } from './go-build.ts';
import { goEnvironment } from './go.ts';
import type { BuildContext } from './source.ts';

/**
 * Writes the Go file that older Kubernetes releases lack: the OpenAPI definitions of their API, which `make
 * generated_files` writes before it compiles (build/root/Makefile.generated_files, "OpenAPI generation"). The same
 * generator of the same release reads the same packages here; only the place of the sources differs.
 */

/** Name of the generated file (OPENAPI_FILENAME of that Makefile). */
const GENERATED_FILE = 'zz_generated.openapi.go';
const GENERATOR_MODULE = 'k8s.io/kube-openapi';
const GENERATOR = `${GENERATOR_MODULE}/cmd/openapi-gen`;

/** A package outside the standard library that a program is made of. */
export interface ListedPackage {
  readonly importPath: string;
  /** Absolute path. */
  readonly folder: string;
  readonly module: { readonly path: string; readonly version: string; readonly folder: string };
  /** Names of the Go files that are compiled here. */
  readonly files: readonly string[];
}

/** What `go build` takes in addition. */
export interface Generated {
  readonly flags: Required<Pick<GoBuild, 'overlay'>>;
  readonly facts: BuildFacts;
}

/** One line a package, fields and file names between tabs; a replaced module has the version of what replaces it. */
const LIST_FORMAT = [
  '{{if not .Standard}}{{.ImportPath}}\t{{.Dir}}\t{{with .Module}}{{.Path}}',
  '\t{{with .Replace}}{{.Version}}{{else}}{{.Version}}{{end}}\t{{.Dir}}{{end}}{{range .GoFiles}}\t{{.}}{{end}}{{end}}',
].join('');

/** Reads what `go list` prints in our format. */
export function parsePackages(text: string): ListedPackage[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [importPath = '', folder = '', path = '', version = '', moduleFolder = '', ...files] =
        line.split('\t');
      return { importPath, folder, module: { path, version, folder: moduleFolder }, files };
    });
}

/** A comment in column 0: a package, or a type in it, wants definitions. */
const TAG = /^\/\/ *\+k8s:openapi-gen=/m;

/**
 * Picks the packages of Kubernetes that ask for definitions. The generator's own module only speaks of the tag.
 *
 * @param read the text of a file
 */
export function pickInputs(packages: readonly ListedPackage[], read: (path: string) => string): string[] {
  return packages
    .filter(({ importPath, module }) => importPath.startsWith('k8s.io/') && module.path !== GENERATOR_MODULE)
    .filter(({ folder, files }) => files.some((name) => TAG.test(read(join(folder, name)))))
    .map(({ importPath }) => importPath)
    .sort();
}

/**
 * Plans the `src` folder of a GOPATH: relative path of a link to the file that it points to. Links to files only: a
 * module may be inside another one (otel and otel/trace), and a link to a folder would let us write into the module
 * cache.
 */
export function planLinks(packages: readonly ListedPackage[]): Map<string, string> {
  return new Map(
    packages.flatMap(({ importPath, folder, files }) =>
      files.map((name) => [join(importPath, name), join(folder, name)] as const),
    ),
  );
}

/** Renders the file for `go build -overlay` that puts a file into a module as if it had been published with it. */
export function renderOverlay(moduleFolder: string, into: string, generated: string): string {
  return JSON.stringify({ Replace: { [join(moduleFolder, into, GENERATED_FILE)]: generated } });
}

/** Counts the entries of the map that `GetOpenAPIDefinitions` returns. */
export function countDefinitions(text: string): number {
  return [...text.matchAll(/^\t+"[^"]+": +schema_\w+\(ref\),$/gm)].length;
}

/**
 * Generates the file, and leaves the build's go.mod and the module cache as they are.
 *
 * @throws HostError when the generator found nothing to define.
 */
export async function generateOpenapi(
  context: BuildContext,
  build: GoBuild,
  module: string,
  openapi: NonNullable<ComponentSourceOf<'gomod'>['openapi']>,
): Promise<Generated> {
  context.update('generating its OpenAPI definitions');
  const folder = join(context.workFolder, 'openapi');
  mkdirSync(folder);
  const packages = await listPackages(context, build, `${module}/${openapi.program}`);
  const generator = await buildGenerator(context, build, folder);
  linkFiles(join(folder, 'gopath', 'src'), planLinks(packages));
  const inputs = pickInputs(packages, (path) => readFileSync(path, 'utf8'));
  const generated = await runGenerator(context, build, {
    folder,
    generator,
    inputs,
    target: `${module}/${openapi.into}`,
  });
  const definitions = existsSync(generated) ? countDefinitions(readFileSync(generated, 'utf8')) : 0;
  if (definitions === 0) throw fail(context, `openapi-gen defined nothing of ${inputs.length} packages`);
  const overlay = join(folder, 'overlay.json');
  const { folder: moduleFolder } = getModule(context, packages, module);
  writeFileSync(overlay, renderOverlay(moduleFolder, openapi.into, generated));
  return {
    flags: { overlay },
    facts: {
      openapiGen: `${GENERATOR_MODULE}@${getModule(context, packages, GENERATOR_MODULE).version}`,
      openapiFile: `${openapi.into}/${GENERATED_FILE}`,
      openapiDefinitions: String(definitions),
      openapiSha256: await digestFile(generated),
    },
  };
}

async function listPackages(
  context: BuildContext,
  build: GoBuild,
  program: string,
): Promise<ListedPackage[]> {
  const go = await context.getGo();
  const words = ['list', '-deps', '-f', LIST_FORMAT, program];
  // Not into the log: a thousand lines that say nothing of a failure.
  const { cwd, env, signal } = goOptions(context, build);
  const { stdout } = await context.host.run(go.program, words, { cwd, env, signal });
  return parsePackages(stdout);
}

/**
 * With a copy of the go.mod of the build: the same versions, and what only this program needs stays out of the build.
 */
async function buildGenerator(context: BuildContext, build: GoBuild, folder: string): Promise<string> {
  const go = await context.getGo();
  const own = join(folder, 'generator');
  mkdirSync(own);
  for (const name of ['go.mod', 'go.sum']) {
    if (existsSync(join(build.folder, name))) copyFileSync(join(build.folder, name), join(own, name));
  }
  const program = join(folder, 'openapi-gen');
  await context.host.run(
    go.program,
    ['build', '-trimpath', '-o', program, GENERATOR],
    goOptions(context, { ...build, folder: own }),
  );
  return program;
}

function linkFiles(root: string, links: ReadonlyMap<string, string>): void {
  for (const folder of new Set([...links.keys()].map((path) => dirname(path))))
    mkdirSync(join(root, folder), { recursive: true });
  for (const [path, target] of links) symlinkSync(target, join(root, path));
}

/** gengo finds packages only in a GOPATH. With modules it writes an empty function, without an error. */
async function runGenerator(
  context: BuildContext,
  build: GoBuild,
  job: { folder: string; generator: string; inputs: readonly string[]; target: string },
): Promise<string> {
  const { host } = context;
  const go = await context.getGo();
  const root = await host.run(go.program, ['env', 'GOROOT'], goOptions(context, build));
  const goPath = join(job.folder, 'gopath');
  const out = join(job.folder, 'out');
  // In place of a licence.
  const header = join(job.folder, 'header.txt');
  writeFileSync(header, '');
  const words = ['-i', job.inputs.join(','), '-p', job.target, '-O', GENERATED_FILE.replace(/\.go$/, '')];
  await host.run(
    job.generator,
    [...words, '-o', out, '-h', header, '-r', join(job.folder, 'violations.txt')],
    {
      cwd: join(goPath, 'src'),
      env: { ...goEnvironment('local'), GO111MODULE: 'off', GOPATH: goPath, GOROOT: root.stdout.trim() },
      signal: host.signal,
      logFile: context.logFile,
    },
  );
  return join(out, job.target, GENERATED_FILE);
}

function getModule(
  context: BuildContext,
  packages: readonly ListedPackage[],
  path: string,
): ListedPackage['module'] {
  const found = packages.find(({ module }) => module.path === path);
  if (found === undefined) throw fail(context, `it has no package of ${path}`);
  return found.module;
}

function fail(context: BuildContext, lastSeen: string): HostError {
  return new HostError(
    'LAB_COMPONENT_BUILD',
    `${context.title}: its OpenAPI definitions were not generated`,
    {
      lastSeen,
      tryNext: 'correct `openapi` in components.yaml; the log below says what the generator printed',
      log: context.logFile,
    },
  );
}
