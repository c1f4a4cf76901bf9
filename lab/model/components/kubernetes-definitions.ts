/**
 * What Kubernetes publishes about the fields of its objects, release by release: the OpenAPI definitions of its source,
 * without descriptions. bin/kubernetes-api.ts writes the file.
 */

/** Where they are, relative to the project. */
export const DEFINITIONS_FILE = 'provision/kubernetes-api/definitions.json';

/** The definition of the kubelet's configuration. No path of the API serves it; from 1.24 on it is known. */
export const KUBELET_CONFIGURATION = 'io.k8s.kubelet.config.v1beta1.KubeletConfiguration';

/** Where the gates are that a kubelet knows, relative to the project. bin/feature-gates.ts writes the file. */
export const FEATURE_GATES_FILE = 'provision/kubernetes-api/feature-gates.json';

/** Feature gate → the minor releases (`1.34`), the oldest first, whose kubelet knows it. */
export type FeatureGates = Readonly<Record<string, readonly string[]>>;

/** A JSON Schema as Kubernetes writes it. References are `#/definitions/<name>`. */
export type Schema = Readonly<Record<string, unknown>>;

/** Every definition of every known release. Most of them are the same in many releases. */
export interface Definitions {
  /** Minor releases (`1.34`), the oldest first. */
  readonly releases: readonly string[];
  /** Name → what it was, and in which releases. */
  readonly definitions: Readonly<
    Record<string, readonly { readonly releases: readonly string[]; readonly schema: Schema }[]>
  >;
}
