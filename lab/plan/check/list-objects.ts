import type { LoadedScenario, Manifest } from '../../model/declared/scenario.ts';
import { ownValue } from '../../model/text/own-value.ts';

/** A Kubernetes object of a scenario, and where it is written. */
export interface LocatedObject {
  readonly file: string;
  /** `document 1`: its place in the file, empty documents not counted. */
  readonly path: string;
  /** Parameters are filled in. */
  readonly object: Manifest;
}

/** The objects in manifests/ of a scenario, in order of files and documents. */
export function listManifests({ source, manifests }: LoadedScenario): LocatedObject[] {
  const places = Object.entries(source.manifests).flatMap(([file, objects]) =>
    objects.map((_, index) => ({ file, path: `document ${index + 1}` })),
  );
  return places.map((place, index) => ({ ...place, object: manifests[index] ?? {} }));
}

/** The objects in later/. */
export function listLater({ folder, later }: LoadedScenario): LocatedObject[] {
  return Object.entries(later).flatMap(([name, objects]) =>
    objects.map((object, index) => ({
      file: `${folder}/later/${name}`,
      path: `document ${index + 1}`,
      object,
    })),
  );
}

/** What a pod is made from: the object itself, or a template in it. */
export interface PodTemplate {
  readonly located: LocatedObject;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Path below the file: `document 1.spec.template`. */
  readonly path: string;
  readonly containers: readonly PodContainer[];
  /** Whether a Job makes it: the controller adds labels of its own. */
  readonly ofJob: boolean;
  readonly restartPolicy: unknown;
}

/** A container of a pod, of whatever kind. */
interface PodContainer {
  readonly path: string;
  readonly name: string | undefined;
  readonly image: string | undefined;
  readonly imagePullPolicy: unknown;
  /** All of it, as it is written. */
  readonly own: unknown;
}

/** Where controllers keep the template of their pods (k8s.io/api: core, apps, batch). */
const TEMPLATES: Readonly<Record<string, string>> = {
  Pod: '',
  ReplicationController: 'spec.template',
  PodTemplate: 'template',
  Deployment: 'spec.template',
  ReplicaSet: 'spec.template',
  StatefulSet: 'spec.template',
  DaemonSet: 'spec.template',
  Job: 'spec.template',
  CronJob: 'spec.jobTemplate.spec.template',
};

/** Every pod that the objects bring. */
export function listPods(objects: readonly LocatedObject[]): PodTemplate[] {
  return objects.flatMap((located) => {
    const { object, path } = located;
    const place = typeof object.kind === 'string' ? ownValue(TEMPLATES, object.kind) : undefined;
    if (place === undefined) return [];
    const at = place === '' ? path : `${path}.${place}`;
    const template = place
      .split('.')
      .reduce<unknown>((value, key) => (key === '' ? value : get(value, key)), object);
    return [
      {
        located,
        namespace: textOf(get(get(object, 'metadata'), 'namespace')) ?? 'default',
        labels: textsOf(get(get(template, 'metadata'), 'labels')),
        path: at,
        containers: ['initContainers', 'containers'].flatMap((list) =>
          listContainers(get(get(template, 'spec'), list), `${at}.spec.${list}`),
        ),
        ofJob: object.kind === 'Job' || object.kind === 'CronJob',
        restartPolicy: get(get(template, 'spec'), 'restartPolicy'),
      },
    ];
  });
}

function listContainers(list: unknown, path: string): PodContainer[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((container: unknown, index) =>
    typeof container !== 'object' || container === null
      ? []
      : {
          path: `${path}.${index}`,
          name: textOf(get(container, 'name')),
          image: textOf(get(container, 'image')),
          imagePullPolicy: get(container, 'imagePullPolicy'),
          own: container,
        },
  );
}

/** A field of a value; undefined where it has none. */
export function get(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function textsOf(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, String(inner)]));
}
