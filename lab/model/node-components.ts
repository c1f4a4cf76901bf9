import { compareVersions, resolveVersion, type ComponentRef, type Components } from './components.ts';
import { findRelease } from './local-build.ts';
import { parseRuntime } from './axes/runtime.ts';

/** The axes that decide which components a node has; values as the axes write them. */
export interface NodeChoice {
  /** Short or exact version, or `<release>@file:<path>`. */
  readonly kubernetes: string;
  /** `apt`, an exact version, or `file:<folder>`. */
  readonly containerd: string;
  /** `runc`, `runc@<version>`, `runsc@<version>`, … */
  readonly runtime: string;
}

/**
 * Lists the components of a node, Kubernetes first, versions exact; `apt` means the suite's package, and a local
 * build keeps its path. A minor release that `clusters` does not name gets the entry of the nearest older one, else
 * the oldest. runc is always there, for the control plane; `gvisor` only where workloads run under runsc.
 *
 * @throws UsageError for a version that a component does not have.
 */
export function listNodeComponents(components: Components, choice: NodeChoice): Required<ComponentRef>[] {
  const kubernetes = resolveVersion(components, 'kubernetes', choice.kubernetes);
  const runtime = parseRuntime(choice.runtime);
  const wanted: Record<string, string> = {
    kubernetes,
    ...findCluster(components, kubernetes),
    ...components.nodeComponents,
    containerd: choice.containerd,
    runc: runtime.name === 'runc' ? runtime.version : 'apt',
    ...(runtime.name === 'runsc' ? { gvisor: runtime.version } : {}),
  };
  return Object.entries(wanted).map(([name, version]) => ({
    name,
    version: resolveVersion(components, name, version),
  }));
}

function findCluster(components: Components, kubernetes: string): Readonly<Record<string, string>> {
  const release = findRelease(kubernetes) ?? kubernetes;
  const sorted = components.clusters.toSorted((a, b) => compareVersions(b.kubernetes, a.kubernetes));
  const cluster = sorted.find((each) => compareVersions(each.kubernetes, release) <= 0) ?? sorted.at(-1);
  return cluster?.components ?? {};
}
