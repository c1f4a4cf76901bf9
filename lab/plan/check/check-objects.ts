import { groupBy } from '../../model/text/group-by.ts';
import { configProblem, type ConfigProblem } from '../../model/errors/errors.ts';
import { WORKLOAD_HANDLERS } from '../../model/axes/runtime.ts';
import { nearestName } from '../../model/text/nearest.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import { POD_SPEC, type KubernetesApi, type ObjectFinding } from './kubernetes-api.ts';
import { get, listLater, listManifests, type LocatedObject } from './list-objects.ts';
import { ownValue } from '../../model/text/own-value.ts';

/**
 * Checks the objects of a scenario, and what it patches, against the API of the release that runs them: kinds, fields,
 * types, values of enums, quantities. Kinds that a CustomResourceDefinition of the scenario brings are left out.
 */
export function checkSchemas(loaded: LoadedScenario, api: KubernetesApi): ConfigProblem[] {
  const objects = [...listManifests(loaded), ...listLater(loaded)];
  const custom = new Set(
    objects
      .filter(({ object }) => object.kind === 'CustomResourceDefinition')
      .map(({ object }) => String(get(get(get(object, 'spec'), 'names'), 'kind'))),
  );
  const ofObjects = objects
    // What has no kind is reported elsewhere.
    .filter(({ object: { kind, apiVersion } }) => typeof kind === 'string' && typeof apiVersion === 'string')
    .filter(({ object }) => !custom.has(String(object.kind)))
    .flatMap(({ file, path, object }) =>
      api.checkObject(object).map((finding) => toProblem(file, path, finding)),
    );
  const ofPatches = loaded.scenario.stimulus.flatMap((stimulus, index) =>
    stimulus.kind !== 'patch-pod'
      ? []
      : api
          .checkPart(POD_SPEC, stimulus.spec)
          .map((found) => toProblem(`${loaded.folder}/scenario.yaml`, `stimulus.${index}.spec`, found)),
  );
  return [...ofObjects, ...ofPatches];
}

function toProblem(
  file: string,
  path: string,
  { path: below, expected, received, nearest }: ObjectFinding,
): ConfigProblem {
  return configProblem(file, below === '' ? path : `${path}.${below}`, expected, received, nearest);
}

/** Namespaces that every cluster has. */
const NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** What may be the name of an object, as most of them take it (RFC 1123). Those of RBAC may be any text. */
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** The longest name of most objects (RFC 1123, a DNS subdomain). */
const LONGEST_NAME = 253;
/** The same without dots (a DNS label). */
const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/**
 * Kinds that take less: names that are a DNS label, and those that a controller makes a label or longer names of
 * (pkg/apis/core/validation and pkg/apis/batch/validation of k8s.io/kubernetes).
 */
const SHORTER: Readonly<Record<string, { readonly most: number; readonly form?: RegExp }>> = {
  Namespace: { most: 63, form: DNS_LABEL },
  Service: { most: 63, form: DNS_LABEL },
  Job: { most: 63 },
  CronJob: { most: 52 },
};

/** Checks what no schema says about the objects of a scenario: names, namespaces, and that none is there twice. */
export function checkObjectNames(loaded: LoadedScenario): ConfigProblem[] {
  const manifests = listManifests(loaded);
  const later = listLater(loaded);
  const spaces = [
    ...NAMESPACES,
    ...[...manifests, ...later]
      .filter(({ object }) => object.kind === 'Namespace')
      .map(({ object }) => String(get(object.metadata, 'name'))),
  ];
  const files = groupBy(later, ({ file }) => file);
  return [
    ...[...manifests, ...later].flatMap((object) => checkName(object, spaces)),
    ...checkNamed([...manifests, ...later]),
    // The files of later/ are created one by one, maybe after what was there has gone.
    ...[manifests, ...files.values()].flatMap(checkTwice),
  ];
}

function checkName({ file, path, object }: LocatedObject, spaces: readonly string[]): ConfigProblem[] {
  // What is not an object is reported elsewhere.
  if (typeof object.kind !== 'string') return [];
  const name = get(object.metadata, 'name');
  const namespace = get(object.metadata, 'namespace');
  const problems: ConfigProblem[] = [];
  const add = (field: string, expected: string, received: string, nearest?: string): void => {
    problems.push(configProblem(file, `${path}.metadata.${field}`, expected, received, nearest));
  };
  if (typeof name === 'string') {
    const isRbac = String(object.apiVersion).startsWith('rbac.authorization.k8s.io/');
    const { most, form = NAME } = ownValue(SHORTER, object.kind) ?? { most: LONGEST_NAME };
    const letters = form === DNS_LABEL ? 'digits and -' : 'digits, - and .';
    if (!isRbac && !form.test(name)) add('name', `lower-case letters, ${letters}`, JSON.stringify(name));
    else if (!isRbac && name.length > most)
      add('name', `at most ${most} characters, the longest name of a ${object.kind}`, String(name.length));
  } else if (name === undefined && typeof get(object.metadata, 'generateName') !== 'string') {
    add('name', 'the name of the object', 'nothing');
  }
  if (typeof namespace === 'string' && !spaces.includes(namespace))
    add(
      'namespace',
      `a namespace that is there (${spaces.join(', ')})`,
      JSON.stringify(namespace),
      nearestName(namespace, spaces),
    );
  return problems;
}

/** What a pod names, and cannot be created without: the kind of object, and those that every cluster has. */
const NAMED: Readonly<Record<string, { readonly kind: string; readonly there: readonly string[] }>> = {
  serviceAccountName: { kind: 'ServiceAccount', there: ['default'] },
  priorityClassName: {
    kind: 'PriorityClass',
    there: ['system-cluster-critical', 'system-node-critical'],
  },
  // The lab makes those of the handlers that a variant has.
  runtimeClassName: { kind: 'RuntimeClass', there: WORKLOAD_HANDLERS },
};

/** Objects of the scenario that a pod names have to be among its own. */
function checkNamed(objects: readonly LocatedObject[]): ConfigProblem[] {
  const namesOf = (kind: string): string[] =>
    objects
      .filter(({ object }) => object.kind === kind)
      .map(({ object }) => String(get(object.metadata, 'name')));
  const known = Object.fromEntries(
    Object.entries(NAMED).map(([field, { kind, there }]) => [field, [...there, ...namesOf(kind)]]),
  );
  const find = (value: unknown, path: string): { path: string; field: string; name: string }[] =>
    typeof value !== 'object' || value === null
      ? []
      : Object.entries(value).flatMap(([field, inner]) =>
          Object.hasOwn(NAMED, field) && typeof inner === 'string'
            ? [{ path: `${path}.${field}`, field, name: inner }]
            : find(inner, `${path}.${field}`),
        );
  return objects.flatMap(({ file, path, object }) =>
    find(object.spec, `${path}.spec`)
      .filter(({ field, name }) => known[field]?.includes(name) === false)
      .map(({ path: at, field, name }) => {
        const names = known[field] ?? [];
        const expected = `a ${NAMED[field]?.kind ?? ''} that is there (${names.join(', ')})`;
        return configProblem(file, at, expected, JSON.stringify(name), nearestName(name, names));
      }),
  );
}

function checkTwice(objects: readonly LocatedObject[]): ConfigProblem[] {
  const known = new Map<string, LocatedObject>();
  return objects.flatMap((located) => {
    const { apiVersion, kind, metadata } = located.object;
    const name = get(metadata, 'name');
    if (typeof name !== 'string') return [];
    const [group] = String(apiVersion).split(/\/?v\d/);
    const id = [group, kind, get(metadata, 'namespace') ?? 'default', name].map(String).join(' ');
    const other = known.get(id);
    known.set(id, located);
    if (other === undefined) return [];
    const received = `the ${String(kind)} "${name}" of ${other.file}, ${other.path}, again`;
    return [configProblem(located.file, `${located.path}.metadata.name`, 'each object once', received)];
  });
}
