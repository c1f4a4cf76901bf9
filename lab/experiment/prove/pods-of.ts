import type { Manifest, Scenario } from '../../model/declared/scenario.ts';
import { isObject } from '../../model/files/parse-json.ts';

/** An object of a manifest, to be changed in place. */
export type Editable = Record<string, unknown>;

/** The specifications of the victim's pods in a manifest: of the pod itself, or of the template of whatever makes it. */
export function listVictimSpecs(manifest: Manifest, { victim }: Pick<Scenario, 'victim'>): Editable[] {
  return findPods(manifest)
    .filter(({ labels }) => matches(labels, victim.selector))
    .map(({ spec }) => spec);
}

/** The containers of a pod, those that start first too. */
export function listContainers(spec: Editable): Editable[] {
  return ['initContainers', 'containers'].flatMap((field) => listEditable(spec[field]));
}

/** The entries of a list that are objects. */
export function listEditable(value: unknown): Editable[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

interface FoundPod {
  readonly labels: Readonly<Record<string, unknown>>;
  readonly spec: Editable;
}

/** A pod is what has containers in its `spec`, however deep it is: of a CronJob it is the third one. */
function findPods(value: unknown): FoundPod[] {
  if (!isObject(value)) return [];
  const { metadata, spec } = value;
  if (isObject(spec) && Array.isArray(spec.containers)) {
    const labels = isObject(metadata) && isObject(metadata.labels) ? metadata.labels : {};
    return [{ labels, spec }];
  }
  return Object.values(value).flatMap(findPods);
}

/** Whether labels have all that a selector such as `app=eater,tier=web` wants. */
function matches(labels: Readonly<Record<string, unknown>>, selector: string): boolean {
  return selector.split(',').every((part) => {
    const [name = '', value = ''] = part.split(/==?/);
    return labels[name.trim()] === value.trim();
  });
}
