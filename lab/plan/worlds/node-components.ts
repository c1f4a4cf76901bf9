import { AXIS_DEFINITIONS, type VariantValues } from '../../model/axes/axes.ts';
import { handlerOf } from '../../model/axes/runtime.ts';
import { listComponentsOf } from '../../model/variants/axis-list.ts';
import {
  compareVersions,
  resolveVersion,
  SUITE_VERSION,
  type ComponentRef,
  type Components,
} from '../../model/components/components.ts';
import { findRelease } from '../../model/components/local-build.ts';
import { RUNC_UNDER_TEST } from '../../model/components/under-test.ts';

/**
 * Lists the components of a node, Kubernetes first, versions exact; `apt` means the suite's package, and a local
 * build keeps its path. A minor release that `clusters` does not name gets the entry of the nearest older one, else
 * the oldest.
 *
 * @throws UsageError for a version that a component does not have.
 */
export function listNodeComponents(components: Components, values: VariantValues): Required<ComponentRef>[] {
  const kubernetes = resolveVersion(components, 'kubernetes', values.kubernetes.version);
  const wanted: Record<string, string> = {
    kubernetes,
    ...findCluster(components, kubernetes),
    ...components.nodeComponents,
    ...listComponentsOf(AXIS_DEFINITIONS, values),
    ...besideItsOwn(values.runtime),
  };
  return Object.entries(wanted).map(([name, version]) => ({
    name,
    version: resolveVersion(components, name, version),
  }));
}

/** The runc that only workloads run under: the control plane keeps the suite's. */
function besideItsOwn(runtime: VariantValues['runtime']): Readonly<Record<string, string>> {
  return handlerOf(runtime) === RUNC_UNDER_TEST
    ? { runc: SUITE_VERSION, [RUNC_UNDER_TEST]: runtime.version }
    : {};
}

function findCluster(components: Components, kubernetes: string): Readonly<Record<string, string>> {
  const release = findRelease(kubernetes) ?? kubernetes;
  const sorted = components.clusters.toSorted((a, b) => compareVersions(b.kubernetes, a.kubernetes));
  const cluster = sorted.find((row) => compareVersions(row.kubernetes, release) <= 0) ?? sorted.at(-1);
  return cluster?.components ?? {};
}
