import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommandOptions, RunCommand } from '../../../../lab/model/host/host.ts';
import { runGoBuild, type GoBuild } from '../../../../provision/components/go-build.ts';
import {
  countDefinitions,
  generateOpenapi,
  parsePackages,
  pickInputs,
  planLinks,
  renderOverlay,
  type ListedPackage,
} from '../../../../provision/components/openapi.ts';
import type { BuildContext } from '../../../../provision/components/source.ts';
import { createQuietHost } from '../../../quiet-host.ts';

const MODULE = 'k8s.io/kubernetes';
const OPENAPI = { program: 'cmd/kube-apiserver', into: 'pkg/generated/openapi' };
const GENERATED = `package openapi

func GetOpenAPIDefinitions(ref common.ReferenceCallback) map[string]common.OpenAPIDefinition {
	return map[string]common.OpenAPIDefinition{
		"k8s.io/api/core/v1.Pod":                         schema_k8sio_api_core_v1_Pod(ref),
		"k8s.io/apimachinery/pkg/util/intstr.IntOrString": schema_apimachinery_pkg_util_intstr_IntOrString(ref),
	}
}
`;
/** What the generator writes when it finds no package: a file that compiles. */
const EMPTY = GENERATED.split('\n')
  .filter((line) => !line.includes('schema_'))
  .join('\n');

let folder: string;
let calls: { program: string; args: readonly string[]; options: CommandOptions }[];
let packages: ListedPackage[];
/** What the generator writes; undefined when it writes no file. */
let written: string | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'openapi-'));
  calls = [];
  written = GENERATED;
  packages = [
    makePackage('k8s.io/api/core/v1', 'k8s.io/api', '// +k8s:openapi-gen=true\npackage v1'),
    makePackage('k8s.io/kubernetes/cmd/kube-apiserver', MODULE, 'package main'),
    makePackage('k8s.io/kube-openapi/pkg/builder', 'k8s.io/kube-openapi', '// +k8s:openapi-gen=true'),
    makePackage('go.opentelemetry.io/otel', 'go.opentelemetry.io/otel', 'package otel'),
    makePackage('go.opentelemetry.io/otel/trace', 'go.opentelemetry.io/otel/trace', 'package trace'),
  ];
  mkdirSync(join(folder, 'module'));
  mkdirSync(join(folder, 'work'));
  writeFileSync(join(folder, 'module', 'go.mod'), 'module whodunit/build\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Puts a package with one file where Go keeps modules. */
function makePackage(importPath: string, module: string, text: string): ListedPackage {
  const moduleFolder = join(folder, 'cache', `${module}@v1.0.0`);
  const own = join(moduleFolder, importPath.slice(module.length));
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, 'a.go'), text);
  return {
    importPath,
    folder: own,
    module: { path: module, version: 'v1.0.0', folder: moduleFolder },
    files: ['a.go'],
  };
}

const formatPackage = ({ importPath, folder: own, module, files }: ListedPackage): string =>
  [importPath, own, module.path, module.version, module.folder, ...files].join('\t');

const wordAfter = (args: readonly string[], flag: string): string => args[args.indexOf(flag) + 1] ?? '';

const run: RunCommand = (program, args, options = {}) => {
  calls.push({ program, args, options });
  if (basename(program) === 'openapi-gen' && written !== undefined) {
    const file = join(wordAfter(args, '-o'), wordAfter(args, '-p'), `${wordAfter(args, '-O')}.go`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, written);
  }
  // As Go does when a program needs more than is in go.mod.
  if (args[0] === 'build') writeFileSync(join(options.cwd ?? '', 'go.mod'), 'completed\n');
  const stdout =
    args[0] === 'list' ? packages.map(formatPackage).join('\n') : args[0] === 'env' ? '/goroot\n' : '';
  return Promise.resolve({ status: 0, stdout, stderr: '' });
};

const makeContext = (): BuildContext => ({
  host: createQuietHost(folder, { run, cacheDir: folder }),
  title: 'kubernetes 1.22.17',
  component: 'kubernetes',
  debian: { archive: 'http://mirror.test/debian', security: 'http://mirror.test/debian-security' },
  lock: new Map(),
  version: '1.22.17',
  outFolder: join(folder, 'out'),
  workFolder: join(folder, 'work'),
  logFile: join(folder, 'log'),
  getGo: () => Promise.resolve({ program: 'go', version: '1.26.8' }),
  update: () => undefined,
});
const makeBuild = (): GoBuild => ({
  folder: join(folder, 'module'),
  go: '1.18.10',
  packages: {},
  ldflags: [],
  mod: 'mod',
});
const generate = () => generateOpenapi(makeContext(), makeBuild(), MODULE, OPENAPI);
const findGenerator = () => calls.find(({ program }) => basename(program) === 'openapi-gen');
const listFiles = (root: string): string[] => readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();

describe('the packages of a program', () => {
  it('are read back as Go lists them', () => {
    expect(parsePackages(`${packages.map(formatPackage).join('\n')}\n`)).toEqual(packages);
  });

  it('are inputs when a comment of Kubernetes asks for definitions, less the generator that speaks of it', () => {
    const texts = new Map(packages.map((pkg) => [join(pkg.folder, 'a.go'), 'package a']));
    const inputs = (at: number, text: string) => {
      texts.set(join(packages[at]?.folder ?? '', 'a.go'), text);
      return pickInputs(packages, (path) => texts.get(path) ?? '');
    };
    expect(inputs(0, '// +k8s:openapi-gen=true\npackage v1')).toEqual(['k8s.io/api/core/v1']);
    expect(inputs(2, '// +k8s:openapi-gen=true')).toEqual(['k8s.io/api/core/v1']);
    expect(inputs(3, '// +k8s:openapi-gen=true')).toEqual(['k8s.io/api/core/v1']);
    expect(inputs(1, 'var a = 1 // see +k8s:openapi-gen=true')).toEqual(['k8s.io/api/core/v1']);
    expect(inputs(0, '// +k8s:deepcopy-gen=package')).toEqual([]);
  });

  it('are linked file by file, so that no link lies below another one', () => {
    const links = [...planLinks(packages).keys()];
    expect(links).toContain('go.opentelemetry.io/otel/a.go');
    expect(links).toContain('go.opentelemetry.io/otel/trace/a.go');
    expect(links.filter((path) => links.some((other) => path.startsWith(`${other}/`)))).toEqual([]);
  });
});

describe('the generated file', () => {
  it('is put into its module, as if it had been published with it', () => {
    expect(JSON.parse(renderOverlay('/mod/k8s.io/kubernetes@v1.22.17', OPENAPI.into, '/work/a.go'))).toEqual({
      Replace: {
        '/mod/k8s.io/kubernetes@v1.22.17/pkg/generated/openapi/zz_generated.openapi.go': '/work/a.go',
      },
    });
  });

  it('is counted by the definitions that it returns', () => {
    expect(countDefinitions(GENERATED)).toBe(2);
    expect(countDefinitions(EMPTY)).toBe(0);
  });

  it('is made by the generator of the same release, and the record says which', async () => {
    const { flags, facts } = await generate();
    expect(facts).toMatchObject({
      openapiGen: 'k8s.io/kube-openapi@v1.0.0',
      openapiFile: 'pkg/generated/openapi/zz_generated.openapi.go',
      openapiDefinitions: '2',
      openapiSha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    const overlay = JSON.parse(readFileSync(flags.overlay, 'utf8')) as { Replace: Record<string, string> };
    const [[into, generated] = ['', '']] = Object.entries(overlay.Replace);
    expect(into).toBe(
      join(folder, 'cache', `${MODULE}@v1.0.0`, 'pkg/generated/openapi/zz_generated.openapi.go'),
    );
    expect(readFileSync(generated, 'utf8')).toBe(GENERATED);
  });

  it('is made in a GOPATH with the Go of the build, of the packages that ask for it', async () => {
    await generate();
    const generator = findGenerator();
    const goPath = join(folder, 'work', 'openapi', 'gopath');
    expect(generator?.options).toMatchObject({
      cwd: join(goPath, 'src'),
      env: { GO111MODULE: 'off', GOPATH: goPath, GOROOT: '/goroot', GOFLAGS: '', CGO_ENABLED: '0' },
    });
    expect(wordAfter(generator?.args ?? [], '-i')).toBe('k8s.io/api/core/v1');
    expect(readFileSync(join(goPath, 'src', 'k8s.io/api/core/v1/a.go'), 'utf8')).toContain('package v1');
    expect(existsSync(join(goPath, 'src', 'go.opentelemetry.io/otel/trace/a.go'))).toBe(true);
  });

  it('leaves the go.mod of the build and the module cache as they are', async () => {
    const before = listFiles(join(folder, 'cache'));
    await generate();
    expect(calls.some(({ args }) => args[0] === 'build')).toBe(true);
    expect(readFileSync(join(folder, 'module', 'go.mod'), 'utf8')).toBe('module whodunit/build\n');
    expect(listFiles(join(folder, 'cache'))).toEqual(before);
  });

  it.each([
    ['defines nothing', EMPTY],
    ['was not written', undefined],
  ])('is an error when it %s', async (_what, text) => {
    written = text;
    await expect(generate()).rejects.toMatchObject({
      code: 'LAB_COMPONENT_BUILD',
      lastSeen: 'openapi-gen defined nothing of 1 packages',
      log: join(folder, 'log'),
    });
  });

  it('is an error when the program has nothing of the generator', async () => {
    packages = packages.filter(({ module }) => module.path !== 'k8s.io/kube-openapi');
    await expect(generate()).rejects.toMatchObject({
      code: 'LAB_COMPONENT_BUILD',
      lastSeen: 'it has no package of k8s.io/kube-openapi',
    });
  });
});

describe('a build with a generated file', () => {
  it('is told of it, and looks into folders of the module cache instead of its index', async () => {
    await runGoBuild(makeContext(), { ...makeBuild(), overlay: '/work/overlay.json' });
    const build = calls.find(({ args }) => args[0] === 'build');
    expect(wordAfter(build?.args ?? [], '-overlay')).toBe('/work/overlay.json');
    expect(build?.options.env).toMatchObject({ GODEBUG: 'goindex=0' });
  });

  it('is the only one that is', async () => {
    await runGoBuild(makeContext(), makeBuild());
    const build = calls.find(({ args }) => args[0] === 'build');
    expect(build?.args).not.toContain('-overlay');
    expect(build?.options.env).toMatchObject({ GODEBUG: undefined });
  });
});
