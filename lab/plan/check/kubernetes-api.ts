import { dereference, validate, type OutputUnit } from '@cfworker/json-schema';
import type { Definitions, FeatureGates, Schema } from '../../model/components/kubernetes-definitions.ts';
import { nearestName } from '../../model/text/nearest.ts';
import { describeType, dropExplained, showUnknown, showValue } from '../../model/files/zod-problems.ts';
import { describeQuantity, isQuantity, QUANTITY } from './check-quantities.ts';

/** What is wrong with an object; the path is below it, dotted. */
export interface ObjectFinding {
  readonly path: string;
  readonly expected: string;
  readonly received: string;
  readonly nearest?: string | undefined;
}

/** The API of one release of Kubernetes: which objects it knows, and what their fields may be. */
export interface KubernetesApi {
  /** Minor release, `1.34`. */
  readonly release: string;
  /** The feature gates that its kubelet knows; none where that is not known. */
  readonly featureGates: readonly string[];
  /** Checks an object by its `apiVersion` and `kind`, as strict decoding does. */
  checkObject(object: Readonly<Record<string, unknown>>): ObjectFinding[];
  /**
   * Checks the fields that a value has against a definition; what is missing is not a mistake. No findings where the release
   * does not have the definition.
   */
  checkPart(definition: string, value: unknown): ObjectFinding[];
}

/** Gives the API of a minor release; undefined when no definitions of it are known. */
export type FindApi = (release: string) => KubernetesApi | undefined;

/** The definition of what a patch of a pod may have. */
export const POD_SPEC = 'io.k8s.api.core.v1.PodSpec';

/** A span of time as Go reads it (time.ParseDuration), without a sign: no field of a kubelet takes a time below zero. */
export const DURATION =
  /^(0|(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))*)$/;

const GVK = 'x-kubernetes-group-version-kind';

/** A time as the API reads it (RFC 3339). kubectl writes `creationTimestamp: null`. */
const TIME: Schema = {
  type: ['string', 'null'],
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d',
  format: 'time',
};

/** Types that JSON and YAML write in more ways than their definition says (k8s.io/apimachinery, UnmarshalJSON of each). */
const WIDER: Readonly<Record<string, Schema>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': {
    anyOf: [{ type: 'number' }, { type: 'string', pattern: QUANTITY.source }],
    format: 'quantity',
  },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { type: ['integer', 'string'] },
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': TIME,
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': TIME,
  'io.k8s.apimachinery.pkg.apis.meta.v1.Duration': {
    type: 'string',
    pattern: DURATION.source,
    format: 'duration',
  },
};

/** Reads the definitions of a release when it is first asked for. */
export function createApis(known: Definitions, gates: FeatureGates): FindApi {
  const apis = new Map<string, KubernetesApi>();
  return (release) => {
    if (!known.releases.includes(release)) return undefined;
    let api = apis.get(release);
    if (api === undefined) apis.set(release, (api = createApi(known, gates, release)));
    return api;
  };
}

interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly definition: string;
}

function createApi(known: Definitions, gates: FeatureGates, release: string): KubernetesApi {
  const published: Record<string, Schema> = {};
  const kinds: Kind[] = [];
  for (const [name, versions] of Object.entries(known.definitions)) {
    const schema = versions.find(({ releases }) => releases.includes(release))?.schema;
    if (schema === undefined) continue;
    published[name] = schema;
    const served = (schema[GVK] ?? []) as { group: string; version: string; kind: string }[];
    for (const { group, version, kind } of served)
      kinds.push({ apiVersion: group === '' ? version : `${group}/${version}`, kind, definition: name });
  }
  const prepared: Prepared = { published, definitions: {}, lookup: {} };
  const check = (definition: string, value: unknown): ObjectFinding[] => {
    const { errors } = validate(value, prepare(prepared, definition), '7', prepared.lookup, false);
    return listFindings({ definitions: prepared.definitions, release }, definition, value, errors);
  };
  return {
    release,
    featureGates: Object.keys(gates).filter((gate) => gates[gate]?.includes(release) === true),
    checkObject: (object) => {
      const { apiVersion, kind } = object;
      const found = kinds.find((known) => known.apiVersion === apiVersion && known.kind === kind);
      return found === undefined
        ? [describeKind(kinds, release, String(apiVersion), String(kind))]
        : check(found.definition, object);
    },
    checkPart: (definition, value) => {
      if (published[definition] === undefined) return [];
      return check(definition, value).filter(({ received, path }) => !isPartial(received, path));
    },
  };
}

/** A part may lack what the whole needs, and a strategic merge patch has directives such as `$patch`. */
function isPartial(received: string, path: string): boolean {
  return received === 'nothing' || /(^|\.)\$\w+$/.test(path);
}

/** The definitions of a release, and what is prepared of them: they are many, and a project uses few. */
interface Prepared {
  readonly published: Readonly<Record<string, Schema>>;
  /** Made strict. */
  readonly definitions: Record<string, Schema>;
  /** The parts of definitions for the validator, each by its address. */
  readonly lookup: Record<string, Schema | boolean>;
}

/** Returns a definition, made strict, after all that it refers to has been prepared too. */
function prepare({ published, definitions, lookup }: Prepared, definition: string): Schema {
  const waiting = [definition];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const schema = published[name];
    if (schema === undefined || definitions[name] !== undefined) continue;
    const strict = WIDER[name] ?? makeStrict(schema);
    definitions[name] = strict;
    dereference(strict, lookup, undefined, `/definitions/${name}`);
    waiting.push(...listReferences(strict));
  }
  return definitions[definition] ?? {};
}

/** The definitions that a schema refers to. */
function listReferences(schema: Schema): string[] {
  if (typeof schema.$ref === 'string') return [schema.$ref.replace('#/definitions/', '')];
  return Object.values(schema).flatMap((value) =>
    typeof value === 'object' && value !== null ? listReferences(value as Schema) : [],
  );
}

/** Unknown fields are errors, as in strict decoding; where any field may be, a schema says so. */
function makeStrict(schema: Schema): Schema {
  const result: Record<string, unknown> = { ...schema };
  for (const key of ['items', 'additionalProperties'])
    if (typeof schema[key] === 'object') result[key] = makeStrict(schema[key] as Schema);
  if (typeof schema.properties !== 'object') return result;
  result.properties = Object.fromEntries(
    Object.entries(schema.properties as Record<string, Schema>).map(([name, property]) => [
      name,
      makeStrict(property),
    ]),
  );
  if (schema['x-kubernetes-preserve-unknown-fields'] !== true) result.additionalProperties ??= false;
  return result;
}

function describeKind(
  kinds: readonly Kind[],
  release: string,
  apiVersion: string,
  kind: string,
): ObjectFinding {
  const versions = kinds.filter((known) => known.kind === kind).map((known) => known.apiVersion);
  if (versions.length > 0) {
    const expected = `the version that Kubernetes ${release} has of ${kind}: ${versions.join(' or ')}`;
    const received = JSON.stringify(apiVersion);
    return { path: 'apiVersion', expected, received, nearest: nearestName(apiVersion, versions) };
  }
  const names = [...new Set(kinds.map((known) => known.kind))];
  const expected = `a kind that Kubernetes ${release} knows`;
  return { path: 'kind', expected, received: JSON.stringify(kind), nearest: nearestName(kind, names) };
}

interface Context {
  readonly definitions: Readonly<Record<string, Schema>>;
  readonly release: string;
}

/** One finding for each place in which something is wrong; the validator also tells of all that contains it. */
function listFindings(
  context: Context,
  definition: string,
  root: unknown,
  errors: readonly OutputUnit[],
): ObjectFinding[] {
  const places = new Map<string, string[]>();
  for (const { instanceLocation, keyword } of errors) {
    const isLeaf = ['type', 'enum', 'required', 'false', 'pattern'].includes(keyword);
    if (isLeaf && places.get(instanceLocation) === undefined)
      places.set(instanceLocation, parsePointer(instanceLocation));
  }
  const findings = [...places.values()].flatMap((path) => {
    const value = valueAt(root, path);
    const parent = schemaAt(context, definition, path.slice(0, -1));
    const schema = schemaAt(context, definition, path);
    const at = path.join('.');
    if (schema === undefined) {
      const known = Object.keys(parent?.properties ?? {});
      const key = path.at(-1) ?? '';
      const expected = `one of the fields of Kubernetes ${context.release}: ${known.join(', ')}`;
      return [{ path: at, expected, received: showUnknown(key), nearest: nearestName(key, known) }];
    }
    return describeValue(schema, at, value);
  });
  return dropExplained(findings);
}

function describeValue(schema: Schema, path: string, value: unknown): ObjectFinding[] {
  if (schema.format === 'quantity') {
    if (isQuantity(value)) return [];
    return [{ path, ...describeQuantity(value) }];
  }
  if (schema.format === 'duration')
    return [{ path, expected: 'a span of time such as 30s or 1m30s', received: showValue(value) }];
  if (schema.format === 'time')
    return [{ path, expected: 'a time such as 2026-01-31T09:00:00Z', received: showValue(value) }];
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && schema.type === 'object') {
    const missing = ((schema.required ?? []) as string[]).filter((name) => !Object.hasOwn(value, name));
    return missing.map((name) => ({
      path: path === '' ? name : `${path}.${name}`,
      expected: 'this field, which every such object has',
      received: 'nothing',
    }));
  }
  const options = schema.enum as readonly string[] | undefined;
  if (options !== undefined) {
    const nearest = nearestName(String(value), options);
    return [{ path, expected: `one of ${options.join(', ')}`, received: showValue(value), nearest }];
  }
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null') as string[];
  const expected = types.map(describeType).join(' or ');
  return [{ path, expected, received: showValue(value, expected) }];
}

/** The schema of a field; undefined when there is no such field. */
function schemaAt({ definitions }: Context, definition: string, path: readonly string[]): Schema | undefined {
  const follow = (schema: Schema | undefined): Schema | undefined => {
    const name = typeof schema?.$ref === 'string' ? schema.$ref.replace('#/definitions/', '') : undefined;
    return name === undefined ? schema : follow(definitions[name]);
  };
  let schema = follow(definitions[definition]);
  for (const part of path) {
    const properties = schema?.properties as Readonly<Record<string, Schema>> | undefined;
    const more = schema?.additionalProperties;
    const isOpen = typeof more === 'object' && more !== null;
    const own = properties !== undefined && Object.hasOwn(properties, part) ? properties[part] : undefined;
    schema = follow(own ?? (schema?.items as Schema | undefined) ?? (isOpen ? (more as Schema) : undefined));
  }
  return schema;
}

function parsePointer(pointer: string): string[] {
  if (pointer === '#') return [];
  return pointer
    .replace(/^#\//, '')
    .split('/')
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const part of path)
    current =
      typeof current === 'object' && current !== null
        ? (current as Record<string, unknown>)[part]
        : undefined;
  return current;
}
