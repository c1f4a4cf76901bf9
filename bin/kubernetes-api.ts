/**
 * Writes the schemas of the Kubernetes API, release by release, into provision/kubernetes-api/definitions.json:
 * `npx tsx bin/kubernetes-api.ts <folder of the module>...`, after `go mod download k8s.io/kubernetes@v1.38.0`. A
 * folder is named `kubernetes@v<release>`. It replaces what is known of its minor release; other ones stay.
 *
 * The API is that of api/openapi-spec/swagger.json, which names all fields, but no values of enums. These, and the type
 * of the kubelet's configuration, come from the Go code that the specification is generated from (from 1.24 on the
 * module has it). Descriptions and defaults are left out; nothing is added.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { compareVersions } from '../lab/model/components/components.ts';
import {
  DEFINITIONS_FILE,
  KUBELET_CONFIGURATION,
  type Definitions,
  type Schema,
} from '../lab/model/components/kubernetes-definitions.ts';

const PROJECT = join(import.meta.dirname, '..');
const FILE = join(PROJECT, DEFINITIONS_FILE);
const READER = join(PROJECT, 'provision/kubernetes-api/read-definitions');
const GVK = 'x-kubernetes-group-version-kind';

interface Swagger {
  readonly definitions: Readonly<Record<string, Schema>>;
  readonly paths: Readonly<Record<string, { readonly post?: Schema }>>;
}

type Gvk = Readonly<Record<'group' | 'version' | 'kind', string>>;

/** Every definition of one release that an object which can be created is made of, and the kubelet's configuration. */
function readRelease(folder: string): Record<string, Schema> {
  const swagger = JSON.parse(readFileSync(join(folder, 'api/openapi-spec/swagger.json'), 'utf8')) as Swagger;
  const generated = readGenerated(join(folder, 'pkg/generated/openapi/zz_generated.openapi.go'));
  const find = (name: string): Schema => swagger.definitions[name] ?? findGenerated(generated, name) ?? {};
  const posted = Object.entries(swagger.paths)
    .filter(([path, { post }]) => post?.['x-kubernetes-action'] === 'post' && !path.includes('{name}'))
    .map(([, { post }]) => JSON.stringify(sortGvk(post?.[GVK] as Gvk)));
  const kindsOf = (schema: Schema): Gvk[] =>
    ((schema[GVK] ?? []) as Gvk[]).map(sortGvk).filter((kind) => posted.includes(JSON.stringify(kind)));
  const wanted = Object.keys(swagger.definitions).filter((name) => kindsOf(find(name)).length > 0);
  if (findGenerated(generated, KUBELET_CONFIGURATION) !== undefined) wanted.push(KUBELET_CONFIGURATION);
  const found: Record<string, Schema> = {};
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    if (found[name] !== undefined) continue;
    const kinds = kindsOf(find(name));
    const schema = prune(find(name), findGenerated(generated, name));
    found[name] = kinds.length === 0 ? schema : { ...schema, [GVK]: kinds };
    wanted.push(...listReferences(schema));
  }
  return found;
}

function sortGvk({ group, version, kind }: Gvk): Gvk {
  return { group, version, kind };
}

/** The schemas in the Go code of a release, by the names of their functions; none where it is not in the module. */
function readGenerated(file: string): Readonly<Record<string, Schema>> {
  if (!existsSync(file)) return {};
  const printed = execFileSync('go', ['run', '.', file], { cwd: READER, maxBuffer: 256 * 1024 * 1024 });
  return JSON.parse(printed.toString()) as Record<string, Schema>;
}

/**
 * `io.k8s.api.core.v1.Pod` is made by `schema_k8sio_api_core_v1_Pod`: the last four parts of the path of its package.
 */
function findGenerated(generated: Readonly<Record<string, Schema>>, name: string): Schema | undefined {
  const parts = name.replace(/^io\.k8s\./, 'k8sio.').split('.');
  return generated[`schema_${parts.slice(-5).join('_').replaceAll('-', '')}`];
}

/** `k8s.io/api/core/v1.Taint` → `io.k8s.api.core.v1.Taint`. */
function publishedName(reference: string): string {
  return reference
    .replace(/^#\/definitions\//, '')
    .replace(/^k8s\.io\//, 'io.k8s.')
    .replaceAll('/', '.');
}

const KEPT = ['type', 'format', 'required', 'enum', 'x-kubernetes-preserve-unknown-fields'];

/** What a schema says about values, with the values of enums that only the Go code names. */
function prune(schema: Schema, generated: Schema | undefined): Schema {
  const inner = (key: string): Schema | undefined => schema[key] as Schema | undefined;
  const other = (key: string): Schema | undefined => generated?.[key] as Schema | undefined;
  const result: Record<string, unknown> = {};
  if (typeof schema.$ref === 'string') result.$ref = `#/definitions/${publishedName(schema.$ref)}`;
  for (const key of KEPT) if (schema[key] !== undefined) result[key] = schema[key];
  if (Array.isArray(result.type)) [result.type] = result.type as unknown[];
  const values = other('enum');
  if (values !== undefined && schema.type !== undefined) result.enum = values;
  for (const key of ['items', 'additionalProperties']) {
    const value = inner(key);
    if (value !== undefined) result[key] = prune(value, other(key));
  }
  const properties = inner('properties');
  if (properties !== undefined)
    result.properties = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [
        name,
        prune(property as Schema, other('properties')?.[name] as Schema | undefined),
      ]),
    );
  return result;
}

function listReferences(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string'
      ? [inner.replace('#/definitions/', '')]
      : listReferences(inner),
  );
}

function minorOf(folder: string): string {
  const minor = /@v(\d+\.\d+)\.\d+$/.exec(basename(folder))?.[1];
  if (minor === undefined) throw new Error(`${folder} is not named kubernetes@v<release>`);
  return minor;
}

const folders = process.argv.slice(2);
const saved = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Definitions) : undefined;
const releases = new Map<string, Record<string, Schema>>();
for (const release of saved?.releases ?? [])
  releases.set(
    release,
    Object.fromEntries(
      Object.entries(saved?.definitions ?? {}).flatMap(([name, versions]) => {
        const found = versions.find((known) => known.releases.includes(release));
        return found === undefined ? [] : [[name, found.schema]];
      }),
    ),
  );
for (const folder of folders) releases.set(minorOf(folder), readRelease(folder));
const sorted = [...releases.keys()].sort(compareVersions);
const names = [...new Set([...releases.values()].flatMap((schemas) => Object.keys(schemas)))].sort();
const lines = names.map((name) => {
  const versions = new Map<string, string[]>();
  for (const release of sorted) {
    const schema = releases.get(release)?.[name];
    if (schema === undefined) continue;
    const text = JSON.stringify(schema);
    versions.set(text, [...(versions.get(text) ?? []), release]);
  }
  const entries = [...versions].map(
    ([schema, within]) => `{"releases":${JSON.stringify(within)},"schema":${schema}}`,
  );
  return `${JSON.stringify(name)}:[\n${entries.join(',\n')}\n]`;
});
writeFileSync(FILE, `{"releases":${JSON.stringify(sorted)},\n"definitions":{\n${lines.join(',\n')}\n}}\n`);
